import type { Article, Page, Privacy } from '../pages/article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Background } from '../platform/background.ts';
import { toIndexedPage } from './indexed-page.ts';
import type { LocalIndex } from './local-index-types.ts';
import { declaresAnother, privateAddresses } from './own-address.ts';

type Index = Pick<LocalIndex, 'get' | 'put' | 'remove'>;

/**
 * The same `OpenPage`, but a page that was fetched for it, and that may be kept, enters the index in the background if `files`
 * is set, and one that may no longer be shared leaves it.
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
      background.run('withdraw a private page', () => withdraw(index, { article, privacy }));
    // A fragment that scripts read: the index files pages by addresses without one.
    else if (files && options.keep !== false && page.cache === 'miss' && !article.url.includes('#'))
      background.run('index a page that was read', () => file(index, page));
    return page;
  };
}

/** A page that names another as its canonical one, and says word for word what that one says, needs no place of its own. */
async function file(index: Index, { article, fetchedAt }: Page): Promise<void> {
  if (declaresAnother(article)) {
    const named = await index.get(article.canonicalUrl);
    if (named?.markdown === article.markdown) return;
  }
  await index.put([toIndexedPage(article, fetchedAt)]);
}

/** Looks before it writes: every write makes kept answers of searches worthless. */
async function withdraw(
  index: Index,
  { article, privacy }: { article: Article; privacy: Privacy },
): Promise<void> {
  for (const url of privateAddresses(article, privacy)) {
    if ((await index.get(url)) !== null) await index.remove([url]);
  }
}
