import { matchPhrases } from '../phrases.ts';
import type { Block } from '../regions.ts';
import type { FeatureGroup } from '../view.ts';

const OFFSETS = [-1, 1];
const WINDOWS = [3, 8, 20];
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Features of the blocks before and after, of windows around the block, and of the heading above. */
export const neighbours: FeatureGroup = {
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
