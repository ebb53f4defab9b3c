import type { ScoredChunk } from '../chunk/chunk-markdown.ts';
import { buildRuns, isContained, type Runs } from '../near-duplicates/near-duplicates.ts';
import { tokenizeWords } from '../words/words.ts';

/** Maximum chunks tried per requested highlight: bounds the work on a page that repeats one sentence. */
const TRIED_PER_HIGHLIGHT = 8;

/**
 * Chooses the best chunks, best first, at most `perUrl` and together at most `charsMax` characters, no two near-identical. Chunks
 * that are not relevant are left out, except the best one.
 */
export function chooseHighlights(
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
    const runs = buildRuns(tokenizeWords(chunk.markdown, null));
    if (chosen.some(({ markdown }) => markdown === chunk.markdown)) continue;
    // A chunk that mostly repeats a chosen one adds nothing, unless it describes another entry.
    if (shown.some((other, place) => isContained(runs, other) && !isOtherEntry(chunk, chosen[place])))
      continue;
    room -= chunk.markdown.length;
    chosen.push(chunk);
    shown.push(runs);
  }
  return chosen;
}

/** Matches a list entry that begins with its name. */
const NAMED =
  /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+((?:\*\*[^*\n]{1,80}\*\*|`[^`\n]{1,80}`)(?:, `[^`\n]{1,80}`)*)/;

/**
 * True when a chunk is an entry under another name: two options are often described in the same words, and words do not include
 * signs.
 */
function isOtherEntry(chunk: ScoredChunk, other: ScoredChunk | undefined): boolean {
  const name = NAMED.exec(chunk.markdown)?.[1];
  return name !== undefined && name !== NAMED.exec(other?.markdown ?? '')?.[1];
}
