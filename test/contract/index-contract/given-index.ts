import type { IndexedPage, IndexQuery, LocalIndex } from '../../../src/index/local-index-types.ts';

/** The index of the present test. */
export type GivenIndex = {
  index: LocalIndex;
  /** The addresses that a query finds, best first. */
  find(query: string, parts?: Partial<IndexQuery>): Promise<string[]>;
};

/** A page about codecs, but for the parts that are named. */
export const page = (url: string, parts: Partial<IndexedPage> = {}): IndexedPage => ({
  url,
  title: 'A page',
  headings: [],
  markdown: 'A page about codecs and what they do.',
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: 100,
  fetchedAt: 1,
  ...parts,
});
