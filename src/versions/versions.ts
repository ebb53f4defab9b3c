/**
 * Earlier versions of pages. Each visit that finds another text than the one before is a version, kept until space is needed or the page
 * is forgotten. Versions of a public page are everybody's; those of a page that only one caller may see are that caller's. It does not
 * fetch pages and does not compare them: see compare-versions.ts.
 */
import type { Article } from '../pages/article.ts';
import { computeContentHash } from '../pages/content-hash.ts';
import { releaseSpace, removeInSteps } from '../platform/store/remove-rows.ts';
import type { PageVersionTable, VersionStore } from '../platform/store/versions/open-version-store.ts';
import { toSamePageKey } from '../text/urls/url-spelling.ts';
import { evictVersions, sumVersionBytes } from './evict-versions.ts';
import { keepsWhole, packText, readVersionText } from './version-texts.ts';

/** The owner of versions that everybody may see. */
const EVERYBODY = '';

/** A version of a page, without its text. Instants are milliseconds since the epoch. */
export type PageVersion = {
  id: number;
  /** 1, 2, 3 ... within the page. */
  number: number;
  /** The address that was asked for. */
  url: string;
  title: string;
  /** `gone`: the address answered that there is no page. */
  status: 'present' | 'gone';
  firstSeenAt: number;
  lastSeenAt: number;
  /** At how many visits it was seen. */
  visits: number;
  /** Hash of its text, as in citations. */
  contentHash: string;
  chars: number;
};

/** A page as it was found at an instant; `owner`: who alone may see it. `isCited`: a record of research needs it, so it does not leave alone. */
type PageVisit = { url: string; article: Article; at: number; owner?: string; isCited?: true };

/** What a visit found: the page's version now, and the one before it if there is one. `isNew`: this visit was the first to see it. */
type RecordedVisit = { version: PageVersion; previous: PageVersion | null; isNew: boolean };

/** Whose versions are meant: those of everybody, and of this owner if one is named. */
type Viewer = { owner?: string | undefined };

/** What somebody saw of a page last. */
type PageMark = { versionId: number; contentHash: string; seenAt: number };
/** Names the mark of one owner on one page; `tag` tells several histories apart. */
type MarkName = { url: string; owner: string; tag: string };

export type Versions = {
  /** Records a visit. Repeating it, and visits older than the last one, change nothing. */
  record(visit: PageVisit): Promise<RecordedVisit>;
  /** Records that a page of which versions are kept is gone. */
  recordGone(gone: Omit<PageVisit, 'article'>): Promise<void>;
  /** Lists the versions of a page, the newest first. */
  list(url: string, viewer: Viewer & { limit: number }): Promise<PageVersion[]>;
  /** Returns the version in force at an instant: the newest that was seen by then, else the first there is. */
  findAt(url: string, at: number, viewer: Viewer): Promise<PageVersion | null>;
  /** Returns the version with this hash; the newest if several have it. */
  findByHash(url: string, contentHash: string, viewer: Viewer): Promise<PageVersion | null>;
  find(id: number, viewer: Viewer): Promise<PageVersion | null>;
  /** Reads the Markdown of a version; null if it is gone, or damaged. */
  readText(version: Pick<PageVersion, 'id' | 'contentHash'>): Promise<string | null>;
  /**
   * Reads the texts of the visits before a version, the oldest first, back to the first that found the page unchanged; at most a few.
   * Empty if the version itself was seen unchanged.
   */
  readEarlierVisits(version: PageVersion): Promise<string[]>;
  findMark(name: MarkName): Promise<PageMark | null>;
  setMark(name: MarkName, mark: PageMark): Promise<void>;
  /** Deletes all versions of the pages that one of whose addresses is meant; returns how many. */
  forget(isMeant: (address: string) => boolean): Promise<number>;
  /** Counts the versions and their bytes. */
  count(): Promise<{ versions: number; bytes: number }>;
  close(): Promise<void>;
};

/** Maximum texts of earlier visits that are read to find what changes at each of them. */
const EARLIER_MAX = 6;
/** Writers that find another one ahead of them start again at most this often. */
const TRIES_MAX = 5;
/** Versions added by this process after which the bytes are counted anew: other processes add some too. */
const COUNTED_EVERY = 64;

const COLUMNS = [
  ...(['id', 'number', 'url', 'title', 'status', 'first_seen_at', 'last_seen_at', 'visits'] as const),
  ...(['hash', 'chars'] as const),
] as const;
type VersionRow = Pick<PageVersionTable, Exclude<(typeof COLUMNS)[number], 'id'>> & { id: number };

/** Keeps versions in a store, within a bound on the bytes of all. */
export function createVersions(parts: { store: VersionStore; bytesMax: number }): Versions {
  const { store, bytesMax } = parts;
  const { db } = store;
  const bound = createByteBound(store, bytesMax);

  const selectVisible = (url: string, { owner }: Viewer) =>
    db
      .selectFrom('page_version')
      .select(COLUMNS)
      .where('page_key', '=', toSamePageKey(url))
      .where('owner', 'in', owner === undefined ? [EVERYBODY] : [EVERYBODY, owner]);

  const readText: Versions['readText'] = async ({ id, contentHash }) => {
    const text = await readVersionText(db, id);
    return text !== null && computeContentHash(text) === contentHash ? text : null;
  };

  const addVersion = async (visit: NewText): Promise<RecordedVisit> => {
    for (let tries = 1; ; tries += 1) {
      const added = await tryToAdd(store, visit);
      if (added !== null) {
        if (added.isNew) await bound.add(added.bytes);
        return added.visit;
      }
      if (tries === TRIES_MAX) throw new Error('a version could not be added: others are always ahead');
    }
  };

  return {
    async record({ url, article, at, owner = EVERYBODY, isCited }) {
      return addVersion({
        pageKey: toSamePageKey(url),
        owner,
        url,
        readFrom: article.url,
        declared: article.canonicalUrl,
        title: article.title,
        status: 'present',
        text: article.markdown,
        at,
        cited: isCited ? 1 : 0,
      });
    },
    async recordGone({ url, at, owner = EVERYBODY }) {
      const newest = await readNewest(store, { pageKey: toSamePageKey(url), owner });
      if (newest === null || newest.status === 'gone') return;
      const { title } = newest;
      await addVersion({
        pageKey: toSamePageKey(url),
        owner,
        url,
        readFrom: url,
        declared: url,
        title,
        status: 'gone',
        text: '',
        at,
        cited: 0,
      });
    },
    async list(url, { limit, ...viewer }) {
      const rows = await selectVisible(url, viewer)
        .orderBy('first_seen_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toVersion);
    },
    async findAt(url, at, viewer) {
      const row =
        (await selectVisible(url, viewer)
          .where('first_seen_at', '<=', at)
          .orderBy('first_seen_at', 'desc')
          .orderBy('id', 'desc')
          .limit(1)
          .executeTakeFirst()) ??
        (await selectVisible(url, viewer).orderBy('first_seen_at').orderBy('id').limit(1).executeTakeFirst());
      return row === undefined ? null : toVersion(row);
    },
    async findByHash(url, contentHash, viewer) {
      const row = await selectVisible(url, viewer)
        .where('hash', '=', contentHash)
        .orderBy('first_seen_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : toVersion(row);
    },
    async find(id, { owner }) {
      const row = await db
        .selectFrom('page_version')
        .select(COLUMNS)
        .where('id', '=', id)
        .where('owner', 'in', owner === undefined ? [EVERYBODY] : [EVERYBODY, owner])
        .executeTakeFirst();
      return row === undefined ? null : toVersion(row);
    },
    readText,
    async readEarlierVisits(version) {
      if (version.visits > 1) return [];
      const rows = await db
        .selectFrom('page_version as earlier')
        .innerJoin('page_version as this', (join) =>
          join
            .onRef('earlier.page_key', '=', 'this.page_key')
            .onRef('earlier.owner', '=', 'this.owner')
            .onRef('earlier.number', '<', 'this.number'),
        )
        .select(['earlier.id', 'earlier.hash', 'earlier.visits', 'earlier.status'])
        .where('this.id', '=', version.id)
        .orderBy('earlier.number', 'desc')
        .limit(EARLIER_MAX)
        .execute();
      const end = rows.findIndex(({ visits, status }) => visits > 1 || status === 'gone');
      const texts = await Promise.all(
        (end === -1 ? rows : rows.slice(0, end)).map(({ id, hash }) => readText({ id, contentHash: hash })),
      );
      return texts.filter((text) => text !== null).reverse();
    },
    async findMark({ url, owner, tag }) {
      const row = await db
        .selectFrom('page_mark')
        .select(['version_id', 'hash', 'seen_at'])
        .where('page_key', '=', toSamePageKey(url))
        .where('owner', '=', owner)
        .where('tag', '=', tag)
        .executeTakeFirst();
      return row === undefined
        ? null
        : { versionId: row.version_id, contentHash: row.hash, seenAt: row.seen_at };
    },
    async setMark({ url, owner, tag }, { versionId, contentHash, seenAt }) {
      const values = { version_id: versionId, hash: contentHash, seen_at: seenAt };
      await db
        .insertInto('page_mark')
        .values({ page_key: toSamePageKey(url), owner, tag, ...values })
        .onConflict((conflict) => conflict.columns(['page_key', 'owner', 'tag']).doUpdateSet(values))
        .execute();
    },
    async forget(isMeant) {
      const removed = await removeVersions(store, isMeant);
      if (removed > 0) bound.recount();
      return removed;
    },
    async count() {
      const { versions } = await db
        .selectFrom('page_version')
        .select(({ fn }) => fn.countAll<number>().as('versions'))
        .executeTakeFirstOrThrow();
      return { versions: Number(versions), bytes: await sumVersionBytes(db) };
    },
    close: () => store.close(),
  };
}

type NewText = {
  pageKey: string;
  owner: string;
  url: string;
  readFrom: string;
  declared: string;
  title: string;
  status: PageVersion['status'];
  text: string;
  at: number;
  cited: 0 | 1;
};

type Added = { visit: RecordedVisit; isNew: boolean; bytes: number };

/** Adds a text as the newest version, or notes that it was seen again. Resolves to null if another process was ahead. */
async function tryToAdd(store: VersionStore, visit: NewText): Promise<Added | null> {
  const { pageKey, owner, status, text, at, cited } = visit;
  const hash = computeContentHash(text);
  const newest = await readNewest(store, visit);
  if (newest !== null && (newest.last_seen_at >= at || (newest.hash === hash && newest.status === status))) {
    const isRepeated = newest.last_seen_at >= at;
    if (!isRepeated) await recordRepeat(store, newest, at);
    const version = toVersion(
      isRepeated ? newest : { ...newest, last_seen_at: at, visits: newest.visits + 1 },
    );
    return { visit: { version, previous: null, isNew: false }, isNew: false, bytes: 0 };
  }
  const previousText =
    newest === null || keepsWhole(newest.number) ? null : await readVersionText(store.db, newest.id);
  const body = packText(text);
  const row = {
    page_key: pageKey,
    owner,
    number: (newest?.number ?? 0) + 1,
    url: visit.url,
    read_from: visit.readFrom,
    declared: visit.declared,
    title: visit.title,
    status,
    first_seen_at: at,
    last_seen_at: at,
    visits: 1,
    hash,
    chars: text.length,
    bytes: body.length,
    cited,
    base_id: null,
    body,
  };
  return store.transaction(async (tx) => {
    const inserted = await tx
      .insertInto('page_version')
      .values(row)
      .onConflict((conflict) => conflict.columns(['page_key', 'owner', 'number']).doNothing())
      .returning(COLUMNS)
      .executeTakeFirst();
    if (inserted === undefined) return null;
    const version = toVersion(inserted);
    if (newest === null)
      return { visit: { version, previous: null, isNew: true }, isNew: true, bytes: body.length };
    let bytes = body.length;
    if (previousText !== null) {
      const packed = packText(previousText, text);
      bytes += packed.length - newest.bytes;
      await tx
        .updateTable('page_version')
        .set({ base_id: inserted.id, body: packed, bytes: packed.length })
        .where('id', '=', newest.id)
        .execute();
    }
    return { visit: { version, previous: toVersion(newest), isNew: true }, isNew: true, bytes };
  });
}

async function readNewest(
  { db }: VersionStore,
  { pageKey, owner }: Pick<NewText, 'pageKey' | 'owner'>,
): Promise<(VersionRow & { bytes: number }) | null> {
  const row = await db
    .selectFrom('page_version')
    .select([...COLUMNS, 'bytes'])
    .where('page_key', '=', pageKey)
    .where('owner', '=', owner)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Notes that a version was seen again. Of two processes that saw it at one time, one is counted. */
async function recordRepeat({ db }: VersionStore, { id }: VersionRow, at: number): Promise<void> {
  await db
    .updateTable('page_version')
    .set(({ eb }) => ({ last_seen_at: at, visits: eb('visits', '+', 1) }))
    .where('id', '=', id)
    .where('last_seen_at', '<', at)
    .execute();
}

function toVersion(row: VersionRow): PageVersion {
  return {
    id: row.id,
    number: row.number,
    url: row.url,
    title: row.title,
    status: row.status,
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
    visits: row.visits,
    contentHash: row.hash,
    chars: row.chars,
  };
}

/** Keeps the bytes of all versions below a bound. The count of this process is renewed now and then, because others add too. */
function createByteBound(
  store: VersionStore,
  bytesMax: number,
): { add(bytes: number): Promise<void>; recount(): void } {
  let held: number | null = null;
  let added = 0;
  return {
    async add(bytes) {
      added += 1;
      held = held === null || added % COUNTED_EVERY === 0 ? await sumVersionBytes(store.db) : held + bytes;
      if (held > bytesMax) held = await evictVersions(store, bytesMax);
    },
    recount() {
      held = null;
    },
  };
}

type AddressRow = { id: number; page_key: string; url: string; read_from: string; declared: string };

/** Deletes the versions of pages, all owners' alike: a text that is kept may be compressed against one of its neighbours only. */
async function removeVersions(store: VersionStore, isMeant: (address: string) => boolean): Promise<number> {
  const { db, dialect } = store;
  const pages = new Set<string>();
  await removeInSteps<AddressRow>({
    read: (after, limit) =>
      db
        .selectFrom('page_version')
        .select(['id', 'page_key', 'url', 'read_from', 'declared'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),
    isMeant({ page_key: page, url, read_from: readFrom, declared }) {
      if ([url, readFrom, declared].some(isMeant)) pages.add(page);
      return false;
    },
    remove: async () => {},
  });
  let removed = 0;
  for (const page of pages) {
    await db.deleteFrom('page_mark').where('page_key', '=', page).execute();
    const { numDeletedRows } = await db
      .deleteFrom('page_version')
      .where('page_key', '=', page)
      .executeTakeFirst();
    removed += Number(numDeletedRows);
  }
  if (removed > 0 && dialect === 'sqlite') await releaseSpace(db);
  return removed;
}
