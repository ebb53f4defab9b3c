import { CLUE_NAMES } from '../clues.ts';
import { HINTS } from '../hints.ts';
import type { Block } from '../regions.ts';
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
const TAG_SHARES = ['p', 'li', 'td', 'pre', 'a', 'dd', 'h2', 'h3'];

/** What kind of page it is; the same for all of its blocks. */
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
    const share = (fits: (block: Block) => boolean): number => {
      let found = 0;
      for (const block of blocks) if (fits(block)) found += block.tally.words;
      return found / words;
    };
    const numbers = [
      ...clues.numbers,
      words,
      blocks.length,
      (sum?.linkWords ?? 0) / words,
      (sum?.stops ?? 0) / words,
      share(({ tally }) => tally.words >= 25 && tally.linkWords * 3 < tally.words),
      blocks.reduce((most, { tally }) => Math.max(most, tally.words), 0),
      ...HINT_SHARES.map((name) => {
        let found = 0;
        for (const { hints } of cut.regions) if ((hints & HINTS[name]) !== 0) found += 1;
        return found;
      }),
      ...TAG_SHARES.map((tag) => share(({ region }) => region.element.tag === tag)),
      cut.regions.reduce((count, { element }) => count + (element.tag === 'article' ? 1 : 0), 0),
    ];
    return (row, at) => {
      for (const number of numbers) row[at++] = number;
    };
  },
};
