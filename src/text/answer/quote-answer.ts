/**
 * Answers a question with one verbatim quotation from the given pages, or with none when the confidence is too low. It promises
 * never to write text of its own. It does not search: pages come from the caller.
 */
import { readQuery } from '../query/read-query.ts';
import { CHOICE_WEIGHTS, TRUST_WEIGHTS } from './answer-weights.ts';
import { candidatesOf, type QuoteCandidate } from './candidates.ts';
import { chooseQuote, TRUST_FEATURES, weighed } from './choose-quote.ts';
import { FEATURES } from './features.ts';
import { kindOfPages, type PageKind } from './page-kind.ts';
import type { AnswerPage, Quotation } from './quotation.ts';
import { textOf, type Window, withSection } from './windows.ts';

const CHOICE = perKind((kind) => FEATURES.map((name) => CHOICE_WEIGHTS[kind][name]));
const TRUST = perKind((kind) => TRUST_FEATURES.map((name) => TRUST_WEIGHTS[kind][name]));

/** Minimum confidence of a quoted answer, unless an operator sets another; chosen with npm run train:answer. */
export const SCORE_MIN = 0.5;

/**
 * Returns the passage of the pages that answers the query best, verbatim; null when its confidence is below `least` (null:
 * SCORE_MIN). Pages are in search order.
 */
export function quoteAnswer(
  query: string,
  pages: readonly AnswerPage[],
  least: number | null = null,
): Quotation | null {
  const best = bestQuotation(query, pages);
  return best === null || best.score < (least ?? SCORE_MIN) ? null : best;
}

/** Like `quoteAnswer`, with any score; null when nothing on the pages matches the query. */
export function bestQuotation(query: string, pages: readonly AnswerPage[]): Quotation | null {
  const kind = kindOfPages(pages);
  const chosen = chooseQuote(candidatesOf(readQuery(query), pages), CHOICE[kind]);
  if (chosen === null) return null;
  const window = shownOf(chosen.candidate, kind);
  const { url, title, markdown } = chosen.candidate.page;
  return {
    ...textOf(markdown, window),
    url,
    title,
    headingPath: window.best.headingPath,
    score: round(1 / (1 + Math.exp(-weighed(chosen.figures, TRUST[kind])))),
  };
}

/**
 * Returns the window to show: on a technical page the answer is often next to the sentences that name the subject of the question.
 */
export function shownOf(
  { page, window, quotables }: Pick<QuoteCandidate, 'page' | 'window' | 'quotables'>,
  kind: PageKind,
): Window {
  return kind === 'technical' ? withSection(page.markdown, quotables, window) : window;
}

function perKind(weights: (kind: PageKind) => number[]): Record<PageKind, number[]> {
  return { prose: weights('prose'), technical: weights('technical') };
}

const round = (score: number): number => Math.round(score * 10_000) / 10_000;
