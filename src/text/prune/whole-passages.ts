import type { Place, ScoredChunk } from '../chunk/chunk-markdown.ts';
import { type MarkdownBlock, parseMarkdownBlocks } from '../markup/markdown-blocks.ts';
import { chooseHighlights } from './highlights.ts';

/** A passage of a page that begins and ends where blocks do, with the headings above it. */
export type WholePassage = Place & { markdown: string; score: number };

/**
 * Chooses the best passages of a page, best first, without overlap. Each is a chunk widened to whole blocks, with the heading right above
 * it, the code that its prose introduces and the prose that introduces its code, as far as `charsMax` allows. Only a block that is longer
 * than that is cut, as chunks are.
 */
export function chooseWholePassages(
  markdown: string,
  scored: ScoredChunk[],
  { perPage, charsMax }: { perPage: number; charsMax: number },
): WholePassage[] {
  const blocks = parseMarkdownBlocks(markdown);
  const taken = new Set<number>();
  const passages: WholePassage[] = [];
  for (const chunk of chooseHighlights(scored, { perUrl: perPage, charsMax: null })) {
    const core = findCore(blocks, chunk, taken);
    if (core === null) continue;
    const { first, last } = widen(blocks, core, { taken, charsMax });
    for (let at = first; at <= last; at += 1) taken.add(at);
    const [start, end] = [blocks[first]?.start ?? 0, blocks[last]?.end ?? 0];
    const headingPath = (blocks[last]?.headings ?? []).map(({ text }) => text);
    const { score } = chunk;
    passages.push(
      end - start > charsMax
        ? { markdown: chunk.markdown, start: chunk.start, end: chunk.end, headingPath, score }
        : { markdown: markdown.slice(start, end), start, end, headingPath, score },
    );
  }
  return passages;
}

/** The first and last of some blocks that follow each other. */
type BlockRange = { first: number; last: number };

/** Finds the blocks that a chunk lies in, without those of other passages; null if none is left. */
function findCore(
  blocks: readonly MarkdownBlock[],
  chunk: ScoredChunk,
  taken: ReadonlySet<number>,
): BlockRange | null {
  let first = blocks.findIndex(({ end }) => end > chunk.start);
  let last = blocks.findLastIndex(({ start }) => start < chunk.end);
  if (first === -1) return null;
  while (first <= last && taken.has(first)) first += 1;
  while (last >= first && (taken.has(last) || blocks[last]?.kind === 'heading')) last -= 1;
  for (let at = first; at <= last; at += 1) if (taken.has(at)) last = at - 1;
  return first > last ? null : { first, last };
}

function widen(
  blocks: readonly MarkdownBlock[],
  { first, last }: BlockRange,
  { taken, charsMax }: { taken: ReadonlySet<number>; charsMax: number },
): BlockRange {
  const range = { first, last };
  const take = (at: number): boolean => {
    const block = blocks[at];
    if (block === undefined || taken.has(at)) return false;
    const start = Math.min(blocks[range.first]?.start ?? 0, block.start);
    const end = Math.max(blocks[range.last]?.end ?? 0, block.end);
    if (end - start > charsMax) return false;
    range.first = Math.min(range.first, at);
    range.last = Math.max(range.last, at);
    return true;
  };
  const isCode = (at: number): boolean => blocks[at]?.kind === 'code';
  const isProse = (at: number): boolean => blocks[at]?.kind === 'text';
  const isSameSection = (one: number, other: number): boolean =>
    blocks[one]?.headings === blocks[other]?.headings;
  if (isProse(last) && isCode(last + 1) && isSameSection(last, last + 1)) take(last + 1);
  if (isCode(first) && isProse(first - 1) && isSameSection(first, first - 1)) take(first - 1);
  if (blocks[range.first]?.kind !== 'heading' && blocks[range.first - 1]?.kind === 'heading')
    take(range.first - 1);
  return range;
}
