import { hasSecret } from '../../pages/sharing/secret-in-address.ts';
import { crawlableUrl } from '../../text/urls/crawlable.ts';
import { hostKey } from '../../text/urls/sites.ts';
import type { VisitScope } from '../visit/visit-page.ts';

type ScopeOptions = {
  /** In the spelling of `crawlUrl`. */
  starts: string[];
  /** Stay at or below the folders of the start addresses. */
  withinPath: boolean;
  /** Hosts of the crawl, those of the start addresses included; links to others are followed while there are fewer. */
  hostsMax: number;
  /** How an address of a site is spelled, such as without parameters that do not change the page. */
  spelled(url: string): string;
};

/** The sites of a crawl. */
export type CrawlScope = VisitScope & {
  /** Takes hosts up that an earlier run found. */
  takeUp(hosts: Iterable<string>): void;
};

/** The sites of the start addresses, and as many others as may be; a host with and without `www.` is one site. */
export function createCrawlScope({ starts, withinPath, hostsMax, spelled }: ScopeOptions): CrawlScope {
  const hosts = new Set(starts.map(hostKey));
  const folders = starts.map((url) => ({ host: hostKey(url), path: folderOf(url) }));
  const isWithin = (url: string, host: string): boolean => {
    const { pathname } = new URL(url);
    const own = folders.filter((folder) => folder.host === host);
    return own.length === 0 || own.some(({ path }) => pathname.startsWith(path));
  };
  const covers = (url: string): boolean => {
    const host = hostKey(url);
    if (!hosts.has(host) && hosts.size >= hostsMax) return false;
    if (withinPath && !isWithin(url, host)) return false;
    hosts.add(host);
    return true;
  };
  return {
    covers,
    takeUp(known) {
      for (const host of known) hosts.add(host);
    },
    toVisit(links) {
      const urls = new Set<string>();
      for (const link of links) {
        const url = crawlableUrl(link);
        if (url !== null && !hasSecret(url) && covers(url)) urls.add(spelled(url));
      }
      return [...urls];
    },
  };
}

/** The path up to its last slash. */
function folderOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname.slice(0, pathname.lastIndexOf('/') + 1);
}
