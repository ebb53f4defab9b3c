/**
 * Reads a query once and offers the views that the rest of the project needs: for ranking results, for the local index, for
 * passages, for quotations. Each view is computed on first use and cached. Nothing here searches or scores.
 */

import { computeRarity } from '../scoring/rarity.ts';
import { detectQueryLanguage, findEmptyWords } from '../words/light-words.ts';
import { isStopWord } from '../words/stop-words.ts';
import { tokenizeWords } from '../words/words.ts';
import {
  createCondenser,
  createQueryText,
  dropOldest,
  memoize,
  memoizePerLanguage,
  type QueryBounds,
  type QueryText,
} from './condense-query.ts';
import { buildPassageQuery, type PassageQuery } from './passage-query.ts';
import { selectAsked } from './pasted-lines.ts';
import { detectQueryTraits, type QueryTraits } from './query-traits.ts';
import { buildQuestion, type Question } from './question.ts';

const STOP_SHARE = 0.1;
const YEARS_MAX = 4;
const NEWS = /\b(?:today|tonight|yesterday|breaking|news|this week|right now)\b/i;
const RECENT =
  /\b(?:latest|newest|recent|recently|current|currently|up[- ]to[- ]date|this (?:month|year))\b/i;
const YEAR = /(?<![\w.])(?:19|20)\d\d(?![\w.])/g;
/** Half-lives: a week for news, half a year for queries that ask for recent pages. */
const NEWS_DAYS = 7;
const RECENT_DAYS = 180;

const TERMS_MAX = 64;

/**
 * A query, read once and passed on; each view is computed on first use and cached. Only its `text` is sent to a thread, and the
 * thread calls `readQuery`.
 */
export type Query = QueryText & {
  /** The kinds of topic, for choosing sources. */
  traits(): QueryTraits;
  /** The view for ranking results of any source. */
  forResults(): ResultQuery;
  /** The view for searching the local index; `languages` are those that its pages are stemmed for. */
  forIndex(languages: readonly (string | null)[]): QueryTerm[];
  /** The view for scoring passages of a page in `language`. */
  forPassages(language: string | null): PassageQuery;
  /** The view for choosing quotations from a page in `language`. */
  asQuestion(language: string | null): Question;
  /** Its text without the opening words common to English questions on any subject; compared by meaning. */
  topic(): string;
  /** The same query within the bounds of a source; null when not one word fits. */
  condensed(bounds: QueryBounds): Query | null;
  /** The words and phrases (without their quotes) that carry its topic, at most `max`, in order; all words when none does. */
  keywords(max: number): string[];
};

/** Queries cached: a thread gets the same text with every page of a search. */
const QUERIES_KEPT = 16;

const recent = new Map<string, Query>();

/**
 * Reads a query, from the cache if it is recent. All code that needs the words of a query calls this. Of a question with pasted code or
 * data, the question is read.
 */
export function readQuery(text: string): Query {
  const query = recent.get(text) ?? createQuery(selectAsked(text));
  recent.set(text, query);
  dropOldest(recent, QUERIES_KEPT);
  return query;
}

function createQuery(text: string): Query {
  const words = createQueryText(text);
  const forPassages = memoizePerLanguage((language: string | null) => buildPassageQuery(words, language));
  const { condense, keywords } = createCondenser(text);
  return {
    ...words,
    traits: memoize(() => detectQueryTraits(text)),
    forResults: memoize(() => buildResultQuery(words)),
    forIndex: (languages) => buildQueryTerms(words, languages),
    forPassages,
    asQuestion: memoizePerLanguage((language: string | null) =>
      buildQuestion(words, language, forPassages(language)),
    ),
    topic: memoize(() => stripPhrasing(text)),
    condensed(bounds) {
      const condensed = condense(bounds);
      return condensed === '' ? null : readQuery(condensed);
    },
    keywords,
  };
}

/** "how to use a connection pool" -> "connection pool". Such words later in the text stay, since they may change its meaning. */
function stripPhrasing(text: string): string {
  const { stop, light } = findEmptyWords('en');
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const [term = word] = tokenizeWords(word, 'en');
    if (!stop.has(term) && !light.has(term)) return text.slice(index);
  }
  return text;
}

/** A term of a query: its forms in the languages of the index, and how often it occurs in the query. */
export type QueryTerm = {
  forms: string[];
  /** The spelling in the query, in lower case; '' for a piece of a longer word. */
  said: string;
  kind: 'word' | 'part' | 'whole';
  stop: boolean;
  /** A word common in questions on any subject (`find`, `use`); never a stop word. */
  light: boolean;
  count: number;
  /** Place of its first occurrence in the query. */
  place: number;
};

/**
 * Builds the distinct terms of a query. `languages` are those that pages of the index are stemmed for: a query does not declare its
 * own, so each word is searched in the form of each of them.
 */
function buildQueryTerms(
  { terms, lowerCaseWords }: QueryText,
  languages: readonly (string | null)[],
): QueryTerm[] {
  const readings = (languages.length > 0 ? languages : [null]).map(terms);
  const language = detectQueryLanguage(languages, terms);
  const empty = findEmptyWords(language);
  const own = terms(language);
  const saidOf = new Map(lowerCaseWords().map((word) => [tokenizeWords(word, language)[0], word]));
  const found = new Map<string, QueryTerm>();
  for (const [index, { text, kind, place }] of (readings[0] ?? []).entries()) {
    const known = found.get(text);
    if (known !== undefined) {
      known.count += 1;
      continue;
    }
    if (found.size >= TERMS_MAX) break;
    const forms = [...new Set(readings.map((reading) => reading[index]?.text ?? text))];
    const word = own[index]?.text ?? text;
    const stop = forms.some(isStopWord) || empty.stop.has(word);
    const light = !stop && empty.light.has(word);
    found.set(text, { forms, said: saidOf.get(word) ?? '', kind, stop, light, count: 1, place });
  }
  return [...found.values()];
}

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

/** The freshness that a query asks for: the half-life of their value in days, and years that the query names. */
type FreshnessWish = { halfLifeDays: number | null; years: readonly string[] };

/** Builds a query for ranking results. */
function buildResultQuery(query: QueryText): ResultQuery {
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
