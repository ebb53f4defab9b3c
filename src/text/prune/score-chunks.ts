import type { Chunk, ScoredChunk } from '../chunk/chunk.ts';
import { scorePassages } from '../passages/score-passages.ts';
import { linkShare } from './link-share.ts';

const DIGITS = 10_000;
/** Lists of links name what other pages say: from the first share of link text on a chunk counts less, from the second on so much. */
const LINKS = { from: 0.5, to: 0.9, least: 0.4 };

/**
 * Chunks of one page -> the same with a score from 0 to 1 for the query, comparable between the pages of one search;
 * `language` (BCP 47) is guessed when null. All 0 when nothing bears on the query or it is empty.
 */
export function scoreChunks(chunks: Chunk[], query: string, language: string | null): ScoredChunk[] {
  const scores = scorePassages(chunks, query, language);
  return chunks.map((chunk, place) => ({
    ...chunk,
    score: Math.round((scores[place]?.score ?? 0) * worthOf(chunk) * DIGITS) / DIGITS,
  }));
}

function worthOf({ markdown }: Chunk): number {
  const beyond = (linkShare(markdown) - LINKS.from) / (LINKS.to - LINKS.from);
  return 1 - (1 - LINKS.least) * Math.min(1, Math.max(0, beyond));
}
