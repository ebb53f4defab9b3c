import type { Chunk } from '../../src/text/chunk/chunk-markdown.ts';
import { isStopWord } from '../../src/text/words/stop-words.ts';
import { tokenizeWords } from '../../src/text/words/words.ts';
import { cosineOf, weighing } from '../ranking/cosine-index.ts';

/** Scores the chunks of one page for a query. */
export type ScorePage = (query: string) => number[];

const K1 = 0.9;
const B = 0.4;

/** The baseline to beat: BM25 over stemmed words without stop words, its idf from the chunks of the page. */
export function plainBm25(chunks: Chunk[], language: string): ScorePage {
  const words = (text: string): string[] => tokenizeWords(text, language).filter((word) => !isStopWord(word));
  const counted = chunks.map(({ markdown }) => {
    const counts = new Map<string, number>();
    const all = words(markdown);
    for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { counts, length: all.length };
  });
  const mean = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  return (query) => {
    const terms = [...new Set(words(query))].map((term) => {
      const containing = counted.filter(({ counts }) => counts.has(term)).length;
      return { term, idf: Math.log(1 + (counted.length - containing + 0.5) / (containing + 0.5)) };
    });
    return counted.map(({ counts, length }) =>
      terms.reduce((sum, { term, idf }) => {
        const count = counts.get(term) ?? 0;
        return sum + (idf * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / mean));
      }, 0),
    );
  };
}

/** TF-IDF cosine of query and chunk, stemmed, without stop words. */
export function plainCosine(chunks: Chunk[], language: string): ScorePage {
  const { vectorOf } = weighing(
    chunks.map(({ markdown }) => markdown),
    language,
  );
  const vectors = chunks.map(({ markdown }) => vectorOf(markdown));
  return (query) => {
    const asked = vectorOf(query);
    return vectors.map((vector) => cosineOf(asked, vector));
  };
}
