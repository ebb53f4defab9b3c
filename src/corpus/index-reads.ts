import type { Background } from '../platform/background.ts';
import type { OpenPage } from '../retrieval/open/open-page-types.ts';
import { toIndexedPage } from './indexed-page.ts';
import type { OwnIndex } from './own-index-types.ts';

/** The same `OpenPage`, but a page that was fetched for it goes into the index behind the caller's back, unless it says noindex. */
export function indexReads(openPage: OpenPage, parts: { index: OwnIndex; background: Background }): OpenPage {
  return async (url, options) => {
    const page = await openPage(url, options);
    if (page.cache === 'miss' && page.article.robots.index) {
      parts.background.run('index a page that was read', () =>
        parts.index.put([toIndexedPage(page.article, page.fetchedAt)]),
      );
    }
    return page;
  };
}
