import { CHARS_PER_TOKEN } from '../contract/limits.ts';
import { type CacheState, textOfArticle } from '../pages/article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import type { PageText } from '../text/prune/page-parts.ts';
import type { PruneWorker } from './prune-worker.ts';

export type ReadRequest = {
  url: string;
  question: string | null;
  signal: AbortSignal;
  /** Whose read it is, for fair shares. */
  tenant?: Tenant;
  /** Whether what is read may be kept and shared with other callers; absent: yes. */
  keep?: boolean | undefined;
};

export type ReadAnswer = {
  markdown: string;
  url: string;
  title: string;
  cache: CacheState;
  /** ceil(chars / 4) before: of the source, or of the whole page's Markdown when pruned for a question. */
  rawTokens: number;
  outputTokens: number;
  /** Whole percent from 0 to 100. */
  savingsPercent: number;
};

/** Throws `Failure('url_not_allowed')` or `Failure('fetch_failed')`. */
export type Read = (request: ReadRequest) => Promise<ReadAnswer>;

/** A URL -> its page as Markdown; with a question, only the relevant parts of the page. */
export function createRead(parts: { openPage: OpenPage; prune: PruneWorker }): Read {
  return async ({ url, question, signal, tenant, keep }) => {
    const { article, cache } = await parts.openPage(url, { signal, tenant, keep });
    const markdown =
      question === null
        ? article.markdown
        : await pruned(parts.prune, { page: textOfArticle(article), question, signal, tenant });
    const rawTokens = tokens(question === null ? article.rawChars : article.markdown.length);
    const outputTokens = tokens(markdown.length);
    const savingsPercent =
      rawTokens === 0 ? 0 : Math.max(0, Math.round(100 * (1 - outputTokens / rawTokens)));
    return {
      markdown,
      url: article.url,
      title: article.title,
      cache,
      rawTokens,
      outputTokens,
      savingsPercent,
    };
  };
}

async function pruned(
  prune: PruneWorker,
  {
    page,
    question,
    signal,
    tenant,
  }: Omit<ReadRequest, 'url' | 'keep'> & { page: PageText; question: string },
): Promise<string> {
  const wanted = { text: null, highlights: null, pruned: { query: question } };
  const [parts] = await prune([page], { wanted, query: question, tenant }, signal);
  return parts?.prunedContext ?? page.markdown;
}

const tokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);
