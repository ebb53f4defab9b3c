import type { Selectable } from 'kysely';
import type { Store } from '../../platform/store/open-store.ts';
import type { LibraryTable } from '../../platform/store/tables.ts';
import type { LibraryKind, LibraryPage, LibraryPageKind, LibraryPageSource } from '../library-types.ts';

export type LibraryRow = Selectable<LibraryTable>;

export type LibraryKey = { ecosystem: LibraryKind; name: string; version: string };

/** `npm:fastify@5.1.0`. */
export const formatKey = ({
  ecosystem,
  name,
  version,
}: Pick<LibraryRow, 'ecosystem' | 'name' | 'version'>): string => `${ecosystem}:${name}@${version}`;

/** What a run learned about a library. */
export type FetchedLibrary = Pick<
  LibraryRow,
  'licence' | 'homepage' | 'repository' | 'pages' | 'chars' | 'bytes' | 'took_ms'
> & {
  isPrivate: boolean;
  notes: readonly string[];
  /** Pages by source and by kind. */
  sources: Partial<Record<LibraryPageSource, number>>;
  kinds: Partial<Record<LibraryPageKind, number>>;
};

export type PageRow = Pick<LibraryPage, 'url' | 'kind' | 'source' | 'title'> & {
  pageUrl: string;
  digest: string;
};

/** Maximum rows of one statement, far below SQLite's bound on parameters. */
const ROWS_MAX = 500;
const NOTES_MAX = 50;

/** Adds a library if it is not known, and returns its row. A library that was about to go stays. */
export async function addLibrary(
  store: Store,
  { ecosystem, name, version }: LibraryKey,
  { spec, now }: { spec: string | null; now: number },
): Promise<LibraryRow> {
  const named = spec === null ? {} : { spec };
  await store
    .insertInto('library')
    .values({
      ecosystem,
      name,
      version,
      spec,
      state: 'wanted',
      is_private: 0,
      pages: 0,
      chars: 0,
      bytes: 0,
      notes: '[]',
      added_at: now,
      took_ms: 0,
    })
    .onConflict((conflict) =>
      conflict.columns(['ecosystem', 'name', 'version']).doUpdateSet({ ...named, name }),
    )
    .execute();
  const row = await store
    .selectFrom('library')
    .selectAll()
    .where('ecosystem', '=', ecosystem)
    .where('name', '=', name)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  if (row.state !== 'removing') return row;
  await setState(store, row.id, 'wanted');
  return { ...row, state: 'wanted' };
}

export async function setState(store: Store, id: number, state: LibraryRow['state']): Promise<void> {
  await store.updateTable('library').set({ state }).where('id', '=', id).execute();
}

/** Takes back that a library was asked for by name. */
export async function dropSpec(store: Store, id: number): Promise<void> {
  await store.updateTable('library').set({ spec: null }).where('id', '=', id).execute();
}

export function listLibraries(store: Store): Promise<LibraryRow[]> {
  return store
    .selectFrom('library')
    .selectAll()
    .orderBy('ecosystem')
    .orderBy('name')
    .orderBy('version')
    .execute();
}

export async function saveFetched(
  store: Store,
  id: number,
  { fetched, now }: { fetched: FetchedLibrary; now: number },
): Promise<void> {
  const { isPrivate, notes, sources: _sources, kinds: _kinds, ...facts } = fetched;
  await store
    .updateTable('library')
    .set({
      ...facts,
      is_private: Number(isPrivate),
      notes: JSON.stringify(notes.slice(0, NOTES_MAX)),
      problem: null,
      state: 'held',
      fetched_at: now,
    })
    .where('id', '=', id)
    .execute();
}

export async function saveFailed(
  store: Store,
  id: number,
  { problem, now }: { problem: string; now: number },
): Promise<void> {
  await store
    .updateTable('library')
    .set({ state: 'failed', problem, fetched_at: now })
    .where('id', '=', id)
    .execute();
}

/** Finds pages with the same text of other versions of a library: digest -> address in the index. */
export async function findSameTexts(
  store: Store,
  { ecosystem, name, version }: LibraryKey,
  digests: readonly string[],
): Promise<Map<string, string>> {
  const rows = await store
    .selectFrom('library_page')
    .innerJoin('library', 'library.id', 'library_page.library_id')
    .select(['library_page.digest', 'library_page.page_url'])
    .where('library_page.digest', 'in', digests)
    .where('library.ecosystem', '=', ecosystem)
    .where('library.name', '=', name)
    .where('library.version', '!=', version)
    .where('library.state', '=', 'held')
    .execute();
  return new Map(rows.map(({ digest, page_url }) => [digest, page_url]));
}

/** Adds or replaces pages. Written before the index has them, so that a run that is killed leaves no page that nobody knows. */
export async function savePages(store: Store, id: number, pages: readonly PageRow[]): Promise<void> {
  for (let at = 0; at < pages.length; at += ROWS_MAX) {
    const rows = pages
      .slice(at, at + ROWS_MAX)
      .map(({ pageUrl, ...page }) => ({ ...page, library_id: id, page_url: pageUrl }));
    await store.replaceInto('library_page').values(rows).execute();
  }
}

export async function listPages(store: Store, id: number): Promise<PageRow[]> {
  const rows = await store.selectFrom('library_page').selectAll().where('library_id', '=', id).execute();
  // The words were written by `savePages`.
  return rows.map(({ library_id: _id, page_url: pageUrl, ...page }) => ({ ...page, pageUrl }) as PageRow);
}

/** Counts the pages of each library by kind. */
export async function countKinds(store: Store): Promise<Map<number, Record<string, number>>> {
  const rows = await store
    .selectFrom('library_page')
    .select(({ fn }) => ['library_id', 'kind', fn.countAll<number>().as('pages')])
    .groupBy(['library_id', 'kind'])
    .execute();
  const counts = new Map<number, Record<string, number>>();
  for (const { library_id, kind, pages } of rows)
    counts.set(library_id, { ...counts.get(library_id), [kind]: pages });
  return counts;
}

export async function dropPages(store: Store, id: number, urls: readonly string[]): Promise<void> {
  for (let at = 0; at < urls.length; at += ROWS_MAX)
    await store
      .deleteFrom('library_page')
      .where('library_id', '=', id)
      .where('url', 'in', urls.slice(at, at + ROWS_MAX))
      .execute();
}

/** Returns those addresses of the index that no library uses but, at these source addresses, this one. */
export async function listUnshared(
  store: Store,
  id: number,
  pages: readonly Pick<PageRow, 'url' | 'pageUrl'>[],
): Promise<string[]> {
  const going = new Set(pages.map(({ url }) => url));
  const addresses = [...new Set(pages.map(({ pageUrl }) => pageUrl))];
  const used = new Set<string>();
  for (let at = 0; at < addresses.length; at += ROWS_MAX) {
    const rows = await store
      .selectFrom('library_page')
      .select(['library_id', 'url', 'page_url'])
      .where('page_url', 'in', addresses.slice(at, at + ROWS_MAX))
      .execute();
    for (const row of rows) if (row.library_id !== id || !going.has(row.url)) used.add(row.page_url);
  }
  return addresses.filter((address) => !used.has(address));
}

/** A version of a library that has a page, with the address that the page has there. */
type PagePlace = LibraryKey & { isPrivate: boolean; url: string; kind: string };

/** Finds the places of pages of the index in all libraries but one: address in the index -> places. */
export async function listSharers(
  store: Store,
  id: number | null,
  pageUrls: readonly string[],
): Promise<Map<string, PagePlace[]>> {
  const places = new Map<string, PagePlace[]>();
  for (let at = 0; at < pageUrls.length; at += ROWS_MAX) {
    const rows = await store
      .selectFrom('library_page')
      .innerJoin('library', 'library.id', 'library_page.library_id')
      .select(['page_url', 'url', 'kind', 'library_id', 'ecosystem', 'name', 'version', 'is_private'])
      .where('page_url', 'in', pageUrls.slice(at, at + ROWS_MAX))
      .execute();
    for (const row of rows) {
      const { library_id, page_url: pageUrl, is_private, ecosystem, name, version, url, kind } = row;
      if (library_id === id) continue;
      // Rows are written from keys only.
      const place = {
        ecosystem: ecosystem as LibraryKind,
        name,
        version,
        url,
        kind,
        isPrivate: is_private === 1,
      };
      places.set(pageUrl, [...(places.get(pageUrl) ?? []), place]);
    }
  }
  return places;
}

export async function dropLibrary(store: Store, id: number): Promise<void> {
  await store.transaction().execute(async (tx) => {
    await tx.deleteFrom('library_page').where('library_id', '=', id).execute();
    await tx.deleteFrom('library_use').where('library_id', '=', id).execute();
    await tx.deleteFrom('library').where('id', '=', id).execute();
  });
}
