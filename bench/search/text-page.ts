import type { IndexedPage } from '../../src/index/local-index-types.ts';

/** An English page for an index: its address, its text and what else is known of it. */
export function createTextPage(
  page: Pick<IndexedPage, 'url' | 'markdown'> & Partial<Pick<IndexedPage, 'title' | 'publishedDay'>>,
): IndexedPage {
  return {
    title: '',
    headings: [],
    publishedDay: null,
    language: 'en',
    site: null,
    author: null,
    rawChars: page.markdown.length,
    fetchedAt: 0,
    ...page,
  };
}
