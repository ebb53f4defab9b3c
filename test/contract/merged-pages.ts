import type { IndexedPage } from '../../src/index/local-index-types.ts';

/** Words of one page alone, so many that the lists of a hundred pages fill several chunks. */
const OWN_WORDS = 1_500;

/** Page number n, which alone has the word `marker<n>x`. */
export const mergedPage = (number: number): IndexedPage => ({
  url: `https://h${number % 7}.example/${number}`,
  title: `Waders ${number}`,
  headings: [],
  markdown: `marker${number}x ${Array.from({ length: OWN_WORDS }, (_, at) => `w${number}q${at}`).join(' ')}`,
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: 1,
  fetchedAt: 1,
});
