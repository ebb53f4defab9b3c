import { getDomain } from 'tldts';

/** Who publishes a page: the registrable domain of its address, or its host where there is none. */
export function siteOf(url: string): string {
  return getDomain(url, { allowPrivateDomains: true }) ?? URL.parse(url)?.hostname ?? url;
}
