import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';

/** Remembers which hosts need a browser. */
export type BrowserHosts = {
  /**
   * Whether the next page of a host should be read by a browser first. Occasionally returns false for such a host, to check whether it
   * still needs one.
   */
  startsWithBrowser(host: string): boolean;
  /** Records that a page of the host was an empty shell, which a browser filled. */
  needsBrowser(host: string): void;
  /** Records that a page of the host had its text without a browser. */
  needsNone(host: string): void;
};

const HOSTS_MAX = 5_000;
/** One in SAMPLE pages of a host is fetched without a browser, and so is the first page after SAMPLE_MS. */
const SAMPLE = 20;
const SAMPLE_MS = 3_600_000;

/** Keeps the most recently used hosts in memory. */
export function createBrowserHosts(clock: Clock): BrowserHosts {
  const known = new LRUCache<string, { reads: number; checkedAt: number }>({ max: HOSTS_MAX });
  return {
    startsWithBrowser(host) {
      const entry = known.get(host);
      if (entry === undefined) return false;
      entry.reads += 1;
      return entry.reads % SAMPLE !== 0 && clock.now() - entry.checkedAt < SAMPLE_MS;
    },
    needsBrowser: (host) => void known.set(host, { reads: 0, checkedAt: clock.now() }),
    needsNone: (host) => void known.delete(host),
  };
}
