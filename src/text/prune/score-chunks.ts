import type { Chunk, ScoredChunk } from '../chunk/chunk.ts';
import { linkShare } from '../passages/link-share.ts';
import { scorePassages } from '../passages/score-passages.ts';
import type { Query } from '../query/read-query.ts';

const DIGITS = 10_000;
/** Lists of links name what other pages say: from a share of link text of `from` a chunk counts less, from `to` on `least`. */
const LINKS = { from: 0.5, to: 0.85, least: 0.15 };

/**
 * Chunks of one page -> the same with a score from 0 to 1 for the query, comparable between the pages of one search;
 * `language` (BCP 47) is guessed when null. All 0 when no chunk matches the query or it is empty.
 */
export function scoreChunks(chunks: readonly Chunk[], query: Query, language: string | null): ScoredChunk[] {
  const scores = scorePassages(chunks, query, language);
  const worths = worthsOf(chunks);
  return chunks.map((chunk, place) => ({
    ...chunk,
    score: Math.round((scores[place]?.score ?? 0) * (worths[place] ?? 0) * DIGITS) / DIGITS,
  }));
}

const known = new WeakMap<readonly Chunk[], number[]>();

/** What the chunks of a page count, for every query to the same list. */
function worthsOf(chunks: readonly Chunk[]): number[] {
  const worths = known.get(chunks) ?? chunks.map(worthOf);
  known.set(chunks, worths);
  return worths;
}

function worthOf({ markdown }: Chunk): number {
  const beyond = (linkShare(markdown) - LINKS.from) / (LINKS.to - LINKS.from);
  return 1 - (1 - LINKS.least) * Math.min(1, Math.max(0, beyond));
}
