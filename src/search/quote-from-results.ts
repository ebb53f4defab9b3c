import { type Page, toPageText } from '../pages/article.ts';
import { computeContentHash } from '../pages/content-hash.ts';
import { runWithTimeout } from '../platform/clock.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { AnswerPage, Quotation, QuotedAnswer } from '../text/answer/candidates.ts';
import { buildTextFragmentLink } from '../text/citations/text-fragment.ts';
import type { Choice } from './choosing/choose-results.ts';
import { computePartsMs, isLate, type Lateness } from './late-parts.ts';
import type { QuoteWorker } from './quote-worker.ts';
import type { Stopwatch } from './stopwatch.ts';

/** Number of the best results that are searched for an answer. */
export const ANSWER_PAGES = 5;

/**
 * Returns the quotation that answers the query, from the best results whose pages opened in time (`page` is null for the others). Null
 * when no passage is likely to answer, and when there was no time to search all pages, which `lateness` then reports.
 */
export async function quoteFromResults(
  quote: QuoteWorker,
  opened: readonly { choice: Choice; page: Page | null }[],
  {
    query,
    tenant,
    signal,
    watch,
    lateness,
  }: { query: string; tenant?: Tenant; signal: AbortSignal; watch: Stopwatch; lateness: Lateness },
): Promise<QuotedAnswer | null> {
  const best = opened.slice(0, ANSWER_PAGES);
  const pages = best.flatMap((one) => toAnswerPage(one) ?? []);
  try {
    const quoted = await watch.stage('answer', () =>
      runWithTimeout({ signal, ms: computePartsMs(signal) }, (inTime) =>
        quote({ query, pages, tenant }, inTime),
      ),
    );
    if (quoted !== null) return citeQuotation(quoted, pages);
    if (best.some(({ choice }) => lateness.urls.has(choice.url))) lateness.parts.add('answer');
    return null;
  } catch (error) {
    signal.throwIfAborted();
    if (!isLate(error)) throw error;
    lateness.parts.add('answer');
    return null;
  }
}

/** Returns the page under the address of its result, which the answer cites; null if it is not open. */
function toAnswerPage({ choice, page }: { choice: Choice; page: Page | null }): AnswerPage | null {
  if (page === null) return null;
  const { title } = page.article;
  return { url: choice.url, title: title === '' ? choice.title : title, ...toPageText(page.article) };
}

function citeQuotation(quoted: Quotation, pages: readonly AnswerPage[]): QuotedAnswer {
  const markdown = pages.find(({ url }) => url === quoted.url)?.markdown ?? '';
  const link = buildTextFragmentLink(quoted.url, markdown, quoted);
  return { ...quoted, contentHash: computeContentHash(markdown), link };
}
