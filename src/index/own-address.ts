import type { Privacy } from '../pages/article.ts';
import { toSamePageKey } from '../text/urls/url-spelling.ts';

/** The address that a page was read at, and the one that it declares. */
type PageAddresses = { url: string; canonicalUrl: string };

/**
 * Returns the address that a page is filed under: the declared one if it is only another spelling of the one that the page was read
 * at, else the latter. A page must never take another page's place merely by declaring its address.
 */
export function resolveOwnAddress({ url, canonicalUrl }: PageAddresses): string {
  return hasOtherCanonicalUrl({ url, canonicalUrl }) ? url : canonicalUrl;
}

/** Lists the addresses under which the index may hold a page that has become private. */
export function listPrivateAddresses(page: PageAddresses, { addresses }: Privacy): string[] {
  const isItselfPrivate = addresses.includes(page.url);
  return [...new Set(isItselfPrivate ? [...addresses, resolveOwnAddress(page)] : addresses)];
}

/** Returns whether a page declares the address of a different page as canonical. */
export function hasOtherCanonicalUrl({ url, canonicalUrl }: PageAddresses): boolean {
  return url !== canonicalUrl && toSamePageKey(url) !== toSamePageKey(canonicalUrl);
}
