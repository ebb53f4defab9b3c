import { Failure } from '../contract/errors.ts';
import { type Page, textOfArticle } from '../pages/article.ts';
import type { Tenant } from '../platform/sharing/fair-shares.ts';
import type { AnswerPage, Quotation, QuotedAnswer } from '../text/answer/quotation.ts';
import { textFragmentLink } from '../text/citations/text-fragment.ts';
import type { Choice } from './choosing/choose-results.ts';
import { contentHash } from './content-hash.ts';
import type { QuoteWorker } from './quote-worker.ts';
import type { Stopwatch } from './stopwatch.ts';

/** How many of the best results are searched for an answer. */
export const ANSWER_PAGES = 5;
/** Milliseconds until the search goes on without an answer. */
const QUOTE_MS_MAX = 1_000;

/**
 * The quotation that answers the query, from the best results whose pages opened in time (`page` is null for the others). Null
 * when no passage is likely to answer, or when none is found in time.
 */
export async function quoteFromResults(
  quote: QuoteWorker,
  opened: readonly { choice: Choice; page: Page | null }[],
  { query, tenant, signal, watch }: { query: string; tenant?: Tenant; signal: AbortSignal; watch: Stopwatch },
): Promise<QuotedAnswer | null> {
  const pages = opened.slice(0, ANSWER_PAGES).flatMap((one) => answerPageOf(one) ?? []);
  const late = AbortSignal.timeout(QUOTE_MS_MAX);
  try {
    const quoted = await watch.stage('answer', () =>
      quote({ query, pages, tenant }, AbortSignal.any([signal, late])),
    );
    return quoted === null ? null : cited(quoted, pages);
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted || (error instanceof Failure && error.code === 'overloaded')) return null;
    throw error;
  }
}

/** Cited under the address of the result. */
function answerPageOf({ choice, page }: { choice: Choice; page: Page | null }): AnswerPage | null {
  if (page === null) return null;
  const { title } = page.article;
  return { url: choice.url, title: title === '' ? choice.title : title, ...textOfArticle(page.article) };
}

function cited(quoted: Quotation, pages: readonly AnswerPage[]): QuotedAnswer {
  const markdown = pages.find(({ url }) => url === quoted.url)?.markdown ?? '';
  const link = textFragmentLink(quoted.url, markdown.slice(quoted.start, quoted.end));
  return { ...quoted, contentHash: contentHash(markdown), link };
}
