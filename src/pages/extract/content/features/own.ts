import { PHRASE_NAMES, phrasesIn } from '../phrases.ts';
import type { FeatureGroup } from '../view.ts';

const TAGS = [
  'p',
  'li',
  'td',
  'th',
  'dd',
  'dt',
  'pre',
  'div',
  'figcaption',
  'section',
  'label',
  'a',
  'blockquote',
  'summary',
];
const NAMES = [
  'words',
  'chars',
  'linkShare',
  'links',
  'commas',
  'stops',
  'digitShare',
  'capitalShare',
  'wordChars',
  'texts',
]
  .concat([
    'endsStop',
    'endsColon',
    'startsCapital',
    'headingLevel',
    'tagIndex',
    'inlineHints',
    'inTitle',
    'titleShare',
    'announced',
  ])
  .concat(TAGS.map((tag) => `is:${tag}`));

/** Features of a block's own text and element. */
export const own: FeatureGroup = {
  names: [...NAMES, ...PHRASE_NAMES.map((name) => `says:${name}`)],
  prepare({ blocks, texts, clues }) {
    const titleSize = Math.max(1, clues.titleWords.size);
    return (row, at, index) => {
      const block = blocks[index];
      const text = texts[index] ?? '';
      if (block === undefined) return;
      const { tally, region } = block;
      const words = Math.max(1, tally.words);
      const chars = Math.max(1, tally.chars);
      const { tag } = region.element;
      const inTitle = tally.words <= 40 ? wordsIn(text, clues.titleWords) : 0;
      row[at++] = tally.words;
      row[at++] = tally.chars;
      row[at++] = tally.linkWords / words;
      row[at++] = tally.links;
      row[at++] = tally.commas;
      row[at++] = tally.stops;
      row[at++] = tally.digits / chars;
      row[at++] = tally.capitals / chars;
      row[at++] = tally.chars / words;
      row[at++] = block.texts.length;
      row[at++] = /[.!?。！？…]["'”’)]?$/.test(text.slice(-2)) ? 1 : 0;
      row[at++] = text.endsWith(':') ? 1 : 0;
      row[at++] = /^\p{Lu}/u.test(text) ? 1 : 0;
      row[at++] = LEVELS.get(tag) ?? 0;
      row[at++] = ORDER.get(tag) ?? ORDER.size;
      row[at++] = block.hints === 0 ? 0 : 32 - Math.clz32(block.hints);
      row[at++] = inTitle / words;
      row[at++] = inTitle / titleSize;
      row[at++] = tally.words >= 4 && clues.announced.includes(text.slice(0, 50)) ? 1 : 0;
      // A new row is all zeros.
      const place = TAG_PLACES.get(tag);
      if (place !== undefined) row[at + place] = 1;
      at += TAGS.length;
      for (let phrases = phrasesIn(text, tally.words); phrases !== 0; phrases &= phrases - 1)
        row[at + 31 - Math.clz32(phrases & -phrases)] = 1;
    };
  },
};

const TAG_PLACES = new Map(TAGS.map((tag, place) => [tag, place]));
const LEVELS = new Map(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((tag, index) => [tag, index + 1]));
/** Tags from running text to controls, so that one threshold separates them. */
const ORDER = new Map(
  'p pre blockquote dd h1 h2 h3 h4 h5 h6 td th dt li figcaption section article div summary header label a legend button footer nav aside form'
    .split(' ')
    .map((tag, index) => [tag, index]),
);

function wordsIn(text: string, wanted: Set<string>): number {
  if (wanted.size === 0) return 0;
  let found = 0;
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) if (wanted.has(word)) found += 1;
  return found;
}
