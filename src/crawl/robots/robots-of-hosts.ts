import { LRUCache } from 'lru-cache';
import { Failure, type FetchReason } from '../../contract/errors.ts';
import { BOT_NAME } from '../../pages/extract/metadata/robots-directives.ts';
import type { Clock } from '../../platform/clock.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { retryAfterMs } from '../../platform/net/retry-after.ts';
import { decodeText } from './decode-text.ts';
import { EVERYTHING_ALLOWED, parseRobots, type RobotsRules, rulesFor } from './robots.ts';

/** The robots.txt of a host. If it could not be fetched, nothing on the host may be fetched (RFC 9309, 2.3.1.4). */
type HostRobots =
  | { reached: true; rules: RobotsRules; sitemaps: string[] }
  | { reached: false; reason: FetchReason; retryAfterMs: number | null };

export type RobotsOfHosts = (url: string, signal: AbortSignal) => Promise<HostRobots>;

/** How long an answer is kept (RFC 9309, 2.4), and a failure. */
const KEPT_MS = 86_400_000;
const FAILURE_KEPT_MS = 5_000;
const ROBOTS_TIMEOUT_MS = 10_000;
/** Hosts whose answer is kept; the least recently used is dropped. */
export const ROBOTS_HOSTS_MAX = 10_000;

/** Asks each host once; concurrent callers share the answer. */
export function createRobotsOfHosts(deps: { fetch: GuardedFetch; clock: Clock }): RobotsOfHosts {
  const kept = new LRUCache<string, { robots: Promise<HostRobots>; until: number }>({
    max: ROBOTS_HOSTS_MAX,
  });
  return async (url, signal) => {
    const { origin } = new URL(url);
    const known = kept.get(origin);
    if (known !== undefined && known.until > deps.clock.now()) return known.robots;
    const robots = readRobots(deps, origin, signal);
    const entry = { robots, until: deps.clock.now() + KEPT_MS };
    kept.set(origin, entry);
    try {
      if (!(await robots).reached) entry.until = deps.clock.now() + FAILURE_KEPT_MS;
    } catch (error) {
      kept.delete(origin);
      throw error;
    }
    return robots;
  };
}

async function readRobots(
  deps: { fetch: GuardedFetch; clock: Clock },
  origin: string,
  signal: AbortSignal,
): Promise<HostRobots> {
  const url = `${origin}/robots.txt`;
  try {
    const { status, headers, body } = await deps.fetch({ url, signal, timeoutMs: ROBOTS_TIMEOUT_MS });
    if (status === 429 || status >= 500) {
      return {
        reached: false,
        reason: 'http_status',
        retryAfterMs: retryAfterMs(headers['retry-after'], deps.clock.now()),
      };
    }
    if (status < 200 || status >= 300) return { reached: true, rules: EVERYTHING_ALLOWED, sitemaps: [] };
    const robots = parseRobots(decodeText(body));
    const sitemaps = robots.sitemaps.map((sitemap) => URL.parse(sitemap, url)?.href ?? null);
    return {
      reached: true,
      rules: rulesFor(robots, BOT_NAME),
      sitemaps: sitemaps.filter((sitemap) => sitemap !== null),
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // An address that may not be fetched, and a file too large or redirected too often to be a robots.txt, set no rules.
    const reason = error.fetch?.reason;
    if (error.code !== 'fetch_failed' || reason === 'too_large' || reason === 'too_many_redirects')
      return { reached: true, rules: EVERYTHING_ALLOWED, sitemaps: [] };
    return { reached: false, reason: reason ?? 'connect', retryAfterMs: null };
  }
}
