import type { Article, Page, Privacy } from '../pages/article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Background } from '../platform/background.ts';
import { toIndexedPage } from './indexed-page.ts';
import type { LocalIndex } from './local-index-types.ts';
import { hasOtherCanonicalUrl, listPrivateAddresses } from './own-address.ts';

type Index = Pick<LocalIndex, 'get' | 'put' | 'remove'>;

/**
 * Wraps an `OpenPage`: a page that it fetched and that may be kept is indexed in the background if `files` is set, and a page
 * that has become private is removed from the index.
 */
export function indexReads(
  openPage: OpenPage,
  parts: { index: Index; background: Background; files: boolean },
): OpenPage {
  const { index, background, files } = parts;
  return async (url, options) => {
    const page = await openPage(url, options);
    const { article, privacy } = page;
    if (privacy !== null)
      background.run('withdraw a private page', () => removePrivatePage(index, { article, privacy }));
    // The index files pages by addresses without a fragment, so a fragment that scripts read cannot be indexed.
    else if (files && options.keep !== false && page.cache === 'miss' && !article.url.includes('#'))
      background.run('index a page that was read', () => indexPage(index, page));
    return page;
  };
}

/** Indexes a page, unless the page that it names as canonical is indexed with exactly the same text. */
async function indexPage(index: Index, { article, fetchedAt }: Page): Promise<void> {
  if (hasOtherCanonicalUrl(article)) {
    const named = await index.get(article.canonicalUrl);
    if (named?.markdown === article.markdown) return;
  }
  await index.put([toIndexedPage(article, fetchedAt)]);
}

/** Checks first: each write invalidates cached searches. */
async function removePrivatePage(
  index: Index,
  { article, privacy }: { article: Article; privacy: Privacy },
): Promise<void> {
  for (const url of listPrivateAddresses(article, privacy)) {
    if ((await index.get(url)) !== null) await index.remove([url]);
  }
}
