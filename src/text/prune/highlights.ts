import type { ScoredChunk } from '../chunk/chunk.ts';
import { isContained, type Runs, runsOf } from '../near-duplicates/near-duplicates.ts';
import { wordsOf } from '../words/words.ts';

/** Chunks tried for each highlight wanted: bounds the work on a page that repeats one sentence. */
const TRIED_PER_HIGHLIGHT = 8;

/**
 * The best chunks, best first, at most `perUrl` and together at most `charsMax` characters, no two near-identical. Chunks that
 * are not relevant are left out, except the best one.
 */
export function highlightsOf(
  scored: ScoredChunk[],
  bounds: { perUrl: number; charsMax: number | null },
): ScoredChunk[] {
  const best = scored.toSorted((left, right) => right.score - left.score || left.start - right.start);
  const chosen: ScoredChunk[] = [];
  const shown: Runs[] = [];
  let room = bounds.charsMax ?? Number.POSITIVE_INFINITY;
  for (const chunk of best.slice(0, bounds.perUrl * TRIED_PER_HIGHLIGHT)) {
    if (chosen.length >= bounds.perUrl) break;
    if (chosen.length > 0 && chunk.score === 0) break;
    if (chunk.markdown.length > room) continue;
    const runs = runsOf(wordsOf(chunk.markdown, null));
    if (chosen.some(({ markdown }) => markdown === chunk.markdown)) continue;
    // A chunk that mostly repeats a chosen one adds nothing.
    if (shown.some((other) => isContained(runs, other))) continue;
    room -= chunk.markdown.length;
    chosen.push(chunk);
    shown.push(runs);
  }
  return chosen;
}
