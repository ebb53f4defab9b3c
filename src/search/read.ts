import { CHARS_PER_TOKEN } from '../contract/limits.ts';
import { type Article, type CacheState, type Page, textOfArticle } from '../pages/article.ts';
import type { Opening, OpenPage } from '../pages/open-page-types.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import type { PageText } from '../text/prune/page-parts.ts';
import type { PruneWorker } from './prune-worker.ts';

export type ReadRequest = {
  url: string;
  question: string | null;
  /** How the page is opened, and what is wanted besides its text; absent: as any page. */
  opening?: Opening;
  signal: AbortSignal;
  /** Whose read it is, for fair shares. */
  tenant?: Tenant;
  /** Whether what is read may be kept and shared with other callers; absent: yes. */
  keep?: boolean | undefined;
};

export type ReadAnswer = Pick<Page, 'extras' | 'fetchedAt'> & {
  /** Of the page, of the selection if one was wanted, or of what is relevant to the question. */
  markdown: string;
  url: string;
  title: string;
  article: Article;
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
  return async ({ url, question, opening, signal, tenant, keep }) => {
    const page = await parts.openPage(url, { ...opening, signal, tenant, keep });
    const { article, cache, fetchedAt, extras } = page;
    const whole = extras?.markdown ?? article.markdown;
    const text = { ...textOfArticle(article), markdown: whole };
    const markdown =
      question === null ? whole : await pruned(parts.prune, { page: text, question, signal, tenant });
    const rawTokens = tokens(question === null ? article.rawChars : whole.length);
    const outputTokens = tokens(markdown.length);
    const savingsPercent =
      rawTokens === 0 ? 0 : Math.max(0, Math.round(100 * (1 - outputTokens / rawTokens)));
    return {
      markdown,
      url: article.url,
      title: article.title,
      ...{ article, fetchedAt, cache },
      ...(extras === undefined ? {} : { extras }),
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
  }: Omit<ReadRequest, 'url' | 'keep' | 'opening'> & { page: PageText; question: string },
): Promise<string> {
  const wanted = { text: null, highlights: null, pruned: { query: question } };
  const [parts] = await prune([page], { wanted, query: question, tenant }, signal);
  return parts?.prunedContext ?? page.markdown;
}

const tokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);
