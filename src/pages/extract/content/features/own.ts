import { createWordCounter } from '../page-title.ts';
import type { FeatureGroup } from '../view.ts';

const NAMES = [
  ...['words', 'chars', 'linkShare', 'stops', 'digitShare', 'capitalShare', 'texts', 'endsStop'],
  ...['headingLevel', 'tagIndex', 'inlineHints', 'inTitle', 'titleShare'],
];

/** Features of a block's own text and element. */
export const own: FeatureGroup = {
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

/** Returns whether a text ends with a stop, or with a stop and a closing quotation mark or bracket. */
function isSentenceEnd(text: string): boolean {
  const last = text.charAt(text.length - 1);
  if (last === '') return false;
  if (STOPS.includes(last)) return true;
  const before = text.charAt(text.length - 2);
  return before !== '' && CLOSING.includes(last) && STOPS.includes(before);
}

const LEVELS = new Map(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((tag, index) => [tag, index + 1]));
/** Tags ordered from running text to controls, so that one threshold separates them. */
const ORDER = new Map(
  'p pre blockquote dd h1 h2 h3 h4 h5 h6 td th dt li figcaption section article div summary header label a legend button footer nav aside form'
    .split(' ')
    .map((tag, index) => [tag, index]),
);
