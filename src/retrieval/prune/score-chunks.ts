import type { Chunk, ScoredChunk } from '../page.ts';
import { scorePassages } from '../rank/passages/score-passages.ts';

const DIGITS = 10_000;

/**
 * Chunks of one page -> the same with a score from 0 to 1 for the query, comparable between the pages of one search;
 * `language` (BCP 47) is guessed when null. All 0 when nothing bears on the query or it is empty.
 */
export function scoreChunks(chunks: Chunk[], query: string, language: string | null): ScoredChunk[] {
  const scores = scorePassages(chunks, query, language);
  return chunks.map((chunk, place) => ({
    ...chunk,
    score: Math.round((scores[place]?.score ?? 0) * DIGITS) / DIGITS,
  }));
}
