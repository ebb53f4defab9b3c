import { CLUE_NAMES } from './clues.ts';
import type { Region } from './regions.ts';
import type { PageView } from './view.ts';

/** In a hole the text around speaks for a block, so that less is asked of itself. */
const HOLE_PROBABILITY_MIN = 0.1;
const LINK_SHARE_MAX = 0.6;
/** A page with more than this share of code and definitions is a reference. */
const REFERENCE_SHARE = 0.1;
const CODE_TAGS = new Set(['pre']);
const REFERENCE_TAGS = new Set(['pre', 'dd', 'dt']);
const LEVELS_UP = 4;
const REFERENCE_CLUES = ['madeForDocs', 'urlDocs'].map((name) => CLUE_NAMES.indexOf(name));

/**
 * Keeps what stands between kept texts of a reference, and code between kept texts of any page, unless it is clearly
 * something else. A long page's threshold is high, and there the entry that is missing is the one that is looked for.
 */
export function fillHoles(view: PageView, probabilities: Float32Array, kept: boolean[]): void {
  const everything = isReference(view);
  const last = kept.lastIndexOf(true);
  for (let index = kept.indexOf(true); index >= 0 && index < last; index += 1) {
    const block = view.blocks[index];
    if (block === undefined || (probabilities[index] ?? 0) < HOLE_PROBABILITY_MIN) continue;
    const { words, linkWords } = block.tally;
    if (linkWords > words * LINK_SHARE_MAX) continue;
    if (everything || isWithin(block.region, CODE_TAGS)) kept[index] = true;
  }
}

function isReference({ blocks, clues }: PageView): boolean {
  if (REFERENCE_CLUES.some((at) => clues.numbers[at] === 1)) return true;
  let words = 0;
  let reference = 0;
  for (const { region, tally } of blocks) {
    words += tally.words;
    if (isWithin(region, REFERENCE_TAGS)) reference += tally.words;
  }
  return reference > words * REFERENCE_SHARE;
}

function isWithin(region: Region, tags: Set<string>): boolean {
  let level = 0;
  for (let up: Region | null = region; up !== null && level < LEVELS_UP; up = up.parent, level += 1) {
    if (tags.has(up.element.tag)) return true;
  }
  return false;
}
