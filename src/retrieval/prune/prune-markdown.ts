import type { ScoredChunk } from '../page.ts';

/** Pages below this length are not pruned: there is nothing to win. */
const WHOLE_PAGE_CHARS = 1_200;
/** A chunk is kept when its score is at least this share of the best one's; the best few when it is at least the lower one. */
const KEPT_SHARE = 0.55;
const BEST_CHUNKS = 3;
const BEST_SHARE = 0.25;
const CHUNKS_MAX = 10;
/** What stands for a page on which nothing bears on the question: its opening. */
const OPENING_CHUNKS = 2;
const LEFT_OUT = '[…]';

/** The page reduced to the chunks that bear on the query, in page order, with the headings above them and `[…]` for what was left out. */
export function pruneMarkdown(markdown: string, scored: ScoredChunk[]): string {
  if (markdown.length <= WHOLE_PAGE_CHARS) return markdown;
  const kept = keptChunks(scored);
  const parts: string[] = [];
  let shownPath: string[] = [];
  let end = 0;
  for (const chunk of kept) {
    if (chunk.start > end && markdown.slice(end, chunk.start).trim() !== '') parts.push(LEFT_OUT);
    const headings = missingHeadings(chunk, shownPath);
    if (headings !== '') parts.push(headings);
    parts.push(chunk.markdown);
    shownPath = chunk.headingPath;
    end = chunk.end;
  }
  if (markdown.slice(end).trim() !== '') parts.push(LEFT_OUT);
  return parts.join('\n\n');
}

function keptChunks(scored: ScoredChunk[]): ScoredChunk[] {
  const top = Math.max(0, ...scored.map(({ score }) => score));
  if (top === 0) return scored.slice(0, OPENING_CHUNKS);
  return scored
    .toSorted((left, right) => right.score - left.score)
    .filter(({ score }, place) => score >= top * (place < BEST_CHUNKS ? BEST_SHARE : KEPT_SHARE))
    .slice(0, CHUNKS_MAX)
    .sort((left, right) => left.start - right.start);
}

/** The headings over a chunk that neither stand in it nor were shown above it, one line each by depth. */
function missingHeadings(chunk: ScoredChunk, shown: string[]): string {
  const lines: string[] = [];
  for (const [depth, heading] of chunk.headingPath.entries()) {
    const own = chunk.markdown.startsWith('#') && depth === chunk.headingPath.length - 1;
    if (!own && shown[depth] !== heading) lines.push(`${'#'.repeat(Math.min(6, depth + 1))} ${heading}`);
  }
  return lines.join('\n\n');
}
