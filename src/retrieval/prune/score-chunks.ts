import type { Chunk, ScoredChunk } from '../page.ts';
import { isStopWord, wordsOf } from '../rank/words.ts';

/** BM25 within one page; its chunks are of one size, so the length matters little. */
const K1 = 0.9;
const B = 0.4;
/** What a word in a heading above the chunk counts beside one in its text. */
const HEADING_WEIGHT = 0.5;
/** Shares of the score: the weight of the query that the chunk covers, and its BM25 beside the best chunk's. */
const COVERAGE_SHARE = 0.6;

type Counted = { counts: Map<string, number>; headings: Set<string>; length: number };

/**
 * Chunks of one page -> the same with a score from 0 to 1 for the query: how much of the query's weight (idf within the
 * page) the chunk covers, and how densely (BM25, Robertson and Zaragoza 2009). All 0 when nothing matches or the query is empty.
 */
export function scoreChunks(chunks: Chunk[], query: string, language: string | null): ScoredChunk[] {
  const terms = termsOf(query, language);
  const counted = chunks.map((chunk) => countWords(chunk, language));
  const weights = weigh(terms, counted);
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const lengthMean = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const raw = counted.map((words) => scoreOf(words, weights, lengthMean));
  const bm25Max = Math.max(...raw.map(({ bm25 }) => bm25), Number.EPSILON);
  return chunks.map((chunk, place) => {
    const { bm25, covered } = raw[place] ?? { bm25: 0, covered: 0 };
    const coverage = total === 0 ? 0 : covered / total;
    return { ...chunk, score: round(coverage * (COVERAGE_SHARE + (1 - COVERAGE_SHARE) * (bm25 / bm25Max))) };
  });
}

/** The distinct words of the query without stop words, unless it consists of nothing else. */
function termsOf(query: string, language: string | null): string[] {
  const words = [...new Set(wordsOf(query, language))];
  const telling = words.filter((word) => !isStopWord(word));
  return telling.length > 0 ? telling : words;
}

function countWords({ markdown, headingPath }: Chunk, language: string | null): Counted {
  const words = wordsOf(markdown, language);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, headings: new Set(wordsOf(headingPath.join(' '), language)), length: words.length };
}

/** Idf of each term over the chunks of the page; a term that the page lacks weighs as much as the rarest. */
function weigh(terms: string[], counted: Counted[]): Map<string, number> {
  const chunks = counted.length;
  return new Map(
    terms.map((term) => {
      const containing = counted.filter(({ counts }) => counts.has(term)).length;
      return [term, Math.log(1 + (chunks - containing + 0.5) / (containing + 0.5))];
    }),
  );
}

function scoreOf(
  { counts, headings, length }: Counted,
  weights: Map<string, number>,
  lengthMean: number,
): { bm25: number; covered: number } {
  let bm25 = 0;
  let covered = 0;
  for (const [term, weight] of weights) {
    const inHeading = headings.has(term);
    const count = (counts.get(term) ?? 0) + (inHeading ? HEADING_WEIGHT : 0);
    if (count === 0) continue;
    bm25 += (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / lengthMean));
    covered += weight * (counts.has(term) ? 1 : HEADING_WEIGHT);
  }
  return { bm25, covered };
}

const round = (score: number): number => Math.round(score * 10_000) / 10_000;
