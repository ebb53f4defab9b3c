/**
 * Imports pages from files, archives and public corpora into the index, in batches. An interrupted import resumes where its last batch
 * ended. It opens, filters and writes pages; formats and collections are in their own folders.
 */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalIndex, PageOrigin } from '../../index/local-index-types.ts';
import type { Store } from '../../platform/store/open-store.ts';
import type { CollectedRecord, Collection } from './collections/collection-types.ts';
import type { OpenCollection } from './collections/open-collection.ts';
import { readCollection, readOrigin } from './collections/read-collection.ts';
import { createBatches } from './run/import-batches.ts';
import { ALL_PAGES, canBeWanted, type ImportOptions } from './run/import-filter.ts';
import { dropImport, findImport, type ImportCounts, NOTHING_IMPORTED } from './run/import-rows.ts';
import type { PageDeps } from './run/page-of.ts';
import { dropSeenTexts, openSeenTexts } from './run/seen-texts.ts';

/** The source of an import, and its options. */
type ImportRequest = {
  /** A file, a folder, a pattern, an http(s) address, or `commoncrawl:` and a domain. */
  path: string;
  /** The address that corresponds to the folder; null: pages get file: addresses. */
  baseUrl: string | null;
  options?: Partial<ImportOptions>;
  signal: AbortSignal;
  /** Called once, before the first page. */
  onStart?: (start: ImportStart) => void;
  onProgress?: (progress: ImportProgress) => void;
};

/** `resumed`: the counts of an earlier run; null if there was none. */
export type ImportStart = {
  origin: PageOrigin | null;
  bytesTotal: number | null;
  resumed: ImportCounts | null;
};

/** `position`: bytes read, of `bytesTotal` if that is known. */
export type ImportProgress = ImportCounts & { position: number; bytesTotal: number | null };

export type ImportSummary = ImportCounts & {
  /** The first failures of this run, worded for people. */
  problems: string[];
  ended: 'complete' | 'limit' | 'aborted';
};

/** Adds pages from files to the index, from where an earlier run of the same import ended. Rejects when something cannot be read. */
export type ImportPages = (request: ImportRequest) => Promise<ImportSummary>;

type ImportDeps = PageDeps & {
  index: Pick<LocalIndex, 'put'>;
  store: Store;
  openCollection: OpenCollection;
  /** A folder for files that imports keep outside the store. */
  folder: string;
};

export function createImportPages(deps: ImportDeps): ImportPages {
  return async (request) => {
    const { path, baseUrl, signal } = request;
    const options = { ...ALL_PAGES, ...request.options };
    const collection = await deps.openCollection(path, baseUrl, signal);
    const id = computeImportId(request, options);
    const files = { texts: join(deps.folder, `${id}.texts`), scratch: join(deps.folder, id) };
    const held = options.fresh ? null : await findImport(deps.store, id);
    const origin = options.origin ?? collection.origin ?? (await readFirstOrigin(collection));
    const { bytesTotal } = collection;
    request.onStart?.({ origin, bytesTotal, resumed: held?.counts ?? null });
    const texts = await openSeenTexts(files.texts, held?.texts ?? 0);
    try {
      const batches = createBatches(
        { ...deps, id, texts, options },
        {
          state: held ?? NOTHING_IMPORTED,
          signal,
          onProgress: (counts, position) => request.onProgress?.({ ...counts, position, bytesTotal }),
        },
      );
      const from = held?.place ?? null;
      const { columns } = options;
      const records = readCollection(collection, { from, baseUrl, columns, scratch: files.scratch, signal });
      try {
        for await (const record of records) {
          if (signal.aborted || batches.isFull()) break;
          await batches.add(
            addOrigin(record, options.origin ?? collection.origin),
            canImport(record, options),
          );
        }
      } finally {
        // Pages before a damaged place are written and counted.
        await batches.end();
      }
      const ended = signal.aborted ? 'aborted' : batches.isFull() ? 'limit' : 'complete';
      if (ended === 'complete') await dropImport(deps.store, id);
      return { ...batches.counts(), problems: batches.problems(), ended };
    } finally {
      await texts.close();
      await dropFilesIfDone(await findImport(deps.store, id), files);
    }
  };
}

/** Deletes the files of an import that is complete or never began. */
async function dropFilesIfDone(state: unknown, files: { texts: string; scratch: string }): Promise<void> {
  if (state !== null) return;
  await dropSeenTexts(files.texts);
  await rm(files.scratch, { recursive: true, force: true });
}

/** Computes the id of an import from its options except the limit, so that a larger limit continues it. */
function computeImportId({ path, baseUrl }: ImportRequest, options: ImportOptions): string {
  const { limit: _limit, fresh: _fresh, ...what } = options;
  return createHash('sha256')
    .update(JSON.stringify({ path, baseUrl, ...what }))
    .digest('hex')
    .slice(0, 24);
}

/** Reads the origin of the corpus from the first file. */
async function readFirstOrigin(collection: Collection): Promise<PageOrigin | null> {
  for await (const file of collection.files(null)) {
    if (file.format?.originOf === undefined) return null;
    const source = await file.open();
    try {
      return source.size === 0 ? null : await readOrigin(file, source);
    } finally {
      await source.close();
    }
  }
  return null;
}

function addOrigin(record: CollectedRecord, origin: PageOrigin | null): CollectedRecord {
  return 'page' in record && origin !== null ? { ...record, page: { ...record.page, origin } } : record;
}

const canImport = (record: CollectedRecord, options: ImportOptions): boolean =>
  !('page' in record) || canBeWanted(record.page, options);
