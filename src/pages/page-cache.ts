import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { CACHE_BYTES_MAX } from '../contract/limits.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../platform/store/open-store.ts';
import { releasePages, removeRows } from '../platform/store/remove-rows.ts';
import type { Article } from './article.ts';

/** Increased whenever extraction or the stored form changes, so that an upgrade does not serve old copies. */
export const EXTRACTOR_VERSION = 9;
const EVICTED_AT_ONCE = 64;
/** Minimum time between two updates of `used_at`: an exact order of use would take a write for every read. */
const TOUCH_AFTER_MS = 60_000;

export type CachedPage = {
  article: Article;
  etag: string | null;
  lastModified: string | null;
  /** When the origin last confirmed it, in milliseconds since the epoch. */
  fetchedAt: number;
};

export type PageCache = {
  /** `since`: a copy older than this is not wanted if another tier may have a younger one; absent: any copy will do. */
  get(url: string, since?: number): Promise<CachedPage | null>;
  /** `token`: the token of the lease under which the page was fetched; absent: no lease was held. */
  put(url: string, page: CachedPage, token?: number): Promise<void>;
  /** Records that the origin has confirmed the page as unchanged. */
  confirm(url: string, fetchedAt: number, token?: number): Promise<void>;
  remove(url: string): Promise<void>;
  /** Drops the pages in memory; the table keeps its pages. */
  release(): void;
};

/** Stores articles by address; bounded in bytes, least recently used evicted first. */
export function createPageCache(parts: { store: Store; clock: Clock; bytesMax?: number }): PageCache {
  const { store, clock, bytesMax = CACHE_BYTES_MAX } = parts;
  // Bytes in the table; null if they must be counted again.
  let held: number | null = null;
  const recent = createRecentPages();

  return {
    async get(url) {
      const now = clock.now();
      const found = recent.get(url, now - TOUCH_AFTER_MS);
      if (found !== null) return found;
      const keep = recent.keeper(url);
      const row = await store.selectFrom('page_cache').selectAll().where('url', '=', url).executeTakeFirst();
      const article = row === undefined ? null : parseStoredArticle(row.article);
      if (row === undefined || article === null) return null;
      if (now - row.used_at > TOUCH_AFTER_MS) {
        await store.updateTable('page_cache').set({ used_at: now }).where('url', '=', url).execute();
      }
      const { etag, last_modified: lastModified, fetched_at: fetchedAt, bytes } = row;
      return keep({ article, etag, lastModified, fetchedAt }, { bytes, at: now });
    },
    async put(url, { article, etag, lastModified, fetchedAt }) {
      const json = JSON.stringify({ version: EXTRACTOR_VERSION, article });
      const values = {
        article: json,
        etag,
        last_modified: lastModified,
        fetched_at: fetchedAt,
        used_at: clock.now(),
        bytes: Buffer.byteLength(json),
      };
      await store
        .insertInto('page_cache')
        .values({ url, ...values })
        .onConflict((conflict) => conflict.column('url').doUpdateSet(values))
        .execute();
      recent.drop(url);
      // A replaced page counts twice until the next count, which errs on the safe side.
      held = (held ?? (await sumCachedBytes(store)) - values.bytes) + values.bytes;
      if (held > bytesMax) held = await evict(store, bytesMax);
    },
    async confirm(url, fetchedAt) {
      await store
        .updateTable('page_cache')
        .set({ fetched_at: fetchedAt, used_at: clock.now() })
        .where('url', '=', url)
        .execute();
      recent.drop(url);
    },
    async remove(url) {
      await store.deleteFrom('page_cache').where('url', '=', url).execute();
      recent.drop(url);
    },
    release: recent.clear,
  };
}

/** Maximum bytes of the rows whose parsed pages are kept in memory, so that a second caller need not parse them again. */
const RECENT_BYTES_MAX = 24 * 1_048_576;

type RowUse = { bytes: number; at: number };
type RecentPages = {
  /** Returns the page, unless its last use was recorded before `touchedSince` and must be recorded in the table again. */
  get(url: string, touchedSince: number): CachedPage | null;
  /** Call this before a row is read: the returned function keeps the page in memory, unless any page was dropped meanwhile. */
  keeper(url: string): (page: CachedPage, read: RowUse) => CachedPage;
  /** Call this after the row of the page has changed. */
  drop(url: string): void;
  clear(): void;
};

function createRecentPages(): RecentPages {
  const pages = new LRUCache<string, RowUse & { page: CachedPage }>({
    maxSize: RECENT_BYTES_MAX,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes),
  });
  let changes = 0;
  return {
    get(url, touchedSince) {
      const found = pages.get(url);
      return found === undefined || found.at <= touchedSince ? null : found.page;
    },
    keeper(url) {
      const before = changes;
      return (page, read) => {
        if (changes === before) pages.set(url, { ...read, page });
        return page;
      };
    },
    drop(url) {
      changes += 1;
      pages.delete(url);
    },
    clear() {
      changes += 1;
      pages.clear();
    },
  };
}

function parseStoredArticle(json: string): Article | null {
  const { version, article } = JSON.parse(json) as { version: number; article: Article };
  return version === EXTRACTOR_VERSION ? article : null;
}

async function sumCachedBytes(store: Store): Promise<number> {
  const row = await store
    .selectFrom('page_cache')
    .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}

/** Deletes the least recently used pages in small batches, so that each write is short; returns the bytes that are left. */
async function evict(store: Store, bytesMax: number): Promise<number> {
  let held = await sumCachedBytes(store);
  while (held > bytesMax) {
    const oldest = await store
      .selectFrom('page_cache')
      .select(['url', 'bytes'])
      .orderBy('used_at')
      .limit(EVICTED_AT_ONCE)
      .execute();
    const leaving: string[] = [];
    for (const { url, bytes } of oldest) {
      if (held <= bytesMax) break;
      leaving.push(url);
      held -= bytes;
    }
    if (leaving.length === 0) return held;
    await store.deleteFrom('page_cache').where('url', 'in', leaving).execute();
    // A full batch frees more than the next pages fill again.
    if (leaving.length === EVICTED_AT_ONCE) await releasePages(store);
  }
  return held;
}

/** The addresses of a cached page: as requested, as read and as declared. */
type CopyRow = { id: number; asked: string; readFrom: string | null; declared: string | null };

/** Deletes each cached page for which one of its addresses satisfies `isMeant`; returns how many. */
export function removeCopies(store: Store, isMeant: (address: string) => boolean): Promise<number> {
  return removeRows<CopyRow>(store, {
    async read(after, limit) {
      const { rows } = await sql<CopyRow>`
        select rowid as id, url as asked, json_extract(article, '$.article.url') as readFrom,
          json_extract(article, '$.article.canonicalUrl') as declared
        from page_cache where rowid > ${after} order by rowid limit ${limit}`.execute(store);
      return rows;
    },
    isMeant: ({ asked, readFrom, declared }) =>
      [asked, readFrom, declared].some((address) => address !== null && isMeant(address)),
    remove: (ids) => sql`delete from page_cache where rowid in (${sql.join(ids)})`.execute(store),
  });
}
