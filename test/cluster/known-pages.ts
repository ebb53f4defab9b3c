import type { IndexedPage } from '../../src/index/local-index-types.ts';

/** A page that one word alone finds. */
export type KnownPage = { url: string; word: string };

const SYLLABLES = ['ba', 'ke', 'lo', 'mi', 'nu', 'pra', 'sto', 'tri', 'vu', 'zan'];

/** Words of no language, each of one page. */
export function knownPages(count: number): { known: KnownPage[]; pages: IndexedPage[] } {
  const known = Array.from({ length: count }, (_, number) => ({
    url: `https://docs${number % 7}.example/known/${number}`,
    word: `${[...String(number).padStart(4, '0')].map((digit) => SYLLABLES[Number(digit)]).join('')}x`,
  }));
  const pages = known.map(({ url, word }, number) => ({
    url,
    title: `About ${word}`,
    headings: [word],
    language: 'en',
    site: null,
    author: null,
    markdown: `# ${word}\n\nThe ${word} is described here, as page ${number} of a manual of birds and beaches.`,
    publishedDay: null,
    rawChars: 200,
    fetchedAt: Date.UTC(2026, 0, 1),
  }));
  return { known, pages };
}
