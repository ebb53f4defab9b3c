import { detectQueryLanguage, findEmptyWords } from '../words/light-words.ts';
import { isStopWord } from '../words/stop-words.ts';
import { tokenizeWords } from '../words/words.ts';
import type { QueryText } from './query-text.ts';

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

const TERMS_MAX = 64;

/**
 * Builds the distinct terms of a query. `languages` are those that pages of the index are stemmed for: a query does not declare its
 * own, so each word is searched in the form of each of them.
 */
export function buildQueryTerms(
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
