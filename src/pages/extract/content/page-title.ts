import type { Clues } from './clues.ts';
import type { Block } from './regions.ts';

/** The index of the block that repeats the page's title (-1 if none does), and the share of the title's words in it. */
export type PageTitle = { at: number; share: number };

const HEADING = /^h[1-6]$/;
const WORDS_MAX = 40;
/** Minimum share of a heading's words that must be in the title. */
const SHARE_MIN = 0.6;

/** Finds the heading that shares most words with the page's title, else its first `h1`. */
export function findPageTitle(blocks: Block[], texts: string[], { titleWords }: Clues): PageTitle {
  const wordsIn = createWordCounter(titleWords);
  let at = -1;
  let most = 0;
  for (const [index, { region, tally }] of blocks.entries()) {
    if (!HEADING.test(region.element.tag) || tally.words === 0 || tally.words > WORDS_MAX) continue;
    const found = wordsIn(texts[index] ?? '');
    if (found > most && found >= tally.words * SHARE_MIN) {
      most = found;
      at = index;
    }
  }
  if (at === -1) at = blocks.findIndex(({ region }) => region.element.tag === 'h1');
  return { at, share: most / Math.max(1, titleWords.size) };
}

const SPACE = 32;
const ASCII_MAX = 127;
/** Lower case of ASCII letters and digits by their codes; 0 for other characters. */
const LETTERS = Uint8Array.from({ length: ASCII_MAX + 1 }, (_, code) =>
  /[a-z0-9]/i.test(String.fromCharCode(code)) ? String.fromCharCode(code).toLowerCase().charCodeAt(0) : 0,
);
const HASHES = 1_024;
const extendHash = (hash: number, letter: number): number => (hash * 31 + letter) & (HASHES - 1);
// Looked up once, since doing so per character is slow where texts are strings of many internal kinds.
const { charCodeAt } = String.prototype;

/** Creates a counter of the words of a text that are in `wanted` (lower case). Few are, so most words only cost a hash. */
export function createWordCounter(wanted: ReadonlySet<string>): (text: string) => number {
  if (wanted.size === 0) return () => 0;
  const possible = new Uint8Array(HASHES);
  for (const word of wanted) {
    let hash = 0;
    for (let at = 0; at < word.length; at += 1) hash = extendHash(hash, word.charCodeAt(at));
    possible[hash] = 1;
  }
  return (text) => {
    let found = 0;
    let hash = 0;
    let from = -1;
    const { length } = text;
    for (let at = 0; at <= length; at += 1) {
      const code = at === length ? SPACE : charCodeAt.call(text, at);
      if (code > ASCII_MAX) return countByPattern(text, wanted);
      const letter = LETTERS[code] as number;
      if (letter !== 0) {
        if (from === -1) from = at;
        hash = extendHash(hash, letter);
      } else if (from !== -1) {
        if (possible[hash] === 1 && wanted.has(text.slice(from, at).toLowerCase())) found += 1;
        from = -1;
        hash = 0;
      }
    }
    return found;
  };
}

function countByPattern(text: string, wanted: ReadonlySet<string>): number {
  let found = 0;
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) if (wanted.has(word)) found += 1;
  return found;
}
