import { createUrlSet } from './url-set.ts';

/** Addresses found so far, within bounds. */
export type SeenUrls = {
  remember(url: string): void;
  /** Remembers an address and returns true if it is new and within the bounds. */
  admit(url: string): boolean;
};

/** Maximum queries per path; a path with more is a calendar or a filter, not pages. */
const QUERIES_PER_PATH_MAX = 200;

/** Accepts at most `urlsMax` addresses, and at most QUERIES_PER_PATH_MAX queries per path. */
export function createSeenUrls(urlsMax: number): SeenUrls {
  const urls = createUrlSet();
  const queries = new Map<string, number>();
  const remember = (url: string): void => {
    if (urls.has(url)) return;
    urls.add(url);
    const path = findQueryPath(url);
    if (path !== null) queries.set(path, (queries.get(path) ?? 0) + 1);
  };
  return {
    remember,
    admit(url) {
      if (urls.has(url) || urls.size >= urlsMax) return false;
      const path = findQueryPath(url);
      if (path !== null && (queries.get(path) ?? 0) >= QUERIES_PER_PATH_MAX) return false;
      remember(url);
      return true;
    },
  };
}

function findQueryPath(url: string): string | null {
  const query = url.indexOf('?');
  return query === -1 ? null : url.slice(0, query);
}
