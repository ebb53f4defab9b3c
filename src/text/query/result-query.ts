import { computeRarity } from '../scoring/rarity.ts';
import { isStopWord } from '../words/stop-words.ts';
import type { QueryText } from './query-text.ts';

/** A query prepared for ranking results of any source. */
export type ResultQuery = {
  /** Distinct terms with their weights, which sum to 1. Empty for a query without words. */
  terms: ReadonlyMap<string, number>;
  /** Adjacent terms of the query, neither of them a stop word; the weights sum to 1. */
  pairs: readonly { left: string; right: string; weight: number }[];
  /** Words other than stop words, in lower case as written, for comparing with host names. */
  names: readonly string[];
  wish: FreshnessWish;
};

/** How fresh pages should be: the half-life of their value in days, and years that the query names. */
type FreshnessWish = { halfLifeDays: number | null; years: readonly string[] };

const STOP_SHARE = 0.1;
const TERMS_MAX = 64;
const YEARS_MAX = 4;
const NEWS = /\b(?:today|tonight|yesterday|breaking|news|this week|right now)\b/i;
const RECENT =
  /\b(?:latest|newest|recent|recently|current|currently|up[- ]to[- ]date|this (?:month|year))\b/i;
const YEAR = /(?<![\w.])(?:19|20)\d\d(?![\w.])/g;
/** Half-lives: a week for news, half a year for queries that ask for recent pages. */
const NEWS_DAYS = 7;
const RECENT_DAYS = 180;

/** Builds a query for ranking results. */
export function buildResultQuery(query: QueryText): ResultQuery {
  const terms = query.terms(null);
  const weights = new Map<string, number>();
  for (const { text, kind } of terms) {
    if (weights.size >= TERMS_MAX && !weights.has(text)) continue;
    const worth = isStopWord(text) ? STOP_SHARE * computeRarity(text) : computeRarity(text);
    // Parts of an identifier count as well, since few pages contain the whole.
    weights.set(text, (weights.get(text) ?? 0) + (kind === 'word' ? worth : worth / 2));
  }
  const telling = terms.filter(({ text, kind }) => kind !== 'whole' && !isStopWord(text));
  const pairs = telling.slice(1).flatMap((right, place) => {
    const left = telling[place];
    return left === undefined ? [] : [{ left: left.text, right: right.text, weight: 1 }];
  });
  return {
    terms: normalizeWeights(weights),
    pairs: pairs.map((pair) => ({ ...pair, weight: 1 / pairs.length })),
    names: query.lowerCaseWords().filter((word) => !isStopWord(word)),
    wish: detectFreshnessWish(query.text),
  };
}

function normalizeWeights(weights: Map<string, number>): Map<string, number> {
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return new Map([...weights].map(([term, weight]) => [term, weight / total]));
}

function detectFreshnessWish(query: string): FreshnessWish {
  const halfLifeDays = NEWS.test(query) ? NEWS_DAYS : RECENT.test(query) ? RECENT_DAYS : null;
  return { halfLifeDays, years: (query.match(YEAR) ?? []).slice(0, YEARS_MAX) };
}
