import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { toRowSet } from '../../platform/store/crawls/open-crawl-store.ts';
import type { LockedCrawl } from './crawl-rows.ts';

/** A host that this process has claimed, under a lease that is lost when another process claims the host. */
export type ClaimedHost = {
  host: string;
  token: number;
  pending: number;
  visited: boolean;
  /** Milliseconds until the next request may start. */
  waitMs: number;
};

/** The pace of a held host: milliseconds until its next request, and between two requests. */
export type HostPace = { host: string; token: number; waitMs: number; paceMs: number; isGivenUp: boolean };

/** Duration of a lease. A killed process loses its hosts after it; a live one renews often enough to survive missed renewals. */
export const HOST_LEASE_MS = 10_000;
/** Tokens are drawn at random, so that none returns, not even when a crawl is started over. */
const TOKENS = 2 ** 47;

/**
 * Claims hosts with waiting addresses that no process reads. If the former holder died, the host is paused as if that process had started
 * a request at the end of its lease. These are no row leases, because each statement claims or renews many hosts, with their paces.
 */
export async function claimHosts(
  { db, id, now }: LockedCrawl,
  { worker, limit }: { worker: string; limit: number },
): Promise<ClaimedHost[]> {
  const free = await db
    .selectFrom('crawl_host')
    .select(['host', 'holder', 'lease_until', 'ready_at', 'pace_ms', 'pending', 'visited'])
    .where('crawl_id', '=', id)
    .where('pending', '>', 0)
    .where('given_up', '=', 0)
    .where('lease_until', '<', now)
    .orderBy('lease_until')
    .orderBy('host')
    .limit(limit)
    .execute();
  if (free.length === 0) return [];
  const token = randomInt(TOKENS);
  await db
    .updateTable('crawl_host')
    .set({ holder: worker, lease_token: token, lease_until: now + HOST_LEASE_MS })
    .where('crawl_id', '=', id)
    .where(
      'host',
      'in',
      free.map(({ host }) => host),
    )
    .execute();
  return free.map(({ host, holder, pending, visited, ready_at, lease_until, pace_ms }) => {
    const readyAt = holder === null ? ready_at : Math.max(ready_at, lease_until + pace_ms);
    return { host, token, pending, visited: visited === 1, waitMs: Math.max(0, readyAt - now) };
  });
}

/** Renews leases and records the pace of the hosts; resolves to those that are still held. */
export async function renewHosts(crawl: LockedCrawl, held: readonly HostPace[]): Promise<string[]> {
  if (held.length === 0) return [];
  const { rows } = await sql<{ host: string }>`
    update crawl_host set lease_until = ${crawl.now + HOST_LEASE_MS}, ready_at = o.ready_at, pace_ms = o.pace_ms
    from ${toPaceRows(crawl, held)}
    where crawl_host.crawl_id = o.crawl_id and crawl_host.host = o.host and crawl_host.lease_token = o.token
    returning crawl_host.host`.execute(crawl.db);
  return rows.map(({ host }) => host);
}

/** Releases hosts at once for any process to claim; hosts that were given up stay unread. */
export async function releaseHosts(crawl: LockedCrawl, held: readonly HostPace[]): Promise<void> {
  if (held.length === 0) return;
  await sql`
    update crawl_host set holder = null, lease_until = 0, ready_at = o.ready_at, pace_ms = o.pace_ms,
      given_up = case when o.given_up = 1 then 1 else crawl_host.given_up end
    from ${toPaceRows(crawl, held)}
    where crawl_host.crawl_id = o.crawl_id and crawl_host.host = o.host and crawl_host.lease_token = o.token`.execute(
    crawl.db,
  );
}

/** With the crawl in each row, so that SQLite looks each host up instead of reading all hosts of the crawl. */
function toPaceRows({ dialect, id, now }: LockedCrawl, held: readonly HostPace[]) {
  const rows = held.map(({ host, token, waitMs, paceMs, isGivenUp }) => ({
    crawl_id: id,
    host,
    token,
    ready_at: Math.ceil(now + waitMs),
    pace_ms: Math.ceil(paceMs),
    given_up: Number(isGivenUp),
  }));
  const number = 'bigint';
  return toRowSet(dialect, rows, {
    crawl_id: 'text',
    host: 'text',
    token: number,
    ready_at: number,
    pace_ms: number,
    given_up: number,
  });
}

/** Reads the number of waiting addresses of each host. */
export async function readPending(
  { db, id }: LockedCrawl,
  hosts: readonly string[],
): Promise<Map<string, number>> {
  if (hosts.length === 0) return new Map();
  const rows = await db
    .selectFrom('crawl_host')
    .select(['host', 'pending'])
    .where('crawl_id', '=', id)
    .where('host', 'in', hosts)
    .execute();
  return new Map(rows.map(({ host, pending }) => [host, pending]));
}

/** Lists the hosts of a crawl. */
export async function listHosts({ db, id }: LockedCrawl): Promise<string[]> {
  const rows = await db.selectFrom('crawl_host').select('host').where('crawl_id', '=', id).execute();
  return rows.map(({ host }) => host);
}
