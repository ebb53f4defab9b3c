/**
 * Copies of public pages in the store that several processes share, with the leases that let one process fetch a page for all. Private
 * pages never enter it, and it is not the cache of this process, which stands in front of it.
 */

import { createFetchFailure, type Failure } from '../../contract/errors.ts';
import { type OnceWork, runOnceAcross } from '../../platform/store/shared/run-once-across.ts';
import type { SealedValues } from '../../platform/store/shared/sealed-values.ts';
import {
  createSharedValues,
  type SharedStore,
  type SharedValues,
  type Token,
} from '../../platform/store/shared/shared-values.ts';
import { type CachedPage, EXTRACTOR_VERSION, type PageCache } from '../page-cache.ts';

/** Copies of public pages that several processes share, with a lease for the process that fetches a page. */
export type SharedPages = {
  get(key: string): Promise<CachedPage | null>;
  /**
   * Stores a copy. With a token, only if no other process has fetched or removed the page since the token was issued; returns false
   * otherwise.
   */
  put(key: string, page: CachedPage, token?: Token): Promise<boolean>;
  /** Removes the copy here and in the other processes. */
  remove(key: string): Promise<void>;
  /** Drops all copies. */
  removeAll(): Promise<void>;
  /** Calls `drop` for each page that another process removes. */
  onRemoved(drop: (key: string) => Promise<void>): void;
  /** Returns the failure with which the origin has recently reported a page as gone; null if none is known. */
  gone(key: string, since: number): Promise<Failure | null>;
  putGone(key: string, failure: Failure, at: number): Promise<void>;
  /** Loads a page in one process at a time: see `runOnceAcross`. */
  once<Result>(key: string, load: SharedLoad<Result>): Promise<Result>;
};

type SharedLoad<Result> = Omit<OnceWork<Result>, 'leaseMs' | 'waitTimeoutMs'> & { timeoutMs: number };

/** Lifetime of a copy: as long as it may be served when its origin fails. */
const PAGE_MS = 86_400_000;
/** A missing page is requested again after this time. */
const GONE_MS = 30_000;
/** Extra lease time, because a load may still be extracting after its time limit. */
const EXTRACTING_MS = 5_000;
/**
 * Share of a page's time limit spent waiting for the holder of its lease, so that enough time is left to fetch the page if the holder has
 * died.
 */
const LEASE_WAIT_SHARE = 1 / 3;
const REMOVED = 'pages-removed';

export function createSharedPages(store: SharedStore, sealed: SealedValues): SharedPages {
  const pages = createSharedValues(store, sealed, 'page');
  const gone = createSharedValues(store, sealed, 'gone');
  return {
    async get(key) {
      const found = await pages.get(buildStoreKey(key));
      return found === null ? null : (found as CachedPage);
    },
    async put(key, page, token) {
      return (await pages.put(buildStoreKey(key), page, { ttlMs: PAGE_MS, token })) !== false;
    },
    async remove(key) {
      await pages.remove(buildStoreKey(key));
      const message = sealed.seal(REMOVED, key);
      if (message !== null) store.publish(REMOVED, message.toString('base64'));
    },
    async removeAll() {
      await Promise.all([pages.removeAll(), gone.removeAll()]);
    },
    onRemoved(drop) {
      store.listen(REMOVED, (message) => {
        const key = sealed.open(REMOVED, Buffer.from(message, 'base64'));
        if (typeof key === 'string') void drop(key).catch(() => {});
      });
    },
    gone: (key, since) => findGone(gone, key, since),
    async putGone(key, { message, fetch }, at) {
      const known: GoneRecord = { at, message, httpStatus: fetch?.httpStatus ?? null };
      await gone.put(key, known, { ttlMs: GONE_MS });
    },
    once: (key, { timeoutMs, ...load }) =>
      runOnceAcross(pages, buildStoreKey(key), {
        ...load,
        leaseMs: timeoutMs + EXTRACTING_MS,
        waitTimeoutMs: timeoutMs * LEASE_WAIT_SHARE,
      }),
  };
}

/** Prefixes the version, so that processes of different versions do not read each other's pages. */
const buildStoreKey = (key: string): string => `${EXTRACTOR_VERSION} ${key}`;

type GoneRecord = { at: number; message: string; httpStatus: number | null };

async function findGone(gone: SharedValues, key: string, since: number): Promise<Failure | null> {
  const found = (await gone.get(key)) as GoneRecord | null;
  if (found === null || found.at <= since) return null;
  return createFetchFailure('http_status', found.message, { httpStatus: found.httpStatus });
}

/**
 * The cache of this process in front of the one that processes share. A copy from the shared cache is also stored locally, so it is
 * fetched over the network once and outlives the shared store.
 */
export function createTieredPages(own: PageCache, shared: SharedPages): PageCache {
  /** Counts removals: a copy read from the shared store while a page was removed may be a copy of that page. */
  let removals = 0;
  const removeOwn = (url: string): Promise<void> => {
    removals += 1;
    return own.remove(url);
  };
  shared.onRemoved(removeOwn);
  return {
    async get(url, since = Number.NEGATIVE_INFINITY) {
      const copy = await own.get(url);
      if (copy !== null && copy.fetchedAt > since) return copy;
      const before = removals;
      const found = await shared.get(url);
      if (found === null || (copy !== null && copy.fetchedAt >= found.fetchedAt)) return copy;
      if (removals !== before) return shared.get(url);
      await own.put(url, found);
      return found;
    },
    async put(url, page, token) {
      if (token === undefined) await Promise.all([own.put(url, page), shared.put(url, page)]);
      // A loader that has lost its lease may hold a page that has become private meanwhile.
      else if (await shared.put(url, page, token)) await own.put(url, page);
    },
    async confirm(url, fetchedAt, token) {
      await own.confirm(url, fetchedAt);
      const page = await own.get(url);
      if (page !== null) await shared.put(url, page, token);
    },
    async remove(url) {
      await Promise.all([removeOwn(url), shared.remove(url)]);
    },
    release: own.release,
  };
}
