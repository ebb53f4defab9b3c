import { Failure } from '../errors.ts';
import type { AnswerPage, Quotation } from './answer/quotation.ts';
import type { QuoteOffThread } from './answer-off-thread.ts';
import type { Choice } from './choose-results.ts';
import type { Page } from './page.ts';
import type { Stopwatch } from './stopwatch.ts';

/** So many of the best results are read for an answer. */
export const ANSWER_PAGES = 5;
/** Milliseconds from asking to having; what is later than this is no part of the search. */
const QUOTE_MS_MAX = 1_000;

/**
 * The quotation that answers the query, from those pages of the best results that came in time (null: one that did not); null
 * when none is likely to, or when it is not found in time.
 */
export async function quoteFromResults(
  quote: QuoteOffThread,
  opened: readonly { choice: Choice; page: Page | null }[],
  { query, signal, watch }: { query: string; signal: AbortSignal; watch: Stopwatch },
): Promise<Quotation | null> {
  const pages = opened.slice(0, ANSWER_PAGES).flatMap((one) => answerPageOf(one) ?? []);
  const late = AbortSignal.timeout(QUOTE_MS_MAX);
  try {
    return await watch.stage('answer', () => quote({ query, pages }, AbortSignal.any([signal, late])));
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted || (error instanceof Failure && error.code === 'overloaded')) return null;
    throw error;
  }
}

/** Cited by the address under which it is a result. */
function answerPageOf({ choice, page }: { choice: Choice; page: Page | null }): AnswerPage | null {
  if (page === null) return null;
  const { title, markdown, language } = page.article;
  return { url: choice.url, title: title === '' ? choice.title : title, markdown, language };
}
