/**
 * Fetches and caches the robots.txt of hosts. Each host is asked once, also for concurrent callers. A host whose robots.txt cannot be
 * fetched is reported as not reached, and nothing on it may be fetched. The rules themselves are parsed and matched in robots.ts.
 */

import { LRUCache } from 'lru-cache';
import { Failure, type FetchReason } from '../../contract/errors.ts';
import { BOT_NAME } from '../../pages/extract/metadata/robots-directives.ts';
import { type Clock, DAY_MS } from '../../platform/clock.ts';
import { awaitUnlessAborted } from '../../platform/net/exchange.ts';
import type { GuardedFetch } from '../../platform/net/fetch-types.ts';
import { parseRetryAfter } from '../../platform/net/fetch-types.ts';
import { EVERYTHING_ALLOWED, parseRobots, type RobotsRules, selectRules } from './robots.ts';

/** The robots.txt of a host. If it could not be fetched, nothing on the host may be fetched (RFC 9309, 2.3.1.4). */
type HostRobots =
  | { reached: true; rules: RobotsRules; sitemaps: string[] }
  | { reached: false; reason: FetchReason; retryAfterMs: number | null };

export type RobotsOfHosts = (url: string, signal: AbortSignal) => Promise<HostRobots>;

/** Cache time of an answer (RFC 9309, 2.4), and of a failure. */
const KEPT_MS = DAY_MS;
const FAILURE_KEPT_MS = 5_000;
const ROBOTS_TIMEOUT_MS = 10_000;
/** Maximum cached hosts, and maximum bytes of all; the least recently used host is evicted. */
export const ROBOTS_HOSTS_MAX = 10_000;
const KEPT_BYTES_MAX = 64 * 1_048_576;
/** Approximate overhead of a rule in bytes, beside its texts. */
const OBJECT_BYTES = 256;
/** Maximum bytes decoded; more than ROBOTS_CHARS_MAX characters in any encoding, so that the rules do not keep the rest in memory. */
const READ_BYTES_MAX = 2_097_152;

/** Asks each host once. Concurrent callers share the answer, and a caller that aborts does not cancel it for the others. */
export function createRobotsOfHosts(deps: { fetch: GuardedFetch; clock: Clock }): RobotsOfHosts {
  type Entry = { robots: Promise<HostRobots>; until: number };
  const kept = new LRUCache<string, Entry>({ max: ROBOTS_HOSTS_MAX, maxSize: KEPT_BYTES_MAX });
  const requestRobots = (origin: string): Entry => {
    const isKept = (): boolean => kept.peek(origin) === entry;
    const storeResult = (robots: HostRobots): HostRobots => {
      const keptMs = robots.reached ? KEPT_MS : FAILURE_KEPT_MS;
      // Must be a new object: the cache does not update the size of the same one.
      if (isKept())
        kept.set(origin, { ...entry, until: deps.clock.now() + keptMs }, { size: estimateBytes(robots) });
      return robots;
    };
    const dropAndRethrow = (error: unknown): never => {
      if (isKept()) kept.delete(origin);
      throw error;
    };
    const robots = readRobots(deps, origin).then(storeResult, dropAndRethrow);
    const entry: Entry = { robots, until: deps.clock.now() + KEPT_MS };
    kept.set(origin, entry, { size: OBJECT_BYTES });
    return entry;
  };
  return async (url, signal) => {
    const { origin } = new URL(url);
    const known = kept.get(origin);
    const entry = known !== undefined && known.until > deps.clock.now() ? known : requestRobots(origin);
    try {
      return await awaitUnlessAborted(entry.robots, signal);
    } catch (error) {
      if (signal.aborted) return { reached: false, reason: 'aborted', retryAfterMs: null };
      throw error;
    }
  };
}

function estimateBytes(robots: HostRobots): number {
  if (!robots.reached) return OBJECT_BYTES;
  const { rules } = robots.rules;
  const ofRules = rules.map(({ pattern, plain }) => pattern.length + plain.length + OBJECT_BYTES);
  return [...ofRules, ...robots.sitemaps.map(({ length }) => length)].reduce(
    (sum, one) => sum + one,
    OBJECT_BYTES,
  );
}

async function readRobots(deps: { fetch: GuardedFetch; clock: Clock }, origin: string): Promise<HostRobots> {
  const url = `${origin}/robots.txt`;
  try {
    const { status, headers, body } = await deps.fetch({ url, timeoutMs: ROBOTS_TIMEOUT_MS });
    if (status === 429 || status >= 500) {
      return {
        reached: false,
        reason: 'http_status',
        retryAfterMs: parseRetryAfter(headers['retry-after'], deps.clock.now()),
      };
    }
    if (status < 200 || status >= 300) return { reached: true, rules: EVERYTHING_ALLOWED, sitemaps: [] };
    const robots = parseRobots(decodeText(body.subarray(0, READ_BYTES_MAX)));
    const sitemaps = robots.sitemaps.map((sitemap) => URL.parse(sitemap, url)?.href ?? null);
    return {
      reached: true,
      rules: selectRules(robots, BOT_NAME),
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

/** Decodes a robots.txt, sitemap or text file by its byte order mark, otherwise as UTF-8. Never throws. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}
