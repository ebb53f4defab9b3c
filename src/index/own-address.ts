import type { Privacy } from '../pages/article.ts';
import { samePageKey } from '../text/urls/url-spelling.ts';

/** What is needed to say where a page stands. */
type Declared = { url: string; canonicalUrl: string };

/**
 * The address that a page is filed under: the one it declares where that is a mere spelling of the one it was read at,
 * else the latter. A declaration is the word of the declaring page alone: it never gives it another page's place.
 */
export function ownAddress({ url, canonicalUrl }: Declared): string {
  return declaresAnother({ url, canonicalUrl }) ? url : canonicalUrl;
}

/** The addresses under which the index may hold a page that turned private. */
export function privateAddresses(page: Declared, { addresses }: Privacy): string[] {
  const isItselfPrivate = addresses.includes(page.url);
  return [...new Set(isItselfPrivate ? [...addresses, ownAddress(page)] : addresses)];
}

/** Whether a page declares to be another than the one it was read at. */
export function declaresAnother({ url, canonicalUrl }: Declared): boolean {
  return url !== canonicalUrl && samePageKey(url) !== samePageKey(canonicalUrl);
}
