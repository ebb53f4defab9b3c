/**
 * Answers a question with one verbatim quotation from the given pages, or with none when the confidence is too low. It promises
 * never to write text of its own. It does not search: pages come from the caller.
 */
import { readQuery } from '../query/read-query.ts';
import { CHOICE_WEIGHTS, TRUST_WEIGHTS } from './answer-weights.ts';
import type { AnswerPage, Quotation } from './candidates.ts';
import { detectPageKind, findQuoteCandidates, type PageKind, type QuoteCandidate } from './candidates.ts';
import { chooseQuote, TRUST_FEATURES, weighFigures } from './choose-quote.ts';
import { FEATURES } from './features.ts';
import { addSection, buildWindowText, type Window } from './windows.ts';

const CHOICE = mapKinds((kind) => FEATURES.map((name) => CHOICE_WEIGHTS[kind][name]));
const TRUST = mapKinds((kind) => TRUST_FEATURES.map((name) => TRUST_WEIGHTS[kind][name]));

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
  const best = findBestQuotation(query, pages);
  return best === null || best.score < (least ?? SCORE_MIN) ? null : best;
}

/** Like `quoteAnswer`, with any score; null when nothing on the pages matches the query. */
export function findBestQuotation(query: string, pages: readonly AnswerPage[]): Quotation | null {
  const kind = detectPageKind(pages);
  const chosen = chooseQuote(findQuoteCandidates(readQuery(query), pages, kind), CHOICE[kind]);
  if (chosen === null) return null;
  const window = chooseShownWindow(chosen.candidate, kind);
  const { url, title, markdown } = chosen.candidate.page;
  return {
    ...buildWindowText(markdown, window),
    url,
    title,
    headingPath: window.best.headingPath,
    score: round(1 / (1 + Math.exp(-weighFigures(chosen.figures, TRUST[kind])))),
  };
}

/**
 * Returns the window to show: on a technical page the answer is often next to the sentences that name the subject of the question.
 */
export function chooseShownWindow(
  { page, window, quotables }: Pick<QuoteCandidate, 'page' | 'window' | 'quotables'>,
  kind: PageKind,
): Window {
  return kind === 'technical' ? addSection(page.markdown, quotables, window) : window;
}

function mapKinds(weights: (kind: PageKind) => number[]): Record<PageKind, number[]> {
  return { prose: weights('prose'), technical: weights('technical') };
}

const round = (score: number): number => Math.round(score * 10_000) / 10_000;
