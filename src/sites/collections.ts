import { randomBytes } from 'node:crypto';
import { Failure } from '../contract/errors.ts';
import { PRIVATE_SITES } from '../contract/limits.ts';
import { toIndexedPage } from '../index/indexed-page.ts';
import type { LocalIndex } from '../index/local-index-types.ts';
import type { Page } from '../pages/article.ts';
import type { Clock } from '../platform/clock.ts';
import type {
  CollectionTable,
  PrivateSiteStore,
} from '../platform/store/private-sites/open-private-site-store.ts';
import type { LibraryFilter } from '../text/query/library-filter.ts';
import type { PageCollection } from './private-site-types.ts';

/** Whoever asks for collections. */
type CollectionReader = {
  /** Null: somebody who may own none. */
  owner: string | null;
  /** Null: a caller without a key. */
  keyId: string | null;
};

/** The collections that a search is restricted to. */
export type CollectionChoice = {
  filter: LibraryFilter;
  /** Replaces the addresses that the index has for pages of collections by their own, in every text of a value. */
  restoreUrls<Value>(value: Value): Value;
};

export type Collections = {
  /** Throws `Failure('validation_error')` for a name of which the reader may search no collection. */
  choose(names: readonly string[], reader: CollectionReader): Promise<CollectionChoice>;
  list(owner: string): Promise<PageCollection[]>;
  /** Finds or creates the collection of an owner. Throws `Failure('rate_limited')` if the owner has too many. */
  open(owner: string, name: string): Promise<PageCollection>;
  /** Replaces the keys that may search a collection; null if the owner has none of this name. */
  setReaders(owner: string, name: string, keyIds: readonly string[]): Promise<PageCollection | null>;
  /** Files a page, if there is room for it. */
  file(id: string, page: Pick<Page, 'article' | 'fetchedAt'>): Promise<void>;
  /** Deletes the pages of a collection from the index, and then the collection unless a profile still files there. */
  remove(owner: string, name: string): Promise<boolean>;
};

type CollectionDeps = {
  store: PrivateSiteStore;
  index: Pick<LocalIndex, 'put' | 'forget' | 'remove'>;
  clock: Clock;
};

const REMOVED_AT_ONCE = 200;
/** A prefix that no page has. */
const NOTHING_HELD = 'https://collections.invalid/';
/** What the index has as the kind of a page of a collection. */
const KIND = 'private';

/**
 * Pages that were read for one owner. The index files them as it files pages of private libraries: under an address of their own, which
 * no other tenant's page and no public page can have, and with a mark that every search without this collection excludes.
 */
export function createCollections({ store, index, clock }: CollectionDeps): Collections {
  const { db } = store;
  const find = (owner: string, name: string) =>
    db
      .selectFrom('collection')
      .selectAll()
      .where('owner', '=', owner)
      .where('name', '=', name)
      .executeTakeFirst();
  const describe = async (row: CollectionTable): Promise<PageCollection> => {
    const readers = await db
      .selectFrom('collection_reader')
      .select('key_id')
      .where('collection_id', '=', row.id)
      .orderBy('key_id')
      .execute();
    const { id, owner, name, created_at } = row;
    return {
      id,
      owner,
      name,
      readers: readers.map((reader) => reader.key_id),
      ...(await measure(id)),
      createdAt: Number(created_at),
    };
  };
  const measure = async (id: string, exceptUrl = ''): Promise<{ pages: number; bytes: number }> => {
    const sums = await db
      .selectFrom('collection_page')
      .select(({ fn }) => [fn.countAll().as('pages'), fn.sum('bytes').as('bytes')])
      .where('collection_id', '=', id)
      .where('url', '<>', exceptUrl)
      .executeTakeFirst();
    return { pages: Number(sums?.pages ?? 0), bytes: Number(sums?.bytes ?? 0) };
  };
  const findReadable = async (name: string, { owner, keyId }: CollectionReader): Promise<string | null> => {
    const own = owner === null ? undefined : await find(owner, name);
    if (own !== undefined || keyId === null) return own?.id ?? null;
    const shared = await db
      .selectFrom('collection')
      .innerJoin('collection_reader', 'collection_reader.collection_id', 'collection.id')
      .select('collection.id')
      .where('collection_reader.key_id', '=', keyId)
      .where('collection.name', '=', name)
      .orderBy('collection.created_at')
      .executeTakeFirst();
    return shared?.id ?? null;
  };
  return {
    async choose(names, reader) {
      const ids: string[] = [];
      for (const name of names) {
        const id = await findReadable(name, reader);
        // Says the same of another tenant's collection as of one that does not exist.
        if (id === null) {
          const message = `there is no collection "${name}" that you may search`;
          throw new Failure('validation_error', `collection: ${message}`, {
            fields: [{ field: 'collection', message }],
          });
        }
        ids.push(id);
      }
      return {
        filter: { versions: ids.map(toVersion), kinds: [] },
        restoreUrls: (value) => restoreUrls(value, ids),
      };
    },
    async list(owner) {
      const rows = await db
        .selectFrom('collection')
        .selectAll()
        .where('owner', '=', owner)
        .orderBy('name')
        .execute();
      return Promise.all(rows.map(describe));
    },
    async open(owner, name) {
      const held = await find(owner, name);
      if (held !== undefined) return describe(held);
      const { count } = await db
        .selectFrom('collection')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('owner', '=', owner)
        .executeTakeFirstOrThrow();
      if (Number(count) >= PRIVATE_SITES.ownerMax)
        throw new Failure(
          'rate_limited',
          `You have ${count} collections; delete one before you add another.`,
        );
      const row = {
        id: `col_${randomBytes(12).toString('hex')}`,
        owner,
        name,
        created_at: clock.now(),
      };
      await db
        .insertInto('collection')
        .values(row)
        .onConflict((conflict) => conflict.columns(['owner', 'name']).doNothing())
        .execute();
      return describe((await find(owner, name)) ?? row);
    },
    async setReaders(owner, name, keyIds) {
      const row = await find(owner, name);
      if (row === undefined) return null;
      await store.transaction(async (tx) => {
        await tx.deleteFrom('collection_reader').where('collection_id', '=', row.id).execute();
        const rows = [...new Set(keyIds)].map((key_id) => ({ collection_id: row.id, key_id }));
        if (rows.length > 0) await tx.insertInto('collection_reader').values(rows).execute();
      });
      return describe(row);
    },
    async file(id, { article, fetchedAt }) {
      // The index files pages by addresses without a fragment.
      if (article.url.includes('#')) return;
      const page = toIndexedPage({ ...article, canonicalUrl: article.url }, fetchedAt);
      const { url } = page;
      const bytes = Buffer.byteLength(page.markdown);
      const held = await measure(id, url);
      if (held.pages >= PRIVATE_SITES.pagesMax || held.bytes + bytes > PRIVATE_SITES.bytesMax) return;
      const row = { collection_id: id, url, bytes, fetched_at: fetchedAt };
      // The row first: it is what deletes the page from the index.
      const isFiled = await store.transaction(async (tx) => {
        const isHeld = await tx.selectFrom('collection').select('id').where('id', '=', id).executeTakeFirst();
        if (isHeld === undefined) return false;
        await tx
          .insertInto('collection_page')
          .values(row)
          .onConflict((conflict) =>
            conflict.columns(['collection_id', 'url']).doUpdateSet({ bytes, fetched_at: fetchedAt }),
          )
          .execute();
        return true;
      });
      if (!isFiled) return;
      const library = { versions: [toVersion(id)], kind: KIND, isPrivate: true };
      await index.put([{ ...page, url: addMark(url, id), library }]);
      // A collection that was deleted meanwhile has not deleted this page.
      const isStillHeld = await db
        .selectFrom('collection_page')
        .select('url')
        .where('collection_id', '=', id)
        .where('url', '=', url)
        .executeTakeFirst();
      if (isStillHeld === undefined) await index.remove([addMark(url, id)]);
    },
    async remove(owner, name) {
      const row = await find(owner, name);
      if (row === undefined) return false;
      const { id } = row;
      for (;;) {
        const pages = await db
          .selectFrom('collection_page')
          .select('url')
          .where('collection_id', '=', id)
          .limit(REMOVED_AT_ONCE)
          .execute();
        if (pages.length === 0) break;
        const urls = pages.map(({ url }) => url);
        await index.remove(urls.map((url) => addMark(url, id)));
        await db
          .deleteFrom('collection_page')
          .where('collection_id', '=', id)
          .where('url', 'in', urls)
          .execute();
      }
      // Tells every process to drop what it keeps, also answers with these pages.
      await index.forget({ prefix: NOTHING_HELD });
      const users = await db
        .selectFrom('sign_in')
        .select('id')
        .where('collection_id', '=', id)
        .executeTakeFirst();
      if (users === undefined) await db.deleteFrom('collection').where('id', '=', id).execute();
      return true;
    },
  };
}

/** The version under which the index files the pages of a collection; libraries have other ecosystems. */
const toVersion = (id: string): string => `collection:${id}@1`;

/** Adds the id of a collection to the query of an address, so that each collection has a page of its own. */
const addMark = (url: string, id: string): string => `${url}${url.includes('?') ? '&' : '?'}~${id}`;

/** Ids are random, so no other text contains a mark. */
function restoreUrls<Value>(value: Value, ids: readonly string[]): Value {
  if (typeof value === 'string') {
    let text: string = value;
    for (const id of ids) text = text.replaceAll(`?~${id}`, '').replaceAll(`&~${id}`, '');
    return text as Value;
  }
  if (Array.isArray(value)) return value.map((item) => restoreUrls(item, ids)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, restoreUrls(inner, ids)]),
  ) as Value;
}
