import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';

/** Which hosts need a browser, as far as it is known. */
export type BrowserHosts = {
  /** Whether the next page of a host is read by a browser at once. Now and then it is not, to see whether the host still needs one. */
  startsWithBrowser(host: string): boolean;
  /** A page of the host was an empty shell, which a browser filled. */
  needsBrowser(host: string): void;
  /** A page of the host had its text without. */
  needsNone(host: string): void;
};

const HOSTS_MAX = 5_000;
/** Of so many pages one is fetched plainly first, and so is one after so much time. */
const SAMPLE = 20;
const SAMPLE_MS = 3_600_000;

/** Remembers hosts in memory, the ones used last. */
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
