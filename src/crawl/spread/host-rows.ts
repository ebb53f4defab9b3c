import { sql } from 'kysely';
import type { CrawlQueries } from '../../platform/store/crawls/open-crawl-store.ts';

/** The right to read a host and to write the outcomes of its addresses; lost when another process claims the host. */
export type HostLease = { host: string; token: number };

/** A host that this process has claimed. */
export type ClaimedHost = HostLease & {
  pending: number;
  visited: boolean;
  /** Milliseconds until the next request may start. */
  waitMs: number;
};

/** The pace of a held host: milliseconds until its next request, and between two requests. */
export type HostPace = HostLease & { waitMs: number; paceMs: number; givenUp: boolean };

/** Duration of a lease. A killed process loses its hosts after it; a live one renews often enough to survive missed renewals. */
export const HOST_LEASE_MS = 10_000;

/** The database's clock, which all processes share. */
export const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Claims hosts with waiting addresses that no process reads. Rows that another process is claiming are skipped. If the former holder died,
 * the host is paused as if that process had started a request at the end of its lease.
 */
export async function claimHosts(
  db: CrawlQueries,
  crawlId: string,
  { worker, limit }: { worker: string; limit: number },
): Promise<ClaimedHost[]> {
  const { rows } = await sql<{
    host: string;
    token: number;
    pending: number;
    visited: boolean;
    wait_ms: number;
  }>`
    with free as (
      select crawl_id, host, case when holder is null then ready_at else greatest(ready_at, lease_until + pace_ms) end as ready_at
      from spread_host
      where crawl_id = ${crawlId} and pending > 0 and not given_up and lease_until < ${NOW}
      order by lease_until, host limit ${limit} for update skip locked
    )
    update spread_host h
    set holder = ${worker}, lease_token = nextval('spread_token'), lease_until = ${NOW} + ${HOST_LEASE_MS}::bigint,
      ready_at = free.ready_at
    from free where h.crawl_id = free.crawl_id and h.host = free.host
    returning h.host, h.lease_token as token, h.pending, h.visited, greatest(0, free.ready_at - ${NOW}) as wait_ms`.execute(
    db,
  );
  return rows.map(({ wait_ms: waitMs, ...row }) => ({ ...row, waitMs: Number(waitMs) }));
}

/** Renews leases and records the pace of the hosts; resolves to the number of waiting addresses per host that is still held. */
export async function renewHosts(
  db: CrawlQueries,
  crawlId: string,
  held: readonly HostPace[],
): Promise<Map<string, number>> {
  if (held.length === 0) return new Map();
  const { rows } = await sql<{ host: string; pending: number }>`
    update spread_host h
    set lease_until = ${NOW} + ${HOST_LEASE_MS}::bigint, ready_at = greatest(h.ready_at, ${NOW} + o.wait_ms), pace_ms = o.pace_ms
    from ${buildPaceRows(held)} where h.crawl_id = ${crawlId} and h.host = o.host and h.lease_token = o.token
    returning h.host, h.pending`.execute(db);
  return new Map(rows.map(({ host, pending }) => [host, Number(pending)]));
}

/** Releases hosts at once for any process to claim; hosts that were given up stay unread. */
export async function releaseHosts(
  db: CrawlQueries,
  crawlId: string,
  held: readonly HostPace[],
): Promise<void> {
  if (held.length === 0) return;
  await sql`
    update spread_host h
    set holder = null, lease_until = 0, ready_at = greatest(h.ready_at, ${NOW} + o.wait_ms), pace_ms = o.pace_ms,
      given_up = h.given_up or o.given_up
    from ${buildPaceRows(held)} where h.crawl_id = ${crawlId} and h.host = o.host and h.lease_token = o.token`.execute(
    db,
  );
}

function buildPaceRows(held: readonly HostPace[]) {
  const rows = held.map(({ host, token, waitMs, paceMs, givenUp }) => ({
    host,
    token,
    wait_ms: Math.ceil(waitMs),
    pace_ms: Math.ceil(paceMs),
    given_up: givenUp,
  }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as o(host text, token bigint, wait_ms bigint, pace_ms bigint, given_up boolean)`;
}

/** Returns the hosts whose leases no other process has taken since; locks their rows until the transaction ends. */
export async function lockHeldHosts(
  tx: CrawlQueries,
  crawlId: string,
  leases: readonly HostLease[],
): Promise<Set<string>> {
  if (leases.length === 0) return new Set();
  const tokens = new Map(leases.map(({ host, token }) => [host, token]));
  const rows = await tx
    .selectFrom('spread_host')
    .select(['host', 'lease_token'])
    .where('crawl_id', '=', crawlId)
    .where('host', 'in', [...tokens.keys()])
    .orderBy('host')
    .forUpdate()
    .execute();
  return new Set(rows.filter((row) => tokens.get(row.host) === row.lease_token).map(({ host }) => host));
}

/** Allows hosts that pushed back too often to be tried again. */
export async function resetGivenUpHosts(db: CrawlQueries, crawlId: string): Promise<void> {
  await db.updateTable('spread_host').set({ given_up: false }).where('crawl_id', '=', crawlId).execute();
}
