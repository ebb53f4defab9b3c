/**
 * Imports pages from files, archives and public corpora into the index, in batches. An interrupted import resumes where its last batch
 * ended. It opens, filters and writes pages; formats and collections are in their own folders.
 */

import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IndexedPage, LocalIndex, PageOrigin } from '../../index/local-index-types.ts';
import type { Store } from '../../platform/store/open-store.ts';
import type { OpenCollection } from './collections/open-collection.ts';
import type { CollectedRecord, Collection, SourcePlace } from './collections/read-collection.ts';
import { readCollection, readOrigin } from './collections/read-collection.ts';
import { convertSourcePage, type PageDeps } from './run/convert-source-page.ts';
import { ALL_PAGES, canBeWanted, type ImportOptions, isWanted } from './run/import-filter.ts';
import {
  dropImport,
  findImport,
  type ImportCounts,
  type ImportState,
  NOTHING_IMPORTED,
  saveImport,
} from './run/import-rows.ts';
import { dropSeenTexts, openSeenTexts, type SeenTexts } from './run/seen-texts.ts';

const BATCH_PAGES = 200;
const BATCH_CHARS = 4_000_000;
/** Maximum pages per batch that need extraction; they wait in the threads' queue, whose bound is four times this. */
const BATCH_EXTRACTED = 50;
/** Maximum records per batch, so that progress is stored even if no record is wanted. */
const BATCH_RECORDS = 20_000;
const PROBLEMS_MAX = 20;
const createBatch = (): Batch => ({ entries: [], pages: 0, chars: 0, extracted: 0 });

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

/** Collects records and writes their pages in batches. */
type Batches = {
  /** Waits while two batches are in progress: one is read, one is written. */
  add(record: CollectedRecord, isWanted: boolean): Promise<void>;
  /** Returns whether the limit is reached; further records are ignored. */
  isFull(): boolean;
  /** Writes the remaining records. An interrupted batch counts as not written. */
  end(): Promise<void>;
  counts(): ImportCounts;
  problems(): string[];
};

type BatchDeps = PageDeps & {
  index: Pick<LocalIndex, 'put'>;
  store: Store;
  id: string;
  texts: SeenTexts;
  options: ImportOptions;
};

type BatchRun = {
  state: ImportState;
  signal: AbortSignal;
  onProgress(counts: ImportCounts, position: number): void;
};

type Outcome =
  | { page: IndexedPage; isDated: boolean; keepsCopies: boolean }
  | { where: string; problem: string }
  | 'unwanted'
  | 'aborted';

type Entry = { after: SourcePlace; position: number; outcome: Promise<Outcome> | Outcome };

type Batch = { entries: Entry[]; pages: number; chars: number; extracted: number };

function createBatches(deps: BatchDeps, { state, signal, onProgress }: BatchRun): Batches {
  const { options } = deps;
  const counts = { ...state.counts };
  const problems: string[] = [];
  let batch = createBatch();
  let writing: Promise<void> = Promise.resolve();
  const isFull = (): boolean => options.limit !== null && counts.pages >= options.limit;
  const write = async ({ entries }: Batch): Promise<void> => {
    const outcomes = await Promise.all(entries.map(({ outcome }) => outcome));
    if (signal.aborted || isFull()) return;
    const chosen: IndexedPage[] = [];
    let last: Entry | undefined;
    for (const [at, outcome] of outcomes.entries()) {
      if (options.limit !== null && counts.pages + chosen.length >= options.limit) break;
      last = entries[at];
      const page = judge(outcome, { ...deps, counts, problems });
      if (page !== null) chosen.push(page);
    }
    if (last === undefined) return;
    await deps.index.put(chosen);
    counts.pages += chosen.length;
    await deps.texts.flush();
    const now = { place: last.after, counts, texts: deps.texts.count() };
    await saveImport(deps.store, deps.id, { state: now, now: deps.clock.now() });
    onProgress(counts, last.position);
  };
  const flushBatch = async (): Promise<void> => {
    const ready = batch;
    batch = createBatch();
    await writing;
    writing = write(ready);
    // A failure is thrown by the next call that waits for it.
    writing.catch(() => {});
  };
  return {
    isFull,
    async add(found, mayBeWanted) {
      const { after, position } = found;
      const outcome = mayBeWanted ? convertRecord(found, deps, signal) : 'unwanted';
      // The batch waits for it, perhaps much later; a rejection that nobody awaits yet would end the process.
      if (typeof outcome !== 'string') outcome.catch(() => {});
      batch.entries.push({ after, position, outcome });
      if (mayBeWanted && 'page' in found) grow(batch, found.page.body);
      const { entries, pages, chars, extracted } = batch;
      const isBatchFull =
        pages >= BATCH_PAGES ||
        chars >= BATCH_CHARS ||
        extracted >= BATCH_EXTRACTED ||
        entries.length >= BATCH_RECORDS;
      if (isBatchFull) await flushBatch();
    },
    async end() {
      await flushBatch();
      await writing;
    },
    counts: () => ({ ...counts }),
    problems: () => problems,
  };
}

function grow(batch: Batch, body: { bytes: Uint8Array } | { markdown: string }): void {
  batch.pages += 1;
  if ('bytes' in body) batch.extracted += 1;
  batch.chars += 'bytes' in body ? body.bytes.length : body.markdown.length;
}

async function convertRecord(record: CollectedRecord, deps: PageDeps, signal: AbortSignal): Promise<Outcome> {
  if (!('page' in record)) return record;
  const { publishedDay, fetchedAt } = record.page;
  const keepsCopies = record.keepsCopies ?? false;
  try {
    const read = await convertSourcePage(record.page, deps, signal);
    return 'page' in read
      ? { page: read.page, isDated: publishedDay !== undefined || fetchedAt !== null, keepsCopies }
      : read;
  } catch (error) {
    if (signal.aborted) return 'aborted';
    throw error;
  }
}

type JudgeDeps = Pick<BatchDeps, 'options' | 'texts'> & { counts: ImportCounts; problems: string[] };

/** Returns the page to write, or null, which it counts. Called in the order of the records, so that a resumed import decides alike. */
function judge(outcome: Outcome, { options, texts, counts, problems }: JudgeDeps): IndexedPage | null {
  if (typeof outcome === 'string') {
    counts.filtered += 1;
    return null;
  }
  if ('problem' in outcome) {
    counts.failed += 1;
    if (problems.length < PROBLEMS_MAX) problems.push(`${outcome.where}: ${outcome.problem}`);
    return null;
  }
  const { page, isDated, keepsCopies } = outcome;
  if (!isWanted(page, isDated, options)) {
    counts.filtered += 1;
    return null;
  }
  if (!options.keepCopies && !keepsCopies && texts.isCopy(page.markdown)) {
    counts.copies += 1;
    return null;
  }
  return page;
}
