import { HINTS } from '../hints.ts';
import type { Block, Region } from '../regions.ts';

const HEADING = /^h[1-6]$/;
/** Maximum blocks examined below a heading. */
const BLOCKS_BELOW_MAX = 12;

/** Keeps a heading when at least half of the words below it are kept. */
export function followHeadings(blocks: Block[], kept: boolean[]): void {
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    const level = readLevel(blocks[index]);
    if (level === 0) continue;
    const below = countWordsBelow(blocks, kept, index, level);
    if (!kept[index] && below.kept > 0 && below.kept >= below.left) kept[index] = true;
  }
  dropThemeHeadings(blocks, kept);
  dropOrphanHeadings(blocks, kept);
}

/** Names of boxes beside the content, of which a heading alone says nothing ("You may also like", "Share this"). */
const ASIDE = HINTS.related | HINTS.share | HINTS.subscribe;
const LEVELS_UP_MAX = 4;

/** Drops a heading in a box beside the content when it is all that was kept of the box. */
function dropOrphanHeadings(blocks: Block[], kept: boolean[]): void {
  for (const [index, block] of blocks.entries()) {
    if (!kept[index] || readLevel(block) === 0) continue;
    let up: Region | null = block.region;
    for (let level = 0; up !== null && level < LEVELS_UP_MAX && (up.hints & ASIDE) === 0; level += 1)
      up = up.parent;
    if (up !== null && (up.hints & ASIDE) !== 0 && isOnlyHeadings(up, blocks, kept)) kept[index] = false;
  }
}

function isOnlyHeadings({ from, to }: Region, blocks: Block[], kept: boolean[]): boolean {
  let left = 0;
  for (let at = from; at < to; at += 1) {
    if (!kept[at]) left += 1;
    else if (readLevel(blocks[at]) === 0) return false;
  }
  return left > 0;
}

/** Drops an `h1` that is only a link if the next kept block is another `h1`: it names the site, on each of its pages. */
function dropThemeHeadings(blocks: Block[], kept: boolean[]): void {
  let next = -1;
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    const block = blocks[index];
    if (block === undefined || !kept[index]) continue;
    const isMain = readLevel(block) === 1;
    const isLink = block.tally.words > 0 && block.tally.linkWords === block.tally.words;
    if (isMain && isLink && next !== -1 && readLevel(blocks[next]) === 1) kept[index] = false;
    else next = index;
  }
}

function countWordsBelow(
  blocks: Block[],
  kept: boolean[],
  heading: number,
  level: number,
): { kept: number; left: number } {
  const words = { kept: 0, left: 0 };
  const end = Math.min(blocks.length, heading + 1 + BLOCKS_BELOW_MAX);
  for (let at = heading + 1; at < end; at += 1) {
    const other = readLevel(blocks[at]);
    if (other !== 0 && other <= level) break;
    const size = blocks[at]?.tally.words ?? 0;
    if (kept[at]) words.kept += size;
    else words.left += size;
  }
  return words;
}

function readLevel(block: Block | undefined): number {
  const tag = block?.region.element.tag ?? '';
  return HEADING.test(tag) ? Number(tag[1]) : 0;
}
