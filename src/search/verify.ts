import type { CacheState } from '../pages/article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import type { FoundQuote } from '../text/citations/find-quote.ts';
import { textFragmentLink } from '../text/citations/text-fragment.ts';
import { contentHash } from './content-hash.ts';
import type { VerifyWorker } from './verify-worker.ts';

export type VerifyRequest = {
  url: string;
  quotes: string[];
  /** Of the page as it was quoted, or null when it is not known. */
  contentHash: string | null;
  signal: AbortSignal;
  /** Whose call it is, for fair shares. */
  tenant?: Tenant;
  /** Only a kept copy will do. */
  keptOnly?: boolean;
};

/** A quotation with its place; `link` opens the page there, null when it stands nowhere. */
export type VerifiedQuote = FoundQuote & { quote: string; link: string | null };

export type VerifyAnswer = {
  /** Where the page was read, after redirects. */
  url: string;
  contentHash: string;
  /** Whether the page is another than the one that was quoted. */
  changed: boolean;
  /** One for each requested quotation, in order. */
  quotes: VerifiedQuote[];
  cache: CacheState;
};

/** Throws `Failure('url_not_allowed')`, `Failure('fetch_failed')` or `Failure('overloaded')`. */
export type Verify = (request: VerifyRequest) => Promise<VerifyAnswer>;

/** URL and quotations -> whether and where each stands on the page as it is now (or as the page cache has it). */
export function createVerify(parts: { openPage: OpenPage; find: VerifyWorker }): Verify {
  return async ({ url, quotes, contentHash: known, signal, tenant, keptOnly }) => {
    const opening = keptOnly ? { copies: 'only' as const } : {};
    const { article, cache } = await parts.openPage(url, { ...opening, signal, tenant });
    const { markdown } = article;
    const found = await parts.find({ markdown, quotes }, { signal, tenant });
    const hash = contentHash(markdown);
    return {
      url: article.url,
      contentHash: hash,
      changed: known !== null && known !== hash,
      quotes: found.map((place, index): VerifiedQuote => {
        const quote = quotes[index] ?? '';
        const link =
          place.found === 'no' ? null : textFragmentLink(article.url, markdown.slice(place.start, place.end));
        return { quote, ...place, link };
      }),
      cache,
    };
  };
}
