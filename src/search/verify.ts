import assert from 'node:assert/strict';
import type { CacheState } from '../pages/article.ts';
import { computeContentHash } from '../pages/content-hash.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { FoundQuote } from '../text/citations/find-quote.ts';
import { buildTextFragmentLink } from '../text/citations/text-fragment.ts';
import type { VerifyWorker } from './verify-worker.ts';

export type VerifyRequest = {
  url: string;
  quotes: string[];
  /** The hash of the page when it was quoted; null if unknown. */
  contentHash: string | null;
  signal: AbortSignal;
  /** The tenant, for fair shares. */
  tenant?: Tenant;
  /** Whether the page may be cached and shared with other callers; absent: yes. */
  keep?: boolean | undefined;
  /** Uses only a cached copy. */
  keptOnly?: boolean;
  /** Opens the page; absent: as it is now. */
  open?: OpenPage;
};

/** A quotation and its place; `link` opens the page there, null if it was not found. */
export type VerifiedQuote = FoundQuote & { quote: string; link: string | null };

export type VerifyAnswer = {
  /** The page's address, after redirects. */
  url: string;
  contentHash: string;
  /** Whether the page has changed since it was quoted. */
  changed: boolean;
  /** One for each requested quotation, in order. */
  quotes: VerifiedQuote[];
  cache: CacheState;
};

/** Throws `Failure('url_not_allowed')`, `Failure('fetch_failed')` or `Failure('overloaded')`. */
export type Verify = (request: VerifyRequest) => Promise<VerifyAnswer>;

/** Creates the operation: finds quotations on a page, fetched or cached, and says whether and where each one occurs. */
export function createVerify(deps: { openPage: OpenPage; find: VerifyWorker }): Verify {
  return async ({ url, quotes, contentHash: known, signal, tenant, keep, keptOnly, open }) => {
    const opening = keptOnly ? { copies: 'only' as const } : {};
    const { article, cache } = await (open ?? deps.openPage)(url, { ...opening, signal, tenant, keep });
    const { markdown } = article;
    const found = await deps.find({ markdown, quotes }, { signal, tenant });
    assert(found.length === quotes.length, 'each quotation has one outcome');
    const hash = computeContentHash(markdown);
    return {
      url: article.url,
      contentHash: hash,
      changed: known !== null && known !== hash,
      quotes: found.map((place, index): VerifiedQuote => {
        const quote = quotes[index] ?? '';
        if (place.found === 'no') return { quote, ...place, link: null };
        const { start, end } = place;
        assert(0 <= start && start <= end && end <= markdown.length, 'a quotation lies within the text');
        return { quote, ...place, link: buildTextFragmentLink(article.url, markdown, { start, end }) };
      }),
      cache,
    };
  };
}
