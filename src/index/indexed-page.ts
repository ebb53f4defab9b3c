import type { Article } from '../pages/article.ts';
import type { IndexedPage } from './local-index-types.ts';
import { resolveOwnAddress } from './own-address.ts';
import { extractMetadata } from './page-metadata.ts';

/** Pure: converts an article to the form that the index keeps, keyed by its own address; `fetchedAt` in milliseconds since the epoch. */
export function toIndexedPage(article: Article, fetchedAt: number): IndexedPage {
  const url = resolveOwnAddress(article);
  const declared = extractMetadata(article, url);
  return {
    url,
    title: article.title,
    headings: article.headings,
    markdown: article.markdown,
    publishedDay: article.published?.day ?? null,
    language: article.language,
    site: article.site,
    author: article.author,
    ...(declared === null ? {} : { declared }),
    rawChars: article.rawChars,
    fetchedAt,
  };
}

/** Converts back to an article, for when its origin fails. The index does not keep links or heading levels. */
export function toArticle(page: IndexedPage): { article: Article; fetchedAt: number } {
  const { url, title, author, site, language, headings, markdown, rawChars, fetchedAt, declared } = page;
  const published = page.publishedDay === null ? null : ({ day: page.publishedDay, from: 'import' } as const);
  const modifiedDay = declared?.modifiedDay ?? null;
  return {
    article: {
      url,
      canonicalUrl: declared?.canonicalUrl ?? url,
      kind: 'html',
      readRoute: 'index',
      title,
      author,
      site,
      language,
      published,
      modified: modifiedDay === null ? null : ({ day: modifiedDay, from: 'import' } as const),
      image: declared?.image ?? null,
      favicon: declared?.favicon ?? null,
      headings,
      markdown,
      description: null,
      links: [],
      robots: { index: true, follow: true },
      rawChars,
    },
    fetchedAt,
  };
}
