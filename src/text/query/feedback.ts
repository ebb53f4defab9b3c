import { isStopWord } from '../words/stop-words.ts';
import { tokenizeWords } from '../words/words.ts';

/** A page with a good first score: its plain text and its score from 0 to 1. */
export type Exemplar = { title: string; text: string; language: string | null; score: number };

/** A term shared by such pages; the weights of all terms sum to 1. */
type FeedbackTerm = { text: string; weight: number };

/** Characters read per page: its beginning names its subject. */
const CHARS_READ = 4_000;
const TERMS_PER_PAGE = 100;
const TERMS_MAX = 40;
/** Minimum length: a single letter or digit is not informative. */
const TERM_CHARS_MIN = 2;
const SATURATION = 1.2;

/**
 * Computes the terms that the best pages for a query share, the heaviest first: pseudo-relevance feedback (Lavrenko and Croft 2001,
 * with the saturated counts of BM25 in place of probabilities). `idfOf` returns 0 for excluded terms.
 */
export function computeFeedbackTerms(exemplars: Exemplar[], idfOf: (term: string) => number): FeedbackTerm[] {
  const sums = new Map<string, number>();
  for (const { title, text, language, score } of exemplars) {
    for (const [term, impact] of computeImpacts(`${title}\n${text.slice(0, CHARS_READ)}`, language)) {
      sums.set(term, (sums.get(term) ?? 0) + impact * score);
    }
  }
  const weighed = [...sums]
    .map(([text, impact]) => ({ text, weight: impact * idfOf(text) }))
    .filter(({ weight }) => weight > 0)
    .sort((left, right) => right.weight - left.weight || (left.text < right.text ? -1 : 1))
    .slice(0, TERMS_MAX);
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  return weighed.map(({ text, weight }) => ({ text, weight: weight / total }));
}

/** Returns the most frequent terms of a text with their saturated counts. */
function computeImpacts(text: string, language: string | null): [term: string, impact: number][] {
  const counts = new Map<string, number>();
  for (const term of tokenizeWords(text, language)) {
    if (term.length >= TERM_CHARS_MIN && !isStopWord(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return [...counts]
    .sort((left, right) => right[1] - left[1])
    .slice(0, TERMS_PER_PAGE)
    .map(([term, count]) => [term, count / (count + SATURATION)]);
}
