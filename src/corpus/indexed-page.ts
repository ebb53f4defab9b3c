import type { Article } from '../retrieval/page.ts';
import type { IndexedPage } from './own-index-types.ts';

/** Pure: an article as the index keeps it, keyed by its canonical address; `fetchedAt` in milliseconds since the epoch. */
export function toIndexedPage(article: Article, fetchedAt: number): IndexedPage {
  return {
    url: article.canonicalUrl,
    title: article.title,
    headings: article.headings,
    markdown: article.markdown,
    publishedDay: article.published?.day ?? null,
    language: article.language,
    site: article.site,
    author: article.author,
    rawChars: article.rawChars,
    fetchedAt,
  };
}
