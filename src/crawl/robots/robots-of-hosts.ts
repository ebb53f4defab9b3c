import { LRUCache } from 'lru-cache';
import { Failure, type FetchReason } from '../../contract/errors.ts';
import { BOT_NAME } from '../../pages/extract/metadata/robots-directives.ts';
import type { Clock } from '../../platform/clock.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { parseRetryAfter } from '../visit/politeness.ts';
import { decodeText } from './decode-text.ts';
import { EVERYTHING_ALLOWED, parseRobots, type RobotsRules, rulesFor } from './robots.ts';

/** What the robots.txt of an address's host says, or that it could not be had: then nothing may be fetched (RFC 9309, 2.3.1.4). */
type HostRobots =
  | { reached: true; rules: RobotsRules; sitemaps: string[] }
  | { reached: false; reason: FetchReason; retryAfterMs: number | null };

export type RobotsOfHosts = (url: string, signal: AbortSignal) => Promise<HostRobots>;

/** Milliseconds that an answer is kept (RFC 9309, 2.4), and that a failure is. */
const KEPT_MS = 86_400_000;
const FAILURE_KEPT_MS = 5_000;
const ROBOTS_TIMEOUT_MS = 10_000;
/** Hosts whose answer is kept; the one that was asked for longest ago is asked again. */
export const ROBOTS_HOSTS_MAX = 1_000;

/** Asks each host once; callers that come at the same time wait for the same answer. */
export function createRobotsOfHosts(parts: { fetch: GuardedFetch; clock: Clock }): RobotsOfHosts {
  const kept = new LRUCache<string, { robots: Promise<HostRobots>; until: number }>({
    max: ROBOTS_HOSTS_MAX,
  });
  return async (url, signal) => {
    const { origin } = new URL(url);
    const known = kept.get(origin);
    if (known !== undefined && known.until > parts.clock.now()) return known.robots;
    const robots = readRobots(parts, origin, signal);
    const entry = { robots, until: parts.clock.now() + KEPT_MS };
    kept.set(origin, entry);
    try {
      if (!(await robots).reached) entry.until = parts.clock.now() + FAILURE_KEPT_MS;
    } catch (error) {
      kept.delete(origin);
      throw error;
    }
    return robots;
  };
}

async function readRobots(
  parts: { fetch: GuardedFetch; clock: Clock },
  origin: string,
  signal: AbortSignal,
): Promise<HostRobots> {
  const url = `${origin}/robots.txt`;
  try {
    const { status, headers, body } = await parts.fetch({ url, signal, timeoutMs: ROBOTS_TIMEOUT_MS });
    if (status === 429 || status >= 500) {
      return {
        reached: false,
        reason: 'http_status',
        retryAfterMs: parseRetryAfter(headers['retry-after'], parts.clock.now()),
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
    // What may not be fetched at all, or is no robots.txt by its size or its redirects, has no rules.
    const reason = error.fetch?.reason;
    if (error.code !== 'fetch_failed' || reason === 'too_large' || reason === 'too_many_redirects')
      return { reached: true, rules: EVERYTHING_ALLOWED, sitemaps: [] };
    return { reached: false, reason: reason ?? 'connect', retryAfterMs: null };
  }
}
