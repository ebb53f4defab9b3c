import type { FeatureGroup } from '../view.ts';

/** The position of a block on the page. */
export const position: FeatureGroup = {
  names: [
    'index',
    'indexShare',
    'wordsBeforeShare',
    'depth',
    'fromEnd',
    'sinceTitle',
    'wordsSinceTitle',
    'textBeforeShare',
    'hasTitle',
  ],
  prepare({ cut, blocks }) {
    const pageWords = Math.max(1, cut.regions[0]?.sum.words ?? 1);
    const title = blocks.findIndex(({ region }) => region.element.tag === 'h1');
    const before = new Float64Array(blocks.length + 1);
    const running = new Float64Array(blocks.length + 1);
    for (const [index, { tally }] of blocks.entries()) {
      before[index + 1] = (before[index] ?? 0) + tally.words;
      running[index + 1] = (running[index] ?? 0) + (tally.words > 10 ? tally.words - tally.linkWords : 0);
    }
    const runningWords = Math.max(1, running[blocks.length] ?? 1);
    return (row, at, index) => {
      row[at++] = index;
      row[at++] = index / blocks.length;
      row[at++] = (before[index] ?? 0) / pageWords;
      row[at++] = blocks[index]?.region.depth ?? 0;
      row[at++] = blocks.length - index;
      row[at++] = title === -1 ? -999 : index - title;
      row[at++] = title === -1 ? -999 : (before[index] ?? 0) - (before[title] ?? 0);
      row[at++] = (running[index] ?? 0) / runningWords;
      row[at++] = title === -1 ? 0 : 1;
    };
  },
};
