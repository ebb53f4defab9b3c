/**
 * The feature table: one row of numbers per block, the input of the model. Each other file of this folder computes one or two groups
 * of columns. Changing, adding or reordering columns requires a newly trained model.
 */
import { CLUE_NAMES } from '../clues.ts';
import { type FeatureGroup, matchPhrases, type PageView } from '../comments.ts';
import { HINTS } from '../hints.ts';
import { createWordCounter } from '../page-title.ts';
import { placesAbove } from '../page-view.ts';
import type { Block, Region } from '../regions.ts';
import { landmarks, position } from './position.ts';
import { repetition } from './repetition.ts';

const DEPTHS = ['own', 'up1', 'up2', 'up3', 'up5', 'section', 'top'];
const SECTION = /^(?:section|article|main|aside|nav|header|footer|form|ul|ol|table|dl|tbody|#root|body)$/;
/** Features of the regions around a block. */
const surroundings: FeatureGroup = {
  names: [
    ...DEPTHS.flatMap((level) =>
      ['words', 'linkShare', 'stopShare', 'blockWords', 'children'].map((name) => `${level}:${name}`),
    ),
    'inContainer',
    'containerShare',
    'containerDepthBelow',
    'sharedDepth',
    'overContainer',
    'containerWordShare',
  ],
  prepare({ cut, blocks, container }) {
    const pageWords = Math.max(1, cut.regions[0]?.sum.words ?? 1);
    const holds = new Uint8Array(cut.regions.length);
    for (let up: Region | null = container; up !== null; up = up.parent) holds[up.index] = 1;
    return (row, at, index) => {
      const region = blocks[index]?.region;
      if (region === undefined) return;
      const up1 = region.parent ?? region;
      const up2 = up1.parent ?? up1;
      const up3 = up2.parent ?? up2;
      const up5 = up3.parent?.parent ?? up3;
      const section = findNearestSection(region);
      for (const each of [region, up1, up2, up3, up5, section, findTopRegion(region, holds)]) {
        const { sum } = each;
        const words = Math.max(1, sum.words);
        row[at++] = sum.words;
        row[at++] = sum.linkWords / words;
        row[at++] = sum.stops / words;
        row[at++] = sum.words / Math.max(1, each.to - each.from);
        row[at++] = each.childRegions;
      }
      const inside = index >= container.from && index < container.to;
      let shared = region;
      while (holds[shared.index] === 0 && shared.parent !== null) shared = shared.parent;
      row[at++] = inside ? 1 : 0;
      row[at++] = container.sum.words / Math.max(1, shared.sum.words);
      row[at++] = region.depth - container.depth;
      row[at++] = container.depth - shared.depth;
      row[at++] = region.depth - shared.depth;
      row[at++] = container.sum.words / pageWords;
    };
  },
};

const OFFSETS = [-1, 1];
const WINDOWS = [3, 8, 20];
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
/** Features of the blocks before and after, of windows around the block, and of the heading above. */
const neighbours: FeatureGroup = {
  names: [
    ...OFFSETS.flatMap((offset) =>
      ['words', 'linkShare', 'stops', 'shared'].map((name) => `at${offset}:${name}`),
    ),
    ...WINDOWS.flatMap((size) =>
      ['words', 'linkShare', 'stopShare', 'longShare'].map((name) => `near${size}:${name}`),
    ),
    'sinceHeading',
    'wordsSinceHeading',
    'lastHeadingLevel',
    'headingSays',
    'wordsToHeading',
  ],
  prepare({ blocks, texts }) {
    const sums = computeRunningSums(blocks);
    const last = findLastHeadings(blocks);
    const next = findNextHeadings(blocks);
    const says = new Map<number, number>();
    return (row, at, index) => {
      const block = blocks[index];
      if (block === undefined) return;
      for (const offset of OFFSETS) {
        const other = blocks[index + offset];
        row[at++] = other?.tally.words ?? -1;
        row[at++] = other === undefined ? -1 : other.tally.linkWords / Math.max(1, other.tally.words);
        row[at++] = other?.tally.stops ?? -1;
        row[at++] = other === undefined ? 0 : scoreKinship(block, other);
      }
      for (const size of WINDOWS) {
        const from = Math.max(0, index - size) * 4;
        const to = Math.min(blocks.length, index + size + 1) * 4;
        const words = Math.max(1, (sums[to] ?? 0) - (sums[from] ?? 0));
        row[at++] = words;
        row[at++] = ((sums[to + 1] ?? 0) - (sums[from + 1] ?? 0)) / words;
        row[at++] = ((sums[to + 2] ?? 0) - (sums[from + 2] ?? 0)) / words;
        row[at++] = ((sums[to + 3] ?? 0) - (sums[from + 3] ?? 0)) / words;
      }
      const heading = last[index] ?? -1;
      const above = blocks[heading];
      if (above !== undefined && !says.has(heading))
        says.set(heading, matchPhrases(texts[heading] ?? '', above.tally.words));
      const bits = says.get(heading) ?? 0;
      row[at++] = above === undefined ? -1 : index - heading;
      row[at++] = above === undefined ? -1 : (sums[index * 4] ?? 0) - (sums[heading * 4] ?? 0);
      row[at++] = above === undefined ? 0 : Number(above.region.element.tag[1]);
      row[at++] = bits === 0 ? 0 : 32 - Math.clz32(bits);
      row[at++] = (sums[(next[index] ?? blocks.length) * 4] ?? 0) - (sums[index * 4] ?? 0);
    };
  },
};
const LONG_WORDS = 15;

const HINT_SHARES = [
  'comment',
  'post',
  'product',
  'card',
  'article',
  'price',
  'related',
  'main',
  'review',
] as const;
const TAG_SHARES = ['p', 'li', 'td', 'pre', 'h2', 'h3'];
/** Features of the kind of page, the same for all of its blocks. */
const wholePage: FeatureGroup = {
  names: [
    ...CLUE_NAMES.map((name) => `page:${name}`),
    'page:words',
    'page:blocks',
    'page:linkShare',
    'page:stopShare',
    'page:longShare',
    'page:longest',
    ...HINT_SHARES.map((name) => `page:hint:${name}`),
    ...TAG_SHARES.map((tag) => `page:in:${tag}`),
    'page:articles',
  ],
  prepare({ cut, blocks, clues }) {
    const sum = cut.regions[0]?.sum;
    const words = Math.max(1, sum?.words ?? 1);
    const byTag = countWordsByTag(blocks);
    const numbers = Float32Array.of(
      ...clues.numbers,
      words,
      blocks.length,
      (sum?.linkWords ?? 0) / words,
      (sum?.stops ?? 0) / words,
      countLongWords(blocks) / words,
      blocks.reduce((most, { tally }) => Math.max(most, tally.words), 0),
      ...countHints(cut.regions),
      ...TAG_SHARES.map((tag) => (byTag.get(tag) ?? 0) / words),
      cut.regions.reduce((count, { element }) => count + (element.tag === 'article' ? 1 : 0), 0),
    );
    return (row, at) => {
      for (let place = 0; place < numbers.length; place += 1) row[at + place] = numbers[place] as number;
    };
  },
};

const NAMES = [
  ...['words', 'chars', 'linkShare', 'stops', 'digitShare', 'capitalShare', 'texts', 'endsStop'],
  ...['headingLevel', 'tagIndex', 'inlineHints', 'inTitle', 'titleShare'],
];
/** Features of a block's own text and element. */
const own: FeatureGroup = {
  names: NAMES,
  prepare({ blocks, texts, clues }) {
    const wordsIn = createWordCounter(clues.titleWords);
    const titleSize = Math.max(1, clues.titleWords.size);
    return (row, at, index) => {
      const block = blocks[index];
      const text = texts[index] ?? '';
      if (block === undefined) return;
      const { tally, region } = block;
      const words = Math.max(1, tally.words);
      const chars = Math.max(1, tally.chars);
      const { tag } = region.element;
      const inTitle = tally.words <= 40 ? wordsIn(text) : 0;
      row[at++] = tally.words;
      row[at++] = tally.chars;
      row[at++] = tally.linkWords / words;
      row[at++] = tally.stops;
      row[at++] = tally.digits / chars;
      row[at++] = tally.capitals / chars;
      row[at++] = block.texts.length;
      row[at++] = isSentenceEnd(text) ? 1 : 0;
      row[at++] = LEVELS.get(tag) ?? 0;
      row[at++] = ORDER.get(tag) ?? ORDER.size;
      row[at++] = block.hints === 0 ? 0 : 32 - Math.clz32(block.hints);
      row[at++] = inTitle / words;
      row[at++] = inTitle / titleSize;
    };
  },
};
const STOPS = '.!?。！？…';
const CLOSING = '"\'”’)';
const LEVELS = new Map(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((tag, index) => [tag, index + 1]));
/** Tags ordered from running text to controls, so that one threshold separates them. */
const ORDER = new Map(
  'p pre blockquote dd h1 h2 h3 h4 h5 h6 td th dt li figcaption section article div summary header label a legend button footer nav aside form'
    .split(' ')
    .map((tag, index) => [tag, index]),
);

const GROUPS: FeatureGroup[] = [
  own,
  placesAbove,
  surroundings,
  neighbours,
  repetition,
  position,
  landmarks,
  wholePage,
];

/** The columns of the feature table. A trained model is valid for exactly these, in this order. */
export const FEATURE_NAMES: readonly string[] = GROUPS.flatMap(({ names }) => names);

const numbers = createNumberBuffer();

/** Builds a row of `FEATURE_NAMES.length` numbers for each block. The table is valid until the next page's is built. */
export function buildFeatureTable(view: PageView): Float32Array {
  const width = FEATURE_NAMES.length;
  const table = numbers(view.blocks.length * width);
  let column = 0;
  for (const group of GROUPS) {
    const fill = group.prepare(view);
    for (let index = 0; index < view.blocks.length; index += 1) fill(table, index * width + column, index);
    column += group.names.length;
  }
  return table;
}

/** Returns whether a text ends with a stop, or with a stop and a closing quotation mark or bracket. */
function isSentenceEnd(text: string): boolean {
  const last = text.charAt(text.length - 1);
  if (last === '') return false;
  if (STOPS.includes(last)) return true;
  const before = text.charAt(text.length - 2);
  return before !== '' && CLOSING.includes(last) && STOPS.includes(before);
}

function countWordsByTag(blocks: Block[]): Map<string, number> {
  const words = new Map<string, number>();
  for (const { region, tally } of blocks) {
    const { tag } = region.element;
    words.set(tag, (words.get(tag) ?? 0) + tally.words);
  }
  return words;
}

/** Counts the words in long blocks that are not mostly links. */
function countLongWords(blocks: Block[]): number {
  let found = 0;
  for (const { tally } of blocks)
    if (tally.words >= 25 && tally.linkWords * 3 < tally.words) found += tally.words;
  return found;
}

/** Counts the regions with each hint. */
function countHints(regions: Region[]): number[] {
  const counts = HINT_SHARES.map(() => 0);
  const bits = HINT_SHARES.map((name) => HINTS[name]);
  for (const { hints } of regions) {
    if (hints === 0) continue;
    for (let place = 0; place < bits.length; place += 1)
      if ((hints & (bits[place] as number)) !== 0) counts[place] = (counts[place] as number) + 1;
  }
  return counts;
}

/** Computes four running sums before each block: words, words in links, sentence ends, words in long blocks. */
function computeRunningSums(blocks: Block[]): Float64Array {
  const sums = new Float64Array((blocks.length + 1) * 4);
  for (let index = 0; index < blocks.length; index += 1) {
    const { tally } = blocks[index] as Block;
    const at = index * 4;
    sums[at + 4] = (sums[at] ?? 0) + tally.words;
    sums[at + 5] = (sums[at + 1] ?? 0) + tally.linkWords;
    sums[at + 6] = (sums[at + 2] ?? 0) + tally.stops;
    sums[at + 7] = (sums[at + 3] ?? 0) + (tally.words >= LONG_WORDS ? tally.words - tally.linkWords : 0);
  }
  return sums;
}

function findLastHeadings(blocks: Block[]): Int32Array {
  const last = new Int32Array(blocks.length);
  let heading = -1;
  for (let index = 0; index < blocks.length; index += 1) {
    last[index] = heading;
    if (HEADINGS.has(blocks[index]?.region.element.tag ?? '')) heading = index;
  }
  return last;
}

function findNextHeadings(blocks: Block[]): Int32Array {
  const next = new Int32Array(blocks.length);
  let heading = blocks.length;
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    next[index] = heading;
    if (HEADINGS.has(blocks[index]?.region.element.tag ?? '')) heading = index;
  }
  return next;
}

/** Scores how close two blocks are: 3 for the same region, 2 for siblings, 1 for cousins, 0 for others. */
function scoreKinship(one: Block, other: Block): number {
  if (one.region === other.region) return 3;
  if (one.region.parent === other.region.parent) return 2;
  return one.region.parent?.parent === other.region.parent?.parent ? 1 : 0;
}

function findNearestSection(region: Region): Region {
  let up = region;
  while (up.parent !== null && !SECTION.test(up.element.tag)) up = up.parent;
  return up;
}

/** Finds the outermost region around the block that does not contain the main container. */
function findTopRegion(region: Region, holds: Uint8Array): Region {
  let up = region;
  while (up.parent !== null && holds[up.parent.index] === 0) up = up.parent;
  return up;
}

/** Maximum numbers in the shared buffer; larger pages get memory of their own. Real pages seldom need a fifth of it. */
const KEPT_MAX = 1_000_000;

/**
 * Creates a buffer for the numbers of one page at a time; fresh memory would have to be cleared, and faulted in, for each page.
 * It still contains the numbers of the previous page.
 */
export function createNumberBuffer(): (count: number) => Float32Array {
  let kept = new Float32Array(0);
  return (count) => {
    if (count > KEPT_MAX) return new Float32Array(count);
    if (kept.length < count) kept = new Float32Array(Math.min(KEPT_MAX, count * 2));
    return kept.subarray(0, count);
  };
}
