import { sql } from 'kysely';
import { type CrawlStore, toRowSet } from '../../platform/store/crawls/open-crawl-store.ts';
import { releaseSpace, removeInSteps } from '../../platform/store/remove-rows.ts';
import { toHostKey } from '../../text/urls/sites.ts';
import { changeCrawl, type LockedCrawl, recordMoves, type UrlMove } from './crawl-rows.ts';
import type { Frontier, FrontierRow, StateCounts, VisitOutcome } from './frontier-types.ts';

/** Maximum addresses in total and per host, and maximum hosts; null: all hosts that the scope covers. */
export type FrontierBounds = { urlsMax: number; hostUrlsMax: number; hostsMax: number | null };

/** An address to add; `reason`: why it is skipped, null if it is to be visited. */
export type NewUrl = { url: string; depth: number; reason: string | null };

/** Returns the waiting rows of a host in breadth-first order, retries last. Their `not_before` is by this process's clock, `now`. */
export async function readNextUrls(
  store: Pick<CrawlStore, 'db' | 'now'>,
  crawlId: string,
  { host, limit, now }: { host: string; limit: number; now: number },
): Promise<FrontierRow[]> {
  return store.db
    .selectFrom('crawl_url')
    .select(['id', 'url', 'host', 'depth', 'attempts'])
    .select(
      sql<number>`case when not_before = 0 then 0 else not_before - ${store.now()} + cast(${now} as bigint) end`.as(
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

/** Reads all addresses of some hosts, with the addresses and titles of their pages in the index. */
export function readUrls({ db }: Pick<CrawlStore, 'db'>, crawlId: string, hosts: readonly string[]) {
  return db
    .selectFrom('crawl_url')
    .select(['url', 'state', 'page_url', 'title'])
    .where('crawl_id', '=', crawlId)
    .where('host', 'in', hosts)
    .execute();
}

/** Adds addresses that are new and within the bounds. The caller records the moves. */
export async function insertUrls(
  crawl: LockedCrawl,
  { urls, bounds }: { urls: readonly NewUrl[]; bounds: FrontierBounds },
): Promise<UrlMove[]> {
  if (urls.length === 0) return [];
  const { db, dialect, id } = crawl;
  const rows = await filterWithinBounds(crawl, { urls, bounds });
  const types = { url: 'text', host: 'text', depth: 'bigint', reason: 'text' } as const;
  const { rows: added } = await sql<{ host: string; state: keyof StateCounts }>`
    insert into crawl_url (crawl_id, url, host, depth, state, attempts, not_before, reason)
    select ${id}, url, host, depth, case when reason is null then 'pending' else 'skipped' end, 0, 0, reason
    from ${toRowSet(dialect, rows, types)} where true
    on conflict (crawl_id, url) do nothing returning host, state`.execute(db);
  return added.map(({ host, state }) => ({ host, from: null, to: state }));
}

async function filterWithinBounds(
  { db, id }: LockedCrawl,
  { urls, bounds }: { urls: readonly NewUrl[]; bounds: FrontierBounds },
): Promise<(NewUrl & { host: string })[]> {
  const rows = urls.map((row) => ({ ...row, host: toHostKey(row.url) }));
  const known = new Map<string, number>();
  const names = [...new Set(rows.map(({ host }) => host))];
  for (let at = 0; at < names.length; at += NAMES_MAX) {
    const held = await db
      .selectFrom('crawl_host')
      .select(['host', 'urls'])
      .where('crawl_id', '=', id)
      .where('host', 'in', names.slice(at, at + NAMES_MAX))
      .execute();
    for (const { host, urls: count } of held) known.set(host, count);
  }
  const whole = await db
    .selectFrom('crawl_host')
    .select(({ fn, val }) => [
      fn.countAll<number>().as('hosts'),
      fn.coalesce(fn.sum<number>('urls'), val(0)).as('urls'),
    ])
    .where('crawl_id', '=', id)
    .executeTakeFirstOrThrow();
  let { hosts, urls: all } = { hosts: Number(whole.hosts), urls: Number(whole.urls) };
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

/** Maximum names in one list of a query. */
const NAMES_MAX = 1_000;

/** Writes outcomes. The caller holds the leases of the hosts, and records the moves. */
export async function writeOutcomes(
  crawl: LockedCrawl,
  { outcomes, now }: { outcomes: readonly VisitOutcome[]; now: number },
): Promise<UrlMove[]> {
  if (outcomes.length === 0) return [];
  const { db, dialect, id } = crawl;
  // With the crawl in each row, so that SQLite looks each address up instead of reading all addresses of the crawl.
  const rows = outcomes.map((outcome) => ({ crawl_id: id, ...buildColumns(outcome, crawl.now - now) }));
  const number = 'bigint';
  const types = { id: number, state: 'text', attempts: number, reason: 'text', not_before: number } as const;
  const set = toRowSet(dialect, rows, { ...types, crawl_id: 'text', page_url: 'text', title: 'text' });
  const { rows: written } = await sql<{ host: string; state: keyof StateCounts }>`
    update crawl_url set state = o.state, attempts = o.attempts, reason = o.reason, page_url = o.page_url, title = o.title,
      not_before = coalesce(o.not_before, crawl_url.not_before)
    from ${set} where crawl_url.crawl_id = o.crawl_id and crawl_url.id = o.id and crawl_url.state = 'pending'
    returning crawl_url.host, crawl_url.state`.execute(db);
  return written.map(({ host, state }) => ({ host, from: 'pending', to: state }));
}

/** `ahead`: milliseconds by which the clock of the store is ahead of this process's. */
function buildColumns(outcome: VisitOutcome, ahead: number) {
  const { id, attempts } = outcome.row;
  const { state } = outcome;
  const isDone = state === 'done';
  const claims = isDone ? outcome.claims : null;
  return {
    id,
    state: state === 'retry' ? ('pending' as const) : state,
    attempts: attempts + 1,
    reason: 'reason' in outcome ? outcome.reason : null,
    not_before: state === 'retry' ? Math.ceil(outcome.notBefore + ahead) : null,
    page_url: claims ?? ('pageUrl' in outcome ? outcome.pageUrl : null),
    // A page with a title has the address; one without only claims it.
    title: isDone && claims === null ? outcome.title : null,
  };
}

/**
 * Resets pages to pending that declared one of these addresses as their canonical one, if the page there has been read: their claims can
 * be checked now. Resolves to the titles of the pages at these addresses. The caller records the moves.
 */
export async function reopenClaims(
  { db, id }: LockedCrawl,
  urls: readonly string[],
): Promise<{ titles: Map<string, string>; reopened: UrlMove[] }> {
  if (urls.length === 0) return { titles: new Map(), reopened: [] };
  const read = await db
    .selectFrom('crawl_url')
    .select(['page_url', 'title'])
    .where('crawl_id', '=', id)
    .where('state', '=', 'done')
    .where('title', 'is not', null)
    .where('page_url', 'in', urls)
    .execute();
  const titles = new Map(read.map(({ page_url: url, title }) => [url ?? '', title ?? '']));
  if (titles.size === 0) return { titles, reopened: [] };
  const rows = await db
    .updateTable('crawl_url')
    .set({ state: 'pending', attempts: 0, page_url: null })
    .where('crawl_id', '=', id)
    .where('state', '=', 'done')
    .where('title', 'is', null)
    .where('page_url', 'in', [...titles.keys()])
    .returning('host')
    .execute();
  return { titles, reopened: rows.map(({ host }) => ({ host, from: 'done', to: 'pending' })) };
}

/** Counts skipped and failed addresses by reason, the most frequent first. */
export async function countReasons(
  { db }: Pick<CrawlStore, 'db'>,
  crawlId: string,
): ReturnType<Frontier['reasons']> {
  const rows = await db
    .selectFrom('crawl_url')
    .select(({ fn }) => [
      'state',
      'reason',
      fn.countAll<number>().as('urls'),
      fn.min<string>('url').as('example'),
    ])
    .where('crawl_id', '=', crawlId)
    .where('state', 'in', ['skipped', 'failed'])
    .groupBy(['state', 'reason'])
    .orderBy('urls', 'desc')
    .orderBy('reason')
    .execute();
  return rows.map(({ state, reason, urls, example }) => ({
    state: state === 'failed' ? 'failed' : 'skipped',
    reason: reason ?? '',
    urls: Number(urls),
    example,
  }));
}

/** Deletes addresses, and the titles of their pages, from the frontiers of all crawls; returns how many. */
export async function removeAddresses(
  store: CrawlStore,
  isMeant: (address: string) => boolean,
): Promise<number> {
  const removed = await removeInSteps({
    read: (after, limit) =>
      store.db
        .selectFrom('crawl_url')
        .select(['id', 'url', 'page_url'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    isMeant: ({ url, page_url: pageUrl }) => isMeant(url) || (pageUrl !== null && isMeant(pageUrl)),
    remove: (ids) => removeUrls(store, ids),
  });
  if (removed > 0 && store.dialect === 'sqlite') await releaseSpace(store.db);
  return removed;
}

/** Also lowers the counts: otherwise a crawl would wait for ever for an address that is gone. */
async function removeUrls(store: CrawlStore, ids: readonly number[]): Promise<void> {
  const rows = await store.db
    .selectFrom('crawl_url')
    .select('crawl_id')
    .distinct()
    .where('id', 'in', ids)
    .execute();
  for (const { crawl_id: crawlId } of rows)
    await changeCrawl(store, crawlId, async (crawl) => {
      const gone = await crawl.db
        .deleteFrom('crawl_url')
        .where('crawl_id', '=', crawlId)
        .where('id', 'in', ids)
        .returning(['host', 'state'])
        .execute();
      await recordMoves(
        crawl,
        gone.map(({ host, state }) => ({ host, from: state, to: null })),
      );
    });
}
