import { isStopWord } from '../../src/text/words/stop-words.ts';
import { tokenizeWords } from '../../src/text/words/words.ts';

/** Paragraphs found by plain scores: the baselines, and what a search would have found besides the right page. */
export type Paragraphs = {
  /** The best by BM25 (k1 0.9, b 0.4; stemmed, stop words left out). */
  best(query: string, count: number): { place: number; score: number }[];
  /** The best by the cosine of TF-IDF vectors. */
  nearest(query: string, count: number): { place: number; score: number }[];
};

const K1 = 0.9;
const B = 0.4;

/** An index over texts in their order. */
export function openParagraphs(texts: readonly string[], language: string | null = 'en'): Paragraphs {
  const postings = new Map<string, [place: number, count: number][]>();
  const lengths: number[] = [];
  for (const [place, text] of texts.entries()) {
    const counts = countsOf(text, language);
    lengths.push([...counts.values()].reduce((sum, count) => sum + count, 0));
    for (const [term, count] of counts) {
      const known = postings.get(term);
      if (known === undefined) postings.set(term, [[place, count]]);
      else known.push([place, count]);
    }
  }
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const idf = (rows: number): number => Math.log(1 + (texts.length - rows + 0.5) / (rows + 0.5));
  const norms = texts.map(() => 0);
  for (const rows of postings.values())
    for (const [place, count] of rows)
      norms[place] = (norms[place] ?? 0) + ((1 + Math.log(count)) * idf(rows.length)) ** 2;
  const ranked = (
    query: string,
    count: number,
    worth: (row: [number, number], weight: number, inQuery: number) => number,
  ): { place: number; score: number }[] => {
    const scores = new Map<number, number>();
    for (const [term, inQuery] of countsOf(query, language)) {
      const rows = postings.get(term) ?? [];
      for (const row of rows)
        scores.set(row[0], (scores.get(row[0]) ?? 0) + worth(row, idf(rows.length), inQuery));
    }
    return [...scores]
      .map(([place, score]) => ({ place, score }))
      .sort((left, right) => right.score - left.score || left.place - right.place)
      .slice(0, count);
  };
  return {
    best: (query, count) =>
      ranked(query, count, ([place, tf], weight) => {
        const length = lengths[place] ?? mean;
        return (weight * tf * (K1 + 1)) / (tf + K1 * (1 - B + (B * length) / mean));
      }),
    nearest: (query, count) => {
      const terms = [...countsOf(query, language)];
      const norm = Math.sqrt(
        terms.reduce(
          (sum, [term, tf]) => sum + ((1 + Math.log(tf)) * idf(postings.get(term)?.length ?? 0)) ** 2,
          0,
        ),
      );
      return ranked(query, count, ([place, tf], weight, inQuery) => {
        const product = (1 + Math.log(tf)) * (1 + Math.log(inQuery)) * weight * weight;
        return product / (norm * Math.sqrt(norms[place] ?? 1) || 1);
      });
    },
  };
}

function countsOf(text: string, language: string | null): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of tokenizeWords(text, language))
    if (!isStopWord(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
