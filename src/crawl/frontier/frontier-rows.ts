import type { Selectable } from 'kysely';
import type { Store } from '../../platform/store/open-store.ts';
import { removeRows } from '../../platform/store/remove-rows.ts';
import type { CrawlUrlTable } from '../../platform/store/tables.ts';
import { toHostKey } from '../../text/urls/sites.ts';
import type { Frontier, FrontierRow, VisitOutcome } from './frontier-types.ts';
import type { KnownRow } from './known-urls.ts';

/** Rows per INSERT; SQLite accepts some 32,000 parameters, and a row has seven. */
const INSERTED_ROWS = 100;
const READ_ROWS = 10_000;

/** Yields all rows of a crawl, READ_ROWS at a time. */
export async function* streamKnownRows(store: Store, crawlId: string): AsyncGenerator<KnownRow[]> {
  for (let after = 0; ; ) {
    const rows = await store
      .selectFrom('crawl_url')
      .select(['id', 'url', 'host', 'state', 'page_url', 'title'])
      .where('crawl_id', '=', crawlId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(READ_ROWS)
      .execute();
    yield rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** Returns the waiting rows of a host in breadth-first order, retries last. */
export async function readNextRows(
  store: Store,
  crawlId: string,
  { host, limit }: { host: string; limit: number },
): Promise<FrontierRow[]> {
  return store
    .selectFrom('crawl_url')
    .select(['id', 'url', 'host', 'depth', 'attempts', 'not_before'])
    .where('crawl_id', '=', crawlId)
    .where('state', '=', 'pending')
    .where('host', '=', host)
    .orderBy('attempts')
    .orderBy('depth')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Adds rows: pending ones, or skipped ones with their reason. */
export async function insertRows(
  store: Store,
  crawlId: string,
  { urls, depth, skipped = null }: { urls: string[]; depth: number; skipped?: string | null },
): Promise<void> {
  for (let at = 0; at < urls.length; at += INSERTED_ROWS) {
    const rows = urls
      .slice(at, at + INSERTED_ROWS)
      .map((url) => buildUrlRow(crawlId, { url, depth, skipped }));
    await store
      .insertInto('crawl_url')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

function buildUrlRow(
  crawlId: string,
  { url, depth, skipped }: { url: string; depth: number; skipped: string | null },
): Omit<Selectable<CrawlUrlTable>, 'id'> {
  const nothing = { attempts: 0, not_before: 0, page_url: null, title: null };
  const state = skipped === null ? 'pending' : 'skipped';
  return { crawl_id: crawlId, url, host: toHostKey(url), depth, state, reason: skipped, ...nothing };
}

/** Writes the outcome of a visit. */
export async function writeOutcome(tx: Store, outcome: VisitOutcome): Promise<void> {
  const { id, attempts } = outcome.row;
  const update = tx.updateTable('crawl_url').where('id', '=', id);
  const tried = { attempts: attempts + 1 };
  switch (outcome.state) {
    case 'done':
      await update.set({ ...tried, state: 'done', reason: null, ...buildPageColumns(outcome) }).execute();
      return;
    case 'duplicate':
      await update.set({ ...tried, state: 'duplicate', reason: null, page_url: outcome.pageUrl }).execute();
      return;
    case 'retry':
      await update.set({ ...tried, reason: outcome.reason, not_before: outcome.notBefore }).execute();
      return;
    default:
      await update.set({ ...tried, state: outcome.state, reason: outcome.reason }).execute();
  }
}

/** A row with a `page_url` but no title claims that address; the page there can cause it to be read again. */
function buildPageColumns({ pageUrl, title, claims }: VisitOutcome & { state: 'done' }): {
  page_url: string;
  title: string | null;
} {
  return claims === null ? { page_url: pageUrl, title } : { page_url: claims, title: null };
}

/** Resets pages that declared this one as their canonical page to pending, because their claim can be checked now. */
export async function reopenRows(
  tx: Store,
  crawlId: string,
  { row, pageUrl }: VisitOutcome & { state: 'done' },
): Promise<Pick<FrontierRow, 'host'>[]> {
  const claimed = tx
    .updateTable('crawl_url')
    .set({ state: 'pending', attempts: 0, page_url: null, title: null })
    .where('crawl_id', '=', crawlId)
    .where('page_url', '=', pageUrl)
    .where('state', '=', 'done')
    .where('id', '!=', row.id);
  return claimed.returning('host').execute();
}

/** Counts skipped and failed addresses by reason, the most frequent first. */
export async function countReasons(store: Store, crawlId: string): ReturnType<Frontier['reasons']> {
  const rows = await store
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
    .execute();
  return rows.map(({ state, reason, urls, example }) => ({
    state: state === 'failed' ? 'failed' : 'skipped',
    reason: reason ?? '',
    urls: Number(urls),
    example,
  }));
}

/** Deletes addresses, and the titles of their pages, from the frontiers of all crawls; returns how many. */
export function removeAddresses(store: Store, isMeant: (address: string) => boolean): Promise<number> {
  return removeRows(store, {
    read: (after, limit) =>
      store
        .selectFrom('crawl_url')
        .select(['id', 'url', 'page_url'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    isMeant: ({ url, page_url: pageUrl }) => isMeant(url) || (pageUrl !== null && isMeant(pageUrl)),
    remove: (ids) => store.deleteFrom('crawl_url').where('id', 'in', ids).execute(),
  });
}
