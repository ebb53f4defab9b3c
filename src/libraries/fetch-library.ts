import { createHash } from 'node:crypto';
import type { IndexedPage, LocalIndex } from '../index/local-index-types.ts';
import type { ExtractWorker } from '../pages/extract-worker.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../platform/store/open-store.ts';
import {
  dropLibrary,
  dropPages,
  type FetchedLibrary,
  findSameTexts,
  formatKey,
  type LibraryKey,
  type LibraryRow,
  listPages,
  listSharers,
  listUnshared,
  type PageRow,
  saveFetched,
  savePages,
  setState,
} from './held/library-rows.ts';
import type { LibraryKind } from './library-types.ts';
import type { Collected } from './sources/collect-documents.ts';
import { type ReadPage, readDocuments } from './sources/read-documents.ts';

export type KeepDeps = {
  store: Store;
  index: Pick<LocalIndex, 'put' | 'remove' | 'get'>;
  extract: Pick<ExtractWorker, 'extract'>;
  clock: Clock;
};

const BATCH_PAGES = 200;
const REMOVED_AT_ONCE = 1_000;
/** Maximum characters of all pages of one library. */
const CHARS_MAX = 60_000_000;
const LICENCE_CHARS_MAX = 200;

type KeepOptions = {
  signal: AbortSignal;
  /** Called with the number of pages so far. */
  onPages: (pages: number) => void;
};

/**
 * Reads what was collected and puts it into the index, in batches. Killed at any point, the library stays wanted, and doing it again gives
 * the same. What an earlier run had put there and this one has not leaves the index.
 */
export async function keepDocuments(
  row: LibraryRow,
  { facts, documents, bytes, notes }: Collected,
  deps: KeepDeps,
  { signal, onPages }: KeepOptions,
): Promise<FetchedLibrary> {
  const { store, clock } = deps;
  const startedAt = clock.now();
  const key = toKey(row);
  const problems: string[] = [...notes];
  const licence = facts.licence?.replace(/\p{Cc}+/gu, ' ').slice(0, LICENCE_CHARS_MAX) ?? null;
  const subject = {
    ecosystem: key.ecosystem,
    library: key.name,
    version: key.version,
    licence,
  };
  const kept = new Set<string>();
  const counts = { pages: 0, chars: 0 };
  const sources: FetchedLibrary['sources'] = {};
  const kinds: FetchedLibrary['kinds'] = {};
  let batch: ReadPage[] = [];
  const flush = async (): Promise<void> => {
    await writeBatch(row.id, batch, { ...deps, key, isPrivate: facts.isPrivate });
    batch = [];
    onPages(counts.pages);
  };
  const reading = {
    ...deps,
    signal,
    onProblem: (where: string, problem: string) => problems.push(`${where}: ${problem}`),
  };
  for await (const read of readDocuments(documents, subject, reading)) {
    if (counts.chars > CHARS_MAX) {
      problems.push(
        `pages after the first ${counts.pages} are left out: a library may have ${CHARS_MAX} characters`,
      );
      break;
    }
    kept.add(read.page.url);
    batch.push(read);
    counts.pages += 1;
    counts.chars += read.page.markdown.length;
    const { source, kind } = read.page;
    sources[source] = (sources[source] ?? 0) + 1;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (batch.length >= BATCH_PAGES) await flush();
  }
  await flush();
  const stale = (await listPages(store, row.id)).filter(({ url }) => !kept.has(url));
  await removePages(row.id, stale, deps);
  const fetched: FetchedLibrary = {
    licence,
    homepage: facts.homepage,
    repository: facts.repository,
    isPrivate: facts.isPrivate,
    bytes,
    notes: problems,
    sources,
    kinds,
    took_ms: clock.now() - startedAt,
    ...counts,
  };
  await saveFetched(store, row.id, { fetched, now: clock.now() });
  return fetched;
}

export const toKey = ({ ecosystem, name, version }: LibraryRow): LibraryKey => ({
  // Rows are written from keys only.
  ecosystem: ecosystem as LibraryKind,
  name,
  version,
});

type BatchDeps = Pick<KeepDeps, 'store' | 'index'> & { key: LibraryKey; isPrivate: boolean };

/**
 * A page whose text another version of the library has is not stored a second time: both versions have one address in the index. The
 * page there names every version that has it, so that each finds it.
 */
async function writeBatch(
  id: number,
  batch: readonly ReadPage[],
  { key, isPrivate, store, index }: BatchDeps,
): Promise<void> {
  if (batch.length === 0) return;
  const digests = batch.map(({ page }) => createHash('sha256').update(page.markdown).digest('hex'));
  const known = await findSameTexts(store, key, digests);
  const rows: PageRow[] = [];
  for (const [at, { page, indexed }] of batch.entries()) {
    const { url, kind, source, title } = page;
    const digest = digests[at] ?? '';
    const pageUrl = known.get(digest) ?? indexed.url;
    rows.push({ url, kind, source, title, digest, pageUrl });
  }
  const before = new Map((await listPages(store, id)).map((page) => [page.url, page]));
  const moved = rows.flatMap(({ url, pageUrl }) => {
    const old = before.get(url);
    return old === undefined || old.pageUrl === pageUrl ? [] : [old];
  });
  const unshared = await listUnshared(store, id, moved);
  await savePages(store, id, rows);
  const sharers = await listSharers(
    store,
    id,
    rows.map(({ pageUrl }) => pageUrl),
  );
  const pages = batch.map(({ page, indexed }, at): IndexedPage => {
    const url = rows[at]?.pageUrl ?? indexed.url;
    const others = sharers.get(url) ?? [];
    const library = {
      versions: [formatKey(key), ...others.map(formatKey)].sort(),
      kind: page.kind,
      // What is private to one of them is not shown for the other's sake.
      isPrivate: isPrivate || others.some((other) => other.isPrivate),
    };
    return { ...indexed, url, library };
  });
  await index.put(pages);
  if (unshared.length > 0) await index.remove(unshared);
}

/** Removes pages of a library; those that other libraries use stay in the index. */
async function removePages(id: number, pages: readonly PageRow[], { store, index }: KeepDeps): Promise<void> {
  if (pages.length === 0) return;
  const addresses = await listUnshared(store, id, pages);
  for (let at = 0; at < addresses.length; at += REMOVED_AT_ONCE)
    await index.remove(addresses.slice(at, at + REMOVED_AT_ONCE));
  await dropPages(
    store,
    id,
    pages.map(({ url }) => url),
  );
}

/** Removes a library with its pages. Killed at any point, it is finished by the next run. */
export async function removeLibrary(row: LibraryRow, deps: KeepDeps): Promise<void> {
  await setState(deps.store, row.id, 'removing');
  await removePages(row.id, await listPages(deps.store, row.id), deps);
  await dropLibrary(deps.store, row.id);
}
