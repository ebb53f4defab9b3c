import { wordsOf } from './word-f1.ts';

/** How many snippets a text has, of how many. */
export type SnippetCount = { found: number; of: number };

/** Counts the snippets whose words stand in the text in the same order; the last may be cut off. */
export function countSnippets(text: string, snippets: readonly string[]): SnippetCount {
  const words = ` ${wordsOf(text).join(' ')} `;
  const asked = snippets.map((snippet) => wordsOf(snippet).join(' ')).filter((snippet) => snippet !== '');
  return { found: asked.filter((snippet) => words.includes(` ${snippet}`)).length, of: asked.length };
}
