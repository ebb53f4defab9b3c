/**
 * Reads a query once and offers the views that the rest of the project needs: for ranking results, for the local index, for
 * passages, for quotations. Each view is computed on first use and cached. Nothing here searches or scores.
 */
import { findEmptyWords } from '../words/light-words.ts';
import { tokenizeWords } from '../words/words.ts';
import { createCondenser, type QueryBounds } from './condense-query.ts';
import { buildPassageQuery, type PassageQuery } from './passage-query.ts';
import { buildQueryTerms, type QueryTerm } from './query-terms.ts';
import { createQueryText, dropOldest, memoize, memoizePerLanguage, type QueryText } from './query-text.ts';
import { detectQueryTraits, type QueryTraits } from './query-traits.ts';
import { buildQuestion, type Question } from './question.ts';
import { buildResultQuery, type ResultQuery } from './result-query.ts';

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

/** Reads a query, from the cache if it is recent. All code that needs the words of a query calls this. */
export function readQuery(text: string): Query {
  const query = recent.get(text) ?? createQuery(text);
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
