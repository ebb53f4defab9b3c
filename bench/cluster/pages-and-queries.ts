import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { isStopWord } from '../../src/text/words/stop-words.ts';
import { tokenizeWords } from '../../src/text/words/words.ts';
import type { createRandom } from '../search/random.ts';

/** A question with the page that it was made from. */
export type KnownItem = { text: string; url: string };

/** Distinct meaningful words that stand close together in a page, in its spelling; of so many words in turn. */
export function makeKnownItems(
  pages: readonly IndexedPage[],
  { count, lengths, random }: { count: number; lengths: number[]; random: ReturnType<typeof createRandom> },
): KnownItem[] {
  const items: KnownItem[] = [];
  while (items.length < count) {
    const page = pages[random(pages.length)];
    const words = lengths[items.length % lengths.length] ?? 1;
    const paragraphs = page?.markdown.split('\n\n') ?? [];
    const paragraph = paragraphs[random(paragraphs.length)] ?? '';
    const distinct = [
      ...new Set((paragraph.match(/[A-Za-z]{3,}/g) ?? []).map((word) => word.toLowerCase())),
    ].filter((word) => !isStopWord(tokenizeWords(word, 'en')[0] ?? ''));
    if (page === undefined || distinct.length < words * 2) continue;
    const start = random(distinct.length - words * 2 + 1);
    const window = distinct.slice(start, start + words * 2);
    const chosen = Array.from({ length: words }, () => window.splice(random(window.length), 1)[0]);
    items.push({ text: chosen.join(' '), url: page.url });
  }
  return items;
}
