import { emptyWordsOf } from '../words/light-words.ts';
import { wordsOf } from '../words/words.ts';
import { condenserOf, type QueryBounds } from './condense-query.ts';
import { type PassageQuery, passageQuery } from './passage-query.ts';
import { type QueryTerm, queryTerms } from './query-terms.ts';
import { dropOldest, once, perLanguage, type QueryText, queryText } from './query-text.ts';
import { type QueryTraits, queryTraits } from './query-traits.ts';
import { type Question, questionOf } from './question.ts';
import { type ResultQuery, resultQuery } from './result-query.ts';

/**
 * A query, read once and passed on: each view is made when it is first needed, and kept. To a thread goes its `text`, and
 * the thread calls `readQuery`.
 */
export type Query = QueryText & {
  /** The kinds of source that it suits. */
  traits(): QueryTraits;
  /** As results of any source are ranked for it. */
  forResults(): ResultQuery;
  /** As the local index looks for it; `languages` are those that its pages are stemmed for. */
  forIndex(languages: readonly (string | null)[]): QueryTerm[];
  /** As passages of a page in `language` are scored for it. */
  forPassages(language: string | null): PassageQuery;
  /** As quotations from a page in `language` are compared with it. */
  asQuestion(language: string | null): Question;
  /** Its text from the first word on that is not one that English questions of any subject are put with; compared by meaning. */
  topic(): string;
  /** The same query within the bounds of a source; null when not one word fits. */
  condensed(bounds: QueryBounds): Query | null;
  /** The words and phrases (without their quotes) that carry its topic, at most `max`, in order; all words when none does. */
  keywords(max: number): string[];
};

/** A thread gets the same text with every page of a search. */
const QUERIES_KEPT = 16;

const recent = new Map<string, Query>();

/** The one way from the text of a query to its words. */
export function readQuery(text: string): Query {
  const query = recent.get(text) ?? createQuery(text);
  recent.set(text, query);
  dropOldest(recent, QUERIES_KEPT);
  return query;
}

function createQuery(text: string): Query {
  const words = queryText(text);
  const forPassages = perLanguage((language: string | null) => passageQuery(words, language));
  const { condense, keywords } = condenserOf(text);
  return {
    ...words,
    traits: once(() => queryTraits(text)),
    forResults: once(() => resultQuery(words)),
    forIndex: (languages) => queryTerms(words, languages),
    forPassages,
    asQuestion: perLanguage((language: string | null) => questionOf(words, language, forPassages(language))),
    topic: once(() => withoutPhrasing(text)),
    condensed(bounds) {
      const condensed = condense(bounds);
      return condensed === '' ? null : readQuery(condensed);
    },
    keywords,
  };
}

/** "how to use a connection pool" -> "connection pool"; words within the rest stay, since they may turn its meaning. */
function withoutPhrasing(text: string): string {
  const { stop, light } = emptyWordsOf('en');
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const [term = word] = wordsOf(word, 'en');
    if (!stop.has(term) && !light.has(term)) return text.slice(index);
  }
  return text;
}
