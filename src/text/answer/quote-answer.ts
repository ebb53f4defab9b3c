import { readQuery } from '../query/read-query.ts';
import { CHOICE_WEIGHTS, TRUST_WEIGHTS } from './answer-weights.ts';
import { candidatesOf } from './candidates.ts';
import { chooseQuote, TRUST_FEATURES, weighed } from './choose-quote.ts';
import { FEATURES } from './features.ts';
import type { AnswerPage, Quotation } from './quotation.ts';
import { textOf } from './windows.ts';

/** Below this confidence nothing is quoted; chosen with npm run train:answer. */
export const SCORE_MIN = 0.65;

const CHOICE = FEATURES.map((name) => CHOICE_WEIGHTS[name]);
const TRUST = TRUST_FEATURES.map((name) => TRUST_WEIGHTS[name]);

/** The passage of the pages that answers the query best, verbatim; null when none is likely to. Pages come in the order of the search. */
export function quoteAnswer(query: string, pages: readonly AnswerPage[]): Quotation | null {
  const best = bestQuotation(query, pages);
  return best === null || best.score < SCORE_MIN ? null : best;
}

/** Like `quoteAnswer`, however low its score; null when nothing on the pages matches the query. */
export function bestQuotation(query: string, pages: readonly AnswerPage[]): Quotation | null {
  const chosen = chooseQuote(candidatesOf(readQuery(query), pages), CHOICE);
  if (chosen === null) return null;
  const { page, window } = chosen.candidate;
  const { url, title, markdown } = page;
  return {
    ...textOf(markdown, window),
    ...{ url, title, headingPath: window.best.headingPath },
    score: round(1 / (1 + Math.exp(-weighed(chosen.figures, TRUST)))),
  };
}

const round = (score: number): number => Math.round(score * 10_000) / 10_000;
