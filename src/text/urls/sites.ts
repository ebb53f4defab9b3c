import { getDomain, parse } from 'tldts';

/**
 * Returns the registrable domain by the public suffix list with its private section (`a.github.io`); null for IP addresses and
 * intranet names.
 */
export function findRegistrableDomain(urlOrHost: string): string | null {
  return getDomain(urlOrHost, { allowPrivateDomains: true });
}

/** Returns the publisher of a page: the registrable domain of its address, or its host if there is none. */
export function findSite(url: string): string {
  return findRegistrableDomain(url) ?? URL.parse(url)?.hostname ?? url;
}

/** True when both addresses belong to one publisher, subdomains included. */
export function isSameSite(left: string, right: string): boolean {
  return findSite(left) === findSite(right);
}

/** Returns host and port without a leading `www.`: addresses with the same key belong to one site of a crawl. */
export function toHostKey(url: string): string {
  return new URL(url).host.replace(/^www\./, '');
}

/** True for a host name of the public web: false for IP addresses, `localhost`, `.test`, `.internal` and the like. */
export function hasPublicName(url: string): boolean {
  const { isIp, isIcann, isPrivate, domain } = parse(url);
  return !isIp && domain !== null && (isIcann === true || isPrivate === true);
}
