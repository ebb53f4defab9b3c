import { sql } from 'kysely';
import type { CrawlQueries, CrawlStore } from '../../platform/store/crawls/open-crawl-store.ts';
import { removeInSteps } from '../../platform/store/remove-rows.ts';
import { toHostKey } from '../../text/urls/sites.ts';
import type { FrontierRow, StateCounts, VisitOutcome } from '../frontier/frontier-types.ts';
import { lockCrawl } from './crawl-rows.ts';
import { NOW } from './host-rows.ts';

/** Maximum addresses in total and per host, and maximum hosts; null: all hosts that the scope covers. */
export type FrontierBounds = { urlsMax: number; hostUrlsMax: number; hostsMax: number | null };

/** An address to add; `reason`: why it is skipped, null if it is to be visited. */
export type NewUrl = { url: string; depth: number; reason: string | null };

/** Returns the waiting rows of a host in breadth-first order, retries last. Their `not_before` is by this process's clock, `now`. */
export async function readNextUrls(
  db: CrawlQueries,
  crawlId: string,
  { host, limit, now }: { host: string; limit: number; now: number },
): Promise<FrontierRow[]> {
  return db
    .selectFrom('spread_url')
    .select(['id', 'url', 'host', 'depth', 'attempts'])
    .select(
      sql<number>`case when not_before = 0 then 0 else not_before - ${NOW} + ${now}::bigint end`.as(
        'not_before',
      ),
    )
    .where('crawl_id', '=', crawlId)
    .where('host', '=', host)
    .where('state', '=', 'pending')
    .orderBy('attempts')
    .orderBy('depth')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Reads all addresses of some hosts, with the addresses of their pages in the index. */
export function readUrls(db: CrawlQueries, crawlId: string, hosts: readonly string[]) {
  return db
    .selectFrom('spread_url')
    .select(['url', 'state', 'page_url', 'title'])
    .where('crawl_id', '=', crawlId)
    .where('host', 'in', hosts)
    .execute();
}

/** Lists the hosts of a crawl. */
export async function readHosts(db: CrawlQueries, crawlId: string): Promise<string[]> {
  const rows = await db.selectFrom('spread_host').select('host').where('crawl_id', '=', crawlId).execute();
  return rows.map(({ host }) => host);
}

/** Adds addresses that are new and within the bounds. The caller holds the crawl's row. */
export async function insertUrls(
  tx: CrawlQueries,
  crawlId: string,
  { urls, bounds }: { urls: readonly NewUrl[]; bounds: FrontierBounds },
): Promise<void> {
  if (urls.length === 0) return;
  const rows = await filterWithinBounds(tx, crawlId, { urls, bounds });
  await sql`
    with added as (
      insert into spread_url (crawl_id, url, host, depth, state, reason)
      select ${crawlId}, u.url, u.host, u.depth, case when u.reason is null then 'pending' else 'skipped' end, u.reason
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as u(url text, host text, depth bigint, reason text)
      on conflict (crawl_id, url) do nothing returning host, state
    ), of_hosts as (
      insert into spread_host (crawl_id, host, urls, pending, visited)
      select ${crawlId}, host, count(*), count(*) filter (where state = 'pending'), bool_or(state = 'skipped') from added group by host
      on conflict (crawl_id, host) do update set urls = spread_host.urls + excluded.urls,
        pending = spread_host.pending + excluded.pending, visited = spread_host.visited or excluded.visited
    )
    update spread_crawl set skipped = skipped + (select count(*) from added where state = 'skipped') where id = ${crawlId}`.execute(
    tx,
  );
}

async function filterWithinBounds(
  tx: CrawlQueries,
  crawlId: string,
  { urls, bounds }: { urls: readonly NewUrl[]; bounds: FrontierBounds },
): Promise<(NewUrl & { host: string })[]> {
  const rows = urls.map((row) => ({ ...row, host: toHostKey(row.url) }));
  const { rows: held } = await sql<{ host: string; urls: number }>`
    select host, urls from spread_host
    where crawl_id = ${crawlId} and host in (select jsonb_array_elements_text(${JSON.stringify([...new Set(rows.map(({ host }) => host))])}::jsonb))`.execute(
    tx,
  );
  const { rows: whole } = await sql<{ hosts: number; urls: number }>`
    select count(*) as hosts, coalesce(sum(urls), 0) as urls from spread_host where crawl_id = ${crawlId}`.execute(
    tx,
  );
  const known = new Map(held.map(({ host, urls: count }) => [host, Number(count)]));
  let { hosts, urls: all } = { hosts: Number(whole[0]?.hosts ?? 0), urls: Number(whole[0]?.urls ?? 0) };
  return rows.filter(({ host }) => {
    const ofHost = known.get(host);
    if (all >= bounds.urlsMax || (ofHost ?? 0) >= bounds.hostUrlsMax) return false;
    if (ofHost === undefined && bounds.hostsMax !== null && hosts >= bounds.hostsMax) return false;
    if (ofHost === undefined) hosts += 1;
    known.set(host, (ofHost ?? 0) + 1);
    all += 1;
    return true;
  });
}

/** Writes outcomes and updates the counts. The caller holds the crawl's row and the leases of the hosts. */
export async function writeOutcomes(
  tx: CrawlQueries,
  crawlId: string,
  { outcomes, now }: { outcomes: readonly VisitOutcome[]; now: number },
): Promise<void> {
  if (outcomes.length === 0) return;
  const rows = JSON.stringify(outcomes.map((outcome) => buildColumns(outcome, now)));
  await sql`
    with settled as (
      update spread_url u set state = o.state, attempts = o.attempts, reason = o.reason, page_url = coalesce(o.page_url, u.page_url),
        title = coalesce(o.title, u.title), not_before = case when o.wait_ms is null then u.not_before else ${NOW} + o.wait_ms end
      from jsonb_to_recordset(${rows}::jsonb)
        as o(id bigint, state text, attempts bigint, reason text, page_url text, title text, wait_ms bigint)
      where u.crawl_id = ${crawlId} and u.id = o.id and u.state = 'pending' returning u.host, u.state
    ), of_hosts as (
      update spread_host h set pending = h.pending - s.ended, visited = h.visited or s.ended > 0
      from (select host, count(*) filter (where state <> 'pending') as ended from settled group by host) s
      where h.crawl_id = ${crawlId} and h.host = s.host
    )
    update spread_crawl set ${sql.join(
      ENDINGS.map(
        (state) =>
          sql`${sql.ref(state)} = ${sql.ref(state)} + (select count(*) from settled where state = ${sql.lit(state)})`,
      ),
    )} where id = ${crawlId}`.execute(tx);
}

const ENDINGS = ['done', 'duplicate', 'skipped', 'failed'] as const;

type OutcomeColumns = {
  id: number;
  state: keyof StateCounts;
  attempts: number;
  reason: string | null;
  page_url: string | null;
  title: string | null;
  wait_ms: number | null;
};

function buildColumns(outcome: VisitOutcome, now: number): OutcomeColumns {
  const { id, attempts } = outcome.row;
  const columns = { id, attempts: attempts + 1, reason: null, page_url: null, title: null, wait_ms: null };
  switch (outcome.state) {
    case 'done': {
      // A row with an address but no title claims that address; the page there can cause it to be read again.
      const { pageUrl, title, claims } = outcome;
      const place = claims === null ? { page_url: pageUrl, title } : { page_url: claims };
      return { ...columns, ...place, state: 'done' };
    }
    case 'duplicate':
      return { ...columns, state: 'duplicate', page_url: outcome.pageUrl };
    case 'retry': {
      const wait = Math.max(0, Math.ceil(outcome.notBefore - now));
      return { ...columns, state: 'pending', reason: outcome.reason, wait_ms: wait };
    }
    default:
      return { ...columns, state: outcome.state, reason: outcome.reason };
  }
}

/**
 * Resets pages to pending that declared one of these pages as their canonical one, because their claim can be checked now; with `all`, also
 * pages that were indexed under its address. The caller holds the crawl's row.
 */
export async function reopenUrls(
  tx: CrawlQueries,
  crawlId: string,
  read: readonly { id: number; pageUrl: string; all: boolean }[],
): Promise<void> {
  if (read.length === 0) return;
  const rows = JSON.stringify(read.map(({ id, pageUrl, all }) => ({ id, page_url: pageUrl, every: all })));
  await reopen(
    tx,
    crawlId,
    sql`u.id in (select c.id from spread_url c join jsonb_to_recordset(${rows}::jsonb) as o(id bigint, page_url text, every boolean)
      on c.page_url = o.page_url and c.id <> o.id where c.crawl_id = ${crawlId} and c.state = 'done' and (c.title is null or o.every))`,
  );
}

/**
 * Resets pages to pending whose declared canonical page another process has read in the meantime. Resolves to the titles of the declared
 * pages by their addresses. The caller holds the crawl's row.
 */
export async function reopenClaims(
  tx: CrawlQueries,
  crawlId: string,
  claims: readonly { id: number; url: string }[],
): Promise<Map<string, string>> {
  if (claims.length === 0) return new Map();
  const read = await tx
    .selectFrom('spread_url')
    .select(['page_url', 'title'])
    .where('crawl_id', '=', crawlId)
    .where('state', '=', 'done')
    .where('title', 'is not', null)
    .where(
      'page_url',
      'in',
      claims.map(({ url }) => url),
    )
    .execute();
  const titles = new Map(read.map(({ page_url: url, title }) => [url ?? '', title ?? '']));
  const ids = claims.filter(({ url }) => titles.has(url)).map(({ id }) => id);
  if (ids.length > 0) await reopen(tx, crawlId, sql`u.state = 'done' and u.id in (${sql.join(ids)})`);
  return titles;
}

async function reopen(tx: CrawlQueries, crawlId: string, which: ReturnType<typeof sql>): Promise<void> {
  await sql`
    with reopened as (
      update spread_url u set state = 'pending', attempts = 0, page_url = null, title = null
      where u.crawl_id = ${crawlId} and ${which} returning u.host
    ), of_hosts as (
      update spread_host h set pending = h.pending + r.again
      from (select host, count(*) as again from reopened group by host) r where h.crawl_id = ${crawlId} and h.host = r.host
    )
    update spread_crawl set done = done - (select count(*) from reopened) where id = ${crawlId}`.execute(tx);
}

/** Counts skipped and failed addresses by reason, the most frequent first. */
export async function countReasons(db: CrawlQueries, crawlId: string) {
  const { rows } = await sql<{ state: 'skipped' | 'failed'; reason: string; urls: number; example: string }>`
    select state, coalesce(reason, '') as reason, count(*) as urls, min(url) as example from spread_url
    where crawl_id = ${crawlId} and state in ('skipped', 'failed') group by 1, 2 order by 3 desc, 2`.execute(
    db,
  );
  return rows;
}

/** Deletes addresses, and the titles of their pages, from the frontiers of all crawls; returns how many. */
export function removeDistributedAddresses(
  store: CrawlStore,
  isMeant: (address: string) => boolean,
): Promise<number> {
  return removeInSteps({
    read: (after, limit) =>
      store.db
        .selectFrom('spread_url')
        .select(['id', 'url', 'page_url'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    isMeant: ({ url, page_url: pageUrl }) => isMeant(url) || (pageUrl !== null && isMeant(pageUrl)),
    remove: (ids) => removeUrls(store, ids),
  });
}

/** Also lowers the counts of their hosts: otherwise a crawl would wait for ever for an address that is gone. */
async function removeUrls(store: CrawlStore, ids: readonly number[]): Promise<void> {
  await store.transaction(async (tx) => {
    const crawls = await tx
      .selectFrom('spread_url')
      .select('crawl_id')
      .distinct()
      .where('id', 'in', ids)
      .orderBy('crawl_id')
      .execute();
    for (const { crawl_id: crawlId } of crawls) await lockCrawl(tx, crawlId);
    await sql`
      with gone as (delete from spread_url where id in (${sql.join([...ids])}) returning crawl_id, host, state)
      update spread_host h set urls = h.urls - g.urls, pending = h.pending - g.pending
      from (select crawl_id, host, count(*) as urls, count(*) filter (where state = 'pending') as pending from gone group by 1, 2) g
      where h.crawl_id = g.crawl_id and h.host = g.host`.execute(tx);
  });
}
