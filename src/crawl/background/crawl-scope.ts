import { hasSecret } from '../../pages/sharing/secret-in-address.ts';
import { crawlableUrl } from '../../text/urls/crawlable.ts';
import { hostKey } from '../../text/urls/sites.ts';
import type { VisitScope } from '../visit/visit-page.ts';

type ScopeOptions = {
  /** In the spelling of `crawlUrl`. */
  starts: string[];
  /** Stay at or below the folders of the start addresses. */
  withinPath: boolean;
};

/** The sites of the start addresses; a host with and without `www.` is one site. */
export function createCrawlScope({ starts, withinPath }: ScopeOptions): VisitScope {
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
