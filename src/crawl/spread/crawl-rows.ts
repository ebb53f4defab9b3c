import { sql } from 'kysely';
import type { CrawlQueries, CrawlStore } from '../../platform/store/crawls/open-crawl-store.ts';
import type { StateCounts } from '../frontier/frontier-types.ts';
import { NOW, resetGivenUpHosts } from './host-rows.ts';

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
  return store.transaction(async (tx) => {
    const at = await lockCrawl(tx, id);
    const isAtWork = at !== null && (await countOtherWorkers(tx, id, null)) > 0;
    const isUnfinished = at !== null && at.done < pagesMax && (await countPendingUrls(tx, id)) > 0;
    if (isAtWork || (isUnfinished && !fresh)) {
      if (!isAtWork) await resetGivenUpHosts(tx, id);
      await tx.updateTable('spread_crawl').set({ request }).where('id', '=', id).execute();
      await recordWorker(tx, id, { worker, wants: true });
      return true;
    }
    await tx.deleteFrom('spread_crawl').where('id', '=', id).execute();
    const zero = { done: 0, duplicate: 0, skipped: 0, failed: 0 };
    await tx
      .insertInto('spread_crawl')
      .values({ id, place, request, started_at: NOW, wanted_until: 0, ...zero })
      .execute();
    await recordWorker(tx, id, { worker, wants: true });
    return false;
  });
}

/** Locks the row of a crawl, so that changes of its addresses take turns. */
export async function lockCrawl(tx: CrawlQueries, id: string) {
  const row = await tx
    .selectFrom('spread_crawl')
    .select(['done', 'duplicate', 'skipped', 'failed'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

async function countPendingUrls(db: CrawlQueries, id: string): Promise<number> {
  const { pending } = await db
    .selectFrom('spread_host')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('pending'), sql<number>`0`).as('pending'))
    .where('crawl_id', '=', id)
    .executeTakeFirstOrThrow();
  return Number(pending);
}

/** Counts the processes that take part, except `worker`. */
export async function countOtherWorkers(
  db: CrawlQueries,
  id: string,
  worker: string | null,
): Promise<number> {
  const { others } = await db
    .selectFrom('spread_worker')
    .select(({ fn }) => fn.countAll<number>().as('others'))
    .where('crawl_id', '=', id)
    .where('seen_until', '>', NOW)
    .$if(worker !== null, (of) => of.where('id', '!=', worker ?? ''))
    .executeTakeFirstOrThrow();
  return Number(others);
}

/** Records that a process takes part; `wants`: other processes should help. Resolves to whether any process wants the crawl. */
export async function recordWorker(
  db: CrawlQueries,
  id: string,
  { worker, wants }: { worker: string; wants: boolean },
): Promise<boolean> {
  await sql`
    insert into spread_worker (crawl_id, id, seen_until, reserved) values (${id}, ${worker}, ${NOW} + ${SEEN_MS}::bigint, 0)
    on conflict (crawl_id, id) do update set seen_until = excluded.seen_until`.execute(db);
  const crawl = db.updateTable('spread_crawl').where('id', '=', id);
  const until = sql<number>`case when ${wants}::boolean then ${NOW} + ${SEEN_MS}::bigint else wanted_until end`;
  const row = await crawl
    .set({ wanted_until: until })
    .returning(sql<boolean>`wanted_until > ${NOW}`.as('wanted'))
    .executeTakeFirst();
  return row?.wanted ?? false;
}

/** Reads the counts of a whole crawl: addresses by state, and hosts with waiting addresses that were not given up. */
export async function readCounts(
  db: CrawlQueries,
  id: string,
): Promise<{ counts: StateCounts; hosts: number; isGivenUp: boolean }> {
  const { rows } = await sql<Record<keyof StateCounts | 'hosts', number>>`
    select c.done, c.duplicate, c.skipped, c.failed, coalesce(sum(h.pending), 0) as pending,
      count(*) filter (where h.pending > 0 and not h.given_up) as hosts
    from spread_crawl c left join spread_host h on h.crawl_id = c.id where c.id = ${id} group by c.id`.execute(
    db,
  );
  const { hosts = 0, ...counts } = rows[0] ?? { done: 0, duplicate: 0, skipped: 0, failed: 0, pending: 0 };
  return { counts, hosts, isGivenUp: counts.pending > 0 && hosts === 0 };
}

/**
 * Reserves pages for a process: up to `wanted`, within the crawl's page limit less the reservations of others. The caller holds the
 * crawl's row. Resolves to the number of pages reserved.
 */
export async function reservePages(
  tx: CrawlQueries,
  id: string,
  { worker, wanted, pagesMax }: { worker: string; wanted: number; pagesMax: number },
): Promise<number> {
  const { rows } = await sql<{ reserved: number }>`
    update spread_worker set reserved = greatest(0, least(${wanted}::bigint,
      ${pagesMax}::bigint - (select done from spread_crawl where id = ${id})
        - (select coalesce(sum(reserved), 0) from spread_worker where crawl_id = ${id} and id <> ${worker} and seen_until > ${NOW})))
    where crawl_id = ${id} and id = ${worker} returning reserved`.execute(tx);
  return Number(rows[0]?.reserved ?? 0);
}

/** Removes a process from a crawl: frees its reservation, and ends the help of others unless another process wants the crawl. */
export async function removeWorker(
  db: CrawlQueries,
  id: string,
  { worker, wants }: { worker: string; wants: boolean },
): Promise<void> {
  await db
    .deleteFrom('spread_worker')
    .where('crawl_id', '=', id)
    .where((is) => is.or([is('id', '=', worker), is('seen_until', '<', NOW)]))
    .execute();
  if (wants) await db.updateTable('spread_crawl').set({ wanted_until: 0 }).where('id', '=', id).execute();
}

/** Lists the crawls into this index that need help. */
export function listWantedCrawls(
  db: CrawlQueries,
  place: string,
): Promise<{ id: string; request: string }[]> {
  return db
    .selectFrom('spread_crawl')
    .select(['id', 'request'])
    .where('place', '=', place)
    .where('wanted_until', '>', NOW)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('spread_host')
          .select('host')
          .whereRef('spread_host.crawl_id', '=', 'spread_crawl.id')
          .where('pending', '>', 0)
          .where('given_up', '=', false),
      ),
    )
    .orderBy('started_at')
    .execute();
}
