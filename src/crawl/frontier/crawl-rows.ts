import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type {
  CrawlQueries,
  CrawlStore,
  CrawlUrlTable,
} from '../../platform/store/crawls/open-crawl-store.ts';
import { toRowSet } from '../../platform/store/crawls/open-crawl-store.ts';
import type { StateCounts } from './frontier-types.ts';

/** A crawl whose row this transaction has locked, so that changes of its addresses, hosts and processes take turns. */
export type LockedCrawl = {
  db: CrawlQueries;
  dialect: CrawlStore['dialect'];
  id: string;
  /** The time on the clock that all processes share. */
  now: number;
  done: number;
  /** Time until which other processes help with the crawl. */
  wantedUntil: number;
};

/** Changes a crawl in one transaction; null if there is no such crawl. */
export function changeCrawl<Result>(
  store: CrawlStore,
  id: string,
  work: (crawl: LockedCrawl) => Promise<Result>,
): Promise<Result | null> {
  return store.transaction(async (db) => {
    const crawl = await lockCrawl(store, db, id);
    return crawl === null ? null : work(crawl);
  });
}

/** SQLite has one writer at a time, who needs no lock of a row. */
async function lockCrawl(store: CrawlStore, db: CrawlQueries, id: string): Promise<LockedCrawl | null> {
  const row = await db
    .selectFrom('crawl')
    .select(['done', 'wanted_until as wantedUntil', store.now().as('now')])
    .where('id', '=', id)
    .$if(store.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row === undefined ? null : { db, dialect: store.dialect, id, ...row };
}

/** A crawl, the index that receives its pages, and the process that starts it. */
type NewCrawl = {
  id: string;
  place: string;
  request: string;
  worker: string;
  fresh: boolean;
  pagesMax: number;
};

/** Time after which a process that has not reported counts as gone. */
const SEEN_MS = 10_000;

/**
 * Begins a crawl, or continues an unfinished one; resolves to whether it continued one. A crawl in progress is joined, whatever
 * `fresh` says.
 */
export function beginCrawl(
  store: CrawlStore,
  { id, place, request, worker, fresh, pagesMax }: NewCrawl,
): Promise<boolean> {
  return store.transaction(async (db) => {
    const counts = { done: 0, duplicate: 0, skipped: 0, failed: 0 };
    const row = { id, place, request, started_at: store.now(), wanted_until: 0, ...counts };
    const added = await db
      .insertInto('crawl')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    let crawl = await lockCrawl(store, db, id);
    if (crawl !== null && added === undefined) {
      const isAtWork = (await countOtherWorkers(crawl, worker)) > 0;
      const { counts: before } = await readCounts(crawl, worker);
      if (isAtWork || (!fresh && before.done < pagesMax && before.pending > 0)) {
        // Hosts that pushed back too often are tried again.
        if (!isAtWork)
          await db.updateTable('crawl_host').set({ given_up: 0 }).where('crawl_id', '=', id).execute();
        await db.updateTable('crawl').set({ request }).where('id', '=', id).execute();
        await recordWorker(crawl, { worker, wants: true, reserved: 0 });
        return true;
      }
      await db.deleteFrom('crawl').where('id', '=', id).execute();
      await db.insertInto('crawl').values(row).execute();
      crawl = await lockCrawl(store, db, id);
    }
    if (crawl !== null) await recordWorker(crawl, { worker, wants: true, reserved: 0 });
    return false;
  });
}

/** Records that a process takes part; `wants`: other processes should help; `reserved`: its pages, if it had been gone for others. */
export async function recordWorker(
  { db, id, now }: LockedCrawl,
  { worker, wants, reserved }: { worker: string; wants: boolean; reserved: number },
): Promise<void> {
  const until = now + SEEN_MS;
  await db
    .insertInto('crawl_worker')
    .values({ crawl_id: id, id: worker, seen_until: until, reserved })
    .onConflict((conflict) => conflict.columns(['crawl_id', 'id']).doUpdateSet({ seen_until: until }))
    .execute();
  if (wants) await db.updateTable('crawl').set({ wanted_until: until }).where('id', '=', id).execute();
}

/** Counts the processes that take part, except `worker`. */
export async function countOtherWorkers({ db, id, now }: LockedCrawl, worker: string): Promise<number> {
  const { others } = await db
    .selectFrom('crawl_worker')
    .select(({ fn }) => fn.countAll<number>().as('others'))
    .where('crawl_id', '=', id)
    .where('seen_until', '>', now)
    .where('id', '!=', worker)
    .executeTakeFirstOrThrow();
  return Number(others);
}

/** The counts of a whole crawl: addresses by state, hosts with waiting addresses that were not given up, and pages reserved by others. */
type CrawlCounts = { counts: StateCounts; pendingHosts: number; reservedByOthers: number };

export async function readCounts({ db, id, now }: LockedCrawl, worker: string): Promise<CrawlCounts> {
  const { rows } = await sql<Record<keyof StateCounts | 'hosts' | 'reserved', number>>`
    select done, duplicate, skipped, failed,
      (select coalesce(sum(pending), 0) from crawl_host where crawl_id = ${id} and pending > 0) as pending,
      (select count(*) from crawl_host where crawl_id = ${id} and pending > 0 and given_up = 0) as hosts,
      (select coalesce(sum(reserved), 0) from crawl_worker
        where crawl_id = ${id} and id <> ${worker} and seen_until > ${now}) as reserved
    from crawl where id = ${id}`.execute(db);
  const [row] = rows;
  assert(row !== undefined, 'the crawl is locked');
  const { hosts, reserved, ...counts } = row;
  return { counts, pendingHosts: hosts, reservedByOthers: reserved };
}

/** Reserves pages for a process, which together with those of the others must be within the crawl's limit. */
export async function reservePages(
  { db, id }: LockedCrawl,
  { worker, reserved }: { worker: string; reserved: number },
): Promise<void> {
  await db
    .updateTable('crawl_worker')
    .set({ reserved })
    .where('crawl_id', '=', id)
    .where('id', '=', worker)
    .execute();
}

/** Removes a process from a crawl: frees its reservation, and ends the help of others unless another process wants the crawl. */
export async function removeWorker(
  { db, id, now }: LockedCrawl,
  { worker, wants }: { worker: string; wants: boolean },
): Promise<void> {
  await db
    .deleteFrom('crawl_worker')
    .where('crawl_id', '=', id)
    .where((is) => is.or([is('id', '=', worker), is('seen_until', '<', now)]))
    .execute();
  if (wants) await db.updateTable('crawl').set({ wanted_until: 0 }).where('id', '=', id).execute();
}

/** Lists the crawls into this index that need help. */
export function listWantedCrawls(
  { db, now }: CrawlStore,
  place: string,
): Promise<{ id: string; request: string }[]> {
  return db
    .selectFrom('crawl')
    .select(['id', 'request'])
    .where('place', '=', place)
    .where('wanted_until', '>', now())
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('crawl_host')
          .select('host')
          .whereRef('crawl_host.crawl_id', '=', 'crawl.id')
          .where('pending', '>', 0)
          .where('given_up', '=', 0),
      ),
    )
    .orderBy('started_at')
    .execute();
}

type UrlState = CrawlUrlTable['state'];

/** A change of an address's state; null: it is not known. */
export type UrlMove = { host: string; from: UrlState | null; to: UrlState | null };

/** Brings the counts of the crawl and of its hosts into line with changes of addresses. */
export async function recordMoves(crawl: LockedCrawl, moves: readonly UrlMove[]): Promise<void> {
  if (moves.length === 0) return;
  const { db, dialect, id } = crawl;
  const hosts = new Map<string, { host: string; urls: number; pending: number; visited: number }>();
  const counts: StateCounts = { pending: 0, done: 0, duplicate: 0, skipped: 0, failed: 0 };
  for (const { host, from, to } of moves) {
    const change = hosts.get(host) ?? { host, urls: 0, pending: 0, visited: 0 };
    hosts.set(host, change);
    change.urls += Number(from === null) - Number(to === null);
    change.pending += Number(to === 'pending') - Number(from === 'pending');
    if (to !== null && to !== 'pending') change.visited = 1;
    if (from !== null) counts[from] -= 1;
    if (to !== null) counts[to] += 1;
  }
  const types = { host: 'text', urls: 'bigint', pending: 'bigint', visited: 'bigint' } as const;
  await sql`
    insert into crawl_host (crawl_id, host, urls, pending, visited)
    select ${id}, host, urls, pending, visited from ${toRowSet(dialect, [...hosts.values()], types)} where true
    on conflict (crawl_id, host) do update set urls = crawl_host.urls + excluded.urls,
      pending = crawl_host.pending + excluded.pending,
      visited = case when excluded.visited = 1 then 1 else crawl_host.visited end`.execute(db);
  await db
    .updateTable('crawl')
    .set((is) => ({
      done: is('done', '+', counts.done),
      duplicate: is('duplicate', '+', counts.duplicate),
      skipped: is('skipped', '+', counts.skipped),
      failed: is('failed', '+', counts.failed),
    }))
    .where('id', '=', id)
    .execute();
}
