import { parseTerms } from '../words/words.ts';
import type { QueryText } from './condense-query.ts';
import type { PassageQuery } from './passage-query.ts';
import { type AskedForm, detectAskedForms } from './question-forms.ts';

/** A question prepared for comparison with passages in one language. */
export type Question = {
  text: string;
  /** Distinct terms (stop words left out) in order, with their rarity, and whether each is a name or a number. */
  terms: { text: string; rarity: number; isName: boolean }[];
  /** The words in lower case, to find what an answer adds. */
  words: ReadonlySet<string>;
  /** The forms of answer that a question about a program asks for. */
  forms: readonly AskedForm[];
  /** True when code is a suitable answer. */
  seeksCode: boolean;
};

const CODE_WORDS =
  /\b(?:commands?|syntax|usage|snippet|code|install|example|cli|api|function|method|option|flag|regex|query|script|configure|configuration)\b|\bhow (?:do i|can i|to)\b/i;
const CODE_SIGNS = /`|(?:^|\s)--?[a-z]|\w\(\)|[a-z]_[a-z]|::|\.\w+\(|\b[a-z]+[A-Z]\w+/;

/** Builds a question for pages in `language` (BCP 47, null counts as English). */
export function buildQuestion(
  { text: query, lowerCaseWords }: QueryText,
  language: string | null,
  { terms, rarities, act }: PassageQuery,
): Question {
  const names = collectNameTerms(query, language);
  return {
    text: query,
    terms: terms.map((text, place) => ({
      text,
      rarity: rarities[place] ?? 1,
      isName: names.has(text) || /\p{N}/u.test(text),
    })),
    words: new Set(lowerCaseWords()),
    forms: detectAskedForms(query),
    seeksCode: act !== null || CODE_WORDS.test(query) || CODE_SIGNS.test(query),
  };
}

/** True when the rarity of words in a language is known (null counts as English). */
export const hasKnownRarities = (language: string | null): boolean => language === null || language === 'en';

/** Returns the terms of capitalised words that do not begin the question. */
function collectNameTerms(query: string, language: string | null): Set<string> {
  const words = query.match(/(?<=\S\s+["'“‘(]?)\p{Lu}[\p{L}\p{N}\p{M}]*/gu) ?? [];
  return new Set(parseTerms(words.join(' '), language).map(({ text }) => text));
}
