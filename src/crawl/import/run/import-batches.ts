import type { IndexedPage, LocalIndex } from '../../../index/local-index-types.ts';
import type { Store } from '../../../platform/store/open-store.ts';
import type { CollectedRecord, SourcePlace } from '../collections/collection-types.ts';
import { type ImportOptions, isWanted } from './import-filter.ts';
import { type ImportCounts, type ImportState, saveImport } from './import-rows.ts';
import { convertSourcePage, type PageDeps } from './page-of.ts';
import type { SeenTexts } from './seen-texts.ts';

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

const BATCH_PAGES = 200;
const BATCH_CHARS = 4_000_000;
/** Maximum pages per batch that need extraction; they wait in the threads' queue, whose bound is four times this. */
const BATCH_EXTRACTED = 50;
/** Maximum records per batch, so that progress is stored even if no record is wanted. */
const BATCH_RECORDS = 20_000;
const PROBLEMS_MAX = 20;

type Outcome =
  | { page: IndexedPage; isDated: boolean; keepsCopies: boolean }
  | { where: string; problem: string }
  | 'unwanted'
  | 'aborted';
type Entry = { after: SourcePlace; position: number; outcome: Promise<Outcome> | Outcome };

type Batch = { entries: Entry[]; pages: number; chars: number; extracted: number };
const createBatch = (): Batch => ({ entries: [], pages: 0, chars: 0, extracted: 0 });

export function createBatches(deps: BatchDeps, { state, signal, onProgress }: BatchRun): Batches {
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
