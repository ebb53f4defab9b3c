import { isStopWord } from '../../src/text/words/stop-words.ts';
import { tokenizeWords } from '../../src/text/words/words.ts';

/** Paragraphs by BM25 (stemmed, stop words left out): the baseline, and what a search would have found besides the right page. */
export type Paragraphs = {
  /** Those with a word of the query, best first. */
  best(query: string, count: number): { place: number; score: number }[];
  /** The places of all, best first, those without a word of the query in their order. */
  rank(query: string): number[];
};

/** An index over texts in their order. */
export function openParagraphs(
  texts: readonly string[],
  language: string | null = 'en',
  { k1, b } = { k1: 0.9, b: 0.4 },
): Paragraphs {
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
  const best: Paragraphs['best'] = (query, count) => {
    const scores = new Map<number, number>();
    for (const term of countsOf(query, language).keys()) {
      const rows = postings.get(term) ?? [];
      const idf = Math.log(1 + (texts.length - rows.length + 0.5) / (rows.length + 0.5));
      for (const [place, tf] of rows) {
        const norm = tf + k1 * (1 - b + (b * (lengths[place] ?? mean)) / mean);
        scores.set(place, (scores.get(place) ?? 0) + (idf * tf * (k1 + 1)) / norm);
      }
    }
    return [...scores]
      .map(([place, score]) => ({ place, score }))
      .sort((left, right) => right.score - left.score || left.place - right.place)
      .slice(0, count);
  };
  return {
    best,
    rank(query) {
      const found = best(query, texts.length).map(({ place }) => place);
      return [...new Set([...found, ...texts.keys()])];
    },
  };
}

function countsOf(text: string, language: string | null): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of tokenizeWords(text, language))
    if (!isStopWord(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
