import type { Clues } from './clues.ts';
import type { Block } from './regions.ts';

/** The block that repeats the page's title, -1 where none does, and the share of the title's words in it. */
export type PageTitle = { at: number; share: number };

const HEADING = /^h[1-6]$/;
const WORDS_MAX = 40;
/** A heading repeats the title with this share of its own words. */
const SHARE_MIN = 0.6;

/** The heading that shares most words with the page's title, else its first `h1`. */
export function pageTitle(blocks: Block[], texts: string[], { titleWords }: Clues): PageTitle {
  let at = -1;
  let most = 0;
  for (const [index, { region, tally }] of blocks.entries()) {
    if (!HEADING.test(region.element.tag) || tally.words === 0 || tally.words > WORDS_MAX) continue;
    const found = wordsIn(texts[index] ?? '', titleWords);
    if (found > most && found >= tally.words * SHARE_MIN) {
      most = found;
      at = index;
    }
  }
  if (at === -1) at = blocks.findIndex(({ region }) => region.element.tag === 'h1');
  return { at, share: most / Math.max(1, titleWords.size) };
}

/** How many words of a text are among those wanted. */
export function wordsIn(text: string, wanted: Set<string>): number {
  if (wanted.size === 0) return 0;
  let found = 0;
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) if (wanted.has(word)) found += 1;
  return found;
}
