import { CLUE_NAMES } from '../clues.ts';
import { HINTS } from '../hints.ts';
import type { Block, Region } from '../regions.ts';
import type { FeatureGroup } from '../view.ts';

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
export const wholePage: FeatureGroup = {
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
