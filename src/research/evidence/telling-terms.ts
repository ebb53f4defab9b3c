import { computeRarity } from '../../text/scoring/rarity.ts';
import { isStopWord, REQUEST_WORDS } from '../../text/words/stop-words.ts';
import { type Term, tokenizeWords } from '../../text/words/words.ts';

/** Words that ask or compare, which no page would contain as its topic. */
const ASKING = new Set(
  tokenizeWords(
    `${REQUEST_WORDS.join(' ')} describe list compare compared comparison versus vs difference differences different between better best worse who what when where which why how many much long old`,
    'en',
  ),
);

/** Selects the distinct terms that carry a topic, without stop words and words that only ask. */
export function selectTopicTerms(terms: readonly Term[]): string[] {
  const distinct = new Set(terms.map(({ text }) => text));
  return [...distinct].filter((term) => !isStopWord(term) && !ASKING.has(term));
}

/** Sums the weights of terms; rare terms weigh more. */
export function sumWeights(terms: Iterable<string>): number {
  let weight = 0;
  for (const term of terms) weight += computeRarity(term);
  return weight;
}

/** Strips the suffix of an agent noun (`inventor` -> `invent`), because a page may use the verb where the question has the noun. */
export const toRoot = (term: string): string => term.replace(/(?<=\p{L}{4})(?:er|or)$/u, '');
