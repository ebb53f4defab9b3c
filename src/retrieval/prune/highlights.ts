import type { ScoredChunk } from '../page.ts';

/**
 * The best chunks, best first, at most `perUrl` and together at most `charsMax` characters. Chunks that do not bear on
 * the query are left out, but the best one always stands.
 */
export function highlightsOf(
  scored: ScoredChunk[],
  bounds: { perUrl: number; charsMax: number | null },
): ScoredChunk[] {
  const best = scored.toSorted((left, right) => right.score - left.score || left.start - right.start);
  const chosen: ScoredChunk[] = [];
  let room = bounds.charsMax ?? Number.POSITIVE_INFINITY;
  for (const chunk of best) {
    if (chosen.length >= bounds.perUrl) break;
    if (chosen.length > 0 && chunk.score === 0) break;
    if (chunk.markdown.length > room) continue;
    room -= chunk.markdown.length;
    chosen.push(chunk);
  }
  return chosen;
}
