import type { Article } from '../pages/article.ts';
import type { IndexedPage } from './local-index-types.ts';
import { ownAddress } from './own-address.ts';

/** Pure: an article as the index keeps it, keyed by its own address; `fetchedAt` in milliseconds since the epoch. */
export function toIndexedPage(article: Article, fetchedAt: number): IndexedPage {
  return {
    url: ownAddress(article),
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

/** The way back: what the index kept of an article, for when its origin fails. Links and headings' levels are not kept. */
export function articleOf(page: IndexedPage): { article: Article; fetchedAt: number } {
  const { url, title, author, site, language, headings, markdown, rawChars, fetchedAt } = page;
  const published = page.publishedDay === null ? null : ({ day: page.publishedDay, from: 'import' } as const);
  return {
    article: {
      ...{
        url,
        canonicalUrl: url,
        kind: 'html',
        readRoute: 'index',
        title,
        author,
        site,
        language,
        published,
        headings,
        markdown,
      },
      ...{ description: null, links: [], robots: { index: true, follow: true }, rawChars },
    },
    fetchedAt,
  };
}
