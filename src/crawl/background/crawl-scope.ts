import { hasSecret } from '../../pages/sharing/secret-in-address.ts';
import { crawlableUrl } from '../../text/urls/crawlable.ts';
import { hostKey } from '../../text/urls/sites.ts';

/** Which addresses belong to a crawl. */
export type CrawlScope = {
  /** Whether the address lies on one of the sites (a `www.` more or less is the same site) and within the paths. */
  covers(url: string): boolean;
  /** Links as they stand in a page -> the addresses to visit, in their one spelling, each once. */
  toVisit(links: string[]): string[];
};

type ScopeOptions = {
  /** In their one spelling. */
  starts: string[];
  /** Stay at or below the folder of the start address. */
  withinPath: boolean;
};

/** The sites of the start addresses. */
export function createScope({ starts, withinPath }: ScopeOptions): CrawlScope {
  const hosts = new Set(starts.map(hostKey));
  const folders = starts.map((url) => ({ host: hostKey(url), path: folderOf(url) }));
  const covers = (url: string): boolean => {
    const host = hostKey(url);
    if (!withinPath) return hosts.has(host);
    const { pathname } = new URL(url);
    return folders.some((folder) => folder.host === host && pathname.startsWith(folder.path));
  };
  return {
    covers,
    toVisit(links) {
      const urls = new Set<string>();
      for (const link of links) {
        const url = crawlableUrl(link);
        if (url !== null && covers(url) && !hasSecret(url)) urls.add(url);
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
