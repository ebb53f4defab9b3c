import { detectTableKind, isTable } from '../../table-shape.ts';
import { CLUE_NAMES, type Clues } from '../clues.ts';
import type { PageView } from '../comments.ts';
import { findLeftOutReasons } from '../left-out-reasons.ts';
import { isInMargin } from '../margin.ts';
import type { Block, Region } from '../regions.ts';

/** Minimum probability of a block in a gap, lower than elsewhere because the surrounding text supports it. */
const HOLE_PROBABILITY_MIN = 0.1;
const LINK_SHARE_MAX = 0.6;
/** Share of code and definitions above which a page is a reference. */
const REFERENCE_SHARE = 0.1;
/** Maximum share of the words of documentation that may be left out for the model's score alone. */
const UNEXPLAINED_SHARE_MAX = 0.1;
const WHOLE_PAGE = new Set(['html', 'body', '#root']);
const CODE_TAGS = new Set(['pre']);
const REFERENCE_TAGS = new Set(['pre', 'dd', 'dt']);
const LEVELS_UP = 4;
/** Maximum words of a caption; a longer one is judged as a text of its own. */
const CAPTION_WORDS_MAX = 80;
const REFERENCE_CLUES = ['madeForDocs', 'urlDocs'].map((name) => CLUE_NAMES.indexOf(name));

/**
 * Keeps the body of a reference, and code between kept texts of any page, except blocks that are clearly
 * something else. The threshold of a long page is high, and a missing entry may be the one that a reader needs.
 */
export function fillHoles(view: PageView, probabilities: Float32Array, kept: boolean[]): void {
  const everything = isReference(view);
  const body = findBody(view, kept);
  const { from, to } = everything ? body : { from: kept.indexOf(true), to: kept.lastIndexOf(true) };
  for (let index = Math.max(0, from); index < to; index += 1) {
    const block = view.blocks[index];
    if (block === undefined || kept[index] || (everything && isInMargin(block.region, body.within))) continue;
    const isCode = isWithin(block.region, CODE_TAGS);
    // The examples of a reference always belong to it.
    if (!(everything && isCode) && (probabilities[index] ?? 0) < HOLE_PROBABILITY_MIN) continue;
    const { words, linkWords } = block.tally;
    if (linkWords > words * LINK_SHARE_MAX) continue;
    if (everything || isCode) kept[index] = true;
  }
  keepCode(view, kept, body.within);
}

/** Keeps code between kept texts, and after the last one of a section, whatever its score and links. */
function keepCode({ blocks }: PageView, kept: boolean[], body: Region | null): void {
  let text = -1;
  for (let from = 0; from < blocks.length; from += 1) {
    if (!isCodeBlock(blocks[from])) {
      text = from;
      continue;
    }
    let to = from + 1;
    while (to < blocks.length && isCodeBlock(blocks[to])) to += 1;
    const section = blocks[text]?.region.parent ?? null;
    const isLast = section !== null && section.to === to;
    if (text !== -1 && kept[text] && (kept[to] || isLast))
      keepOutsideMargins(blocks, kept, { from, to, body });
    from = to - 1;
  }
}

function keepOutsideMargins(
  blocks: Block[],
  kept: boolean[],
  { from, to, body }: { from: number; to: number; body: Region | null },
): void {
  for (const [place, { region }] of blocks.slice(from, to).entries())
    if (!isInMargin(region, body)) kept[from + place] = true;
}

const isCodeBlock = (block: Block | undefined): boolean =>
  block !== undefined && isWithin(block.region, CODE_TAGS);

/**
 * Finds the blocks of the smallest region around everything kept: the body of a reference, whose last entries and examples a long
 * page's threshold may have cut off. The page itself, with its menus, does not count.
 */
function findBody(
  { blocks }: PageView,
  kept: boolean[],
): { from: number; to: number; within: Region | null } {
  const first = kept.indexOf(true);
  const last = kept.lastIndexOf(true);
  for (let up: Region | null = blocks[first]?.region ?? null; up !== null; up = up.parent) {
    if (WHOLE_PAGE.has(up.element.tag)) break;
    if (up.from <= first && up.to > last) return { from: up.from, to: up.to, within: up };
  }
  return { from: first, to: last, within: null };
}

function isReference({ blocks, clues }: PageView): boolean {
  if (isDocumentation(clues)) return true;
  let words = 0;
  let reference = 0;
  for (const { region, tally } of blocks) {
    words += tally.words;
    if (isWithin(region, REFERENCE_TAGS)) reference += tally.words;
  }
  return reference > words * REFERENCE_SHARE;
}

/** Returns whether a page is documentation, by its address or its generator. */
const isDocumentation = ({ numbers }: Clues): boolean => REFERENCE_CLUES.some((at) => numbers[at] === 1);

function isWithin(region: Region, tags: Set<string>): boolean {
  let level = 0;
  for (let up: Region | null = region; up !== null && level < LEVELS_UP; up = up.parent, level += 1) {
    if (tags.has(up.element.tag)) return true;
  }
  return false;
}

/** Keeps a figure with its caption, or a data table, between kept texts, since the text refers to it. */
export function keepFigures(regions: Region[], blocks: Block[], kept: boolean[]): void {
  for (const region of regions) {
    if (region.to === region.from || !(region.element.tag === 'figure' || isPlainData(region))) continue;
    const before = blocks[region.from - 1];
    const after = blocks[region.to];
    if (before === undefined || after === undefined || !kept[region.from - 1] || !kept[region.to]) continue;
    const fits = region.element.tag !== 'figure' || region.sum.words <= CAPTION_WORDS_MAX;
    if (fits) kept.fill(true, region.from, region.to);
  }
}

function isPlainData({ element, sum }: Region): boolean {
  return (
    isTable(element) && sum.linkWords <= sum.words * LINK_SHARE_MAX && detectTableKind(element) === 'data'
  );
}

/**
 * Keeps blocks of documentation that only the model's score would drop, when they are many: the model does not know this kind of page,
 * such as parameters of an API in boxes that are named like form fields.
 */
export function keepUnexplained(view: PageView, kept: boolean[]): void {
  if (!isDocumentation(view.clues)) return;
  const { blocks } = view;
  const reasons = findLeftOutReasons(view, kept);
  let words = 0;
  let unexplained = 0;
  for (const [index, { tally }] of blocks.entries()) {
    words += tally.words;
    if (reasons[index] === 'score') unexplained += tally.words;
  }
  if (unexplained <= words * UNEXPLAINED_SHARE_MAX) return;
  for (const [index, reason] of reasons.entries()) if (reason === 'score') kept[index] = true;
}
