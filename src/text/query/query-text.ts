import { resolveStemLanguage } from '../words/stems.ts';
import { parseTerms, type Term } from '../words/words.ts';

/** The text of a query and its words, each computed once. */
export type QueryText = {
  readonly text: string;
  /** Its terms, stemmed for `language` (BCP 47; null counts as English). */
  terms(language: string | null): readonly Term[];
  /** Its runs of letters and digits, in lower case. */
  lowerCaseWords(): readonly string[];
};

/** Maximum languages cached: pages may declare any, so the oldest entry is dropped. */
const LANGUAGES_KEPT = 8;

export function createQueryText(text: string): QueryText {
  const byStemmer = memoizePerLanguage((stemmer) => parseTerms(text, stemmer));
  return {
    text,
    terms: (language) => byStemmer(resolveStemLanguage(language)),
    lowerCaseWords: memoize(() => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
  };
}

/** Wraps a function so that it is called on first use and never again. */
export function memoize<Value>(read: () => Value): () => Value {
  let known: { value: Value } | null = null;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}

/** Wraps a function so that it is called once per language, for the last few languages. */
export function memoizePerLanguage<Language extends string | null, Value>(
  read: (language: Language) => Value,
): (language: Language) => Value {
  const known = new Map<Language, Value>();
  return (language) => {
    const value = known.get(language) ?? read(language);
    known.set(language, value);
    dropOldest(known, LANGUAGES_KEPT);
    return value;
  };
}

/** Drops the oldest entry of a map that holds more than `most`. */
export function dropOldest<Key>(map: Map<Key, unknown>, most: number): void {
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
