/**
 * Keeps the index file within its bound and complete: merges segments, adds missing rows, evicts the least recently used pages and
 * returns free space. Each step is short, so that writes go on between steps. upkeep-loop.ts decides when steps run.
 */
import type { DatabaseSync } from 'node:sqlite';
import { createMerges } from '../postings/merge-segments.ts';
import { createDictionaryMaker } from '../texts/dictionaries.ts';
import { addMissingLives } from './page-life.ts';

/** `evicted`: pages removed to keep the bound. `more`: another step has something to do. */
export type UpkeepStep = { evicted: number; more: boolean };

/** Keeps the index file small and complete, in steps that each hold the write lock for some milliseconds. */
type Upkeep = {
  step(bytesMax: number | null): UpkeepStep;
  /** Makes further steps rewrite the postings of removed pages and truncate the write-ahead log. */
  scrub(): void;
};

const LIVES_PER_STEP = 500;
/** Pages per step that get vectors; a long page takes about 10 ms. */
const VECTORS_PER_STEP = 4;
const EVICTED_PER_STEP = 32;
/** Share of the bound down to which pages are evicted, so that eviction does not run for every new page. */
const EVICTION_TARGET = 0.95;
/** Maximum pages of the file that one step releases to the disk. */
const RELEASED_PER_STEP = 250;
/** Free pages that are kept in the file for further writes. */
const FREE_SHARE = 0.05;
const FREE_PAGES_MIN = 16;
const INCREMENTAL = 2;

type FileSize = { pages: number; free: number; pageBytes: number };

type Range = { after: number; limit: number };

/** Changes that a step makes to pages, within its transaction. */
type UpkeepParts = {
  /** Removes a page by its address. */
  remove(url: string): boolean;
  /** Adds rows that are missing for pages after an id; returns the last id, null: there is none after it. */
  addMissingVectors(range: Range): number | null;
};

export function createUpkeep(database: DatabaseSync, { remove, addMissingVectors }: UpkeepParts): Upkeep {
  const completions = [
    createCompletion((range) => addMissingLives(database, range), LIVES_PER_STEP),
    createCompletion(addMissingVectors, VECTORS_PER_STEP),
  ];
  const merges = createMerges(database);
  const dictionaries = createDictionaryMaker(database);
  let isScrubbing = false;
  /** Pages were evicted since room was last reclaimed. */
  let hasEvicted = false;
  const leastUsed = database.prepare(
    'select url, bytes from page_life join page on id = page_id order by used_at, page_id limit ?',
  );

  const evict = (bytesOver: number): number => {
    let freed = 0;
    let evicted = 0;
    for (const { url, bytes } of leastUsed.all(EVICTED_PER_STEP)) {
      if (freed >= bytesOver) break;
      if (remove(String(url))) evicted += 1;
      freed += Number(bytes);
    }
    if (evicted > 0) database.exec('update total set changes = changes + 1');
    return evicted;
  };
  return {
    scrub() {
      isScrubbing = true;
      merges.scrub();
    },
    step(bytesMax) {
      // First, so that neither searches nor the bound wait for what is left to merge.
      if (merges.step()) return { evicted: 0, more: true };
      const incomplete = dictionaries.isDue()
        ? { step: dictionaries.add }
        : completions.find(({ isDone }) => !isDone());
      if (incomplete !== undefined) {
        runInTransaction(database, incomplete.step);
        return { evicted: 0, more: true };
      }
      const size = readSize(database);
      if (bytesMax !== null && countHeldBytes(size) > bytesMax) {
        // Evicted pages still take room in the postings; without reclaiming it, more pages than necessary would be evicted.
        const isReclaiming = hasEvicted && merges.reclaim();
        hasEvicted &&= !isReclaiming;
        if (isReclaiming) return { evicted: 0, more: true };
        const over = countHeldBytes(size) - bytesMax * EVICTION_TARGET;
        const evicted = runInTransaction(database, () => evict(over));
        hasEvicted ||= evicted > 0;
        if (evicted > 0) return { evicted, more: true };
      }
      if (isScrubbing) {
        isScrubbing = false;
        database.exec('pragma wal_checkpoint(truncate)');
      }
      return { evicted: 0, more: release(database, bytesMax) };
    },
  };
}

/** Completes the rows of all pages once, some at a time. */
function createCompletion(
  addMissing: (range: Range) => number | null,
  limit: number,
): { isDone(): boolean; step(): void } {
  let completedTo: number | null = 0;
  return {
    isDone: () => completedTo === null,
    step() {
      if (completedTo !== null) completedTo = addMissing({ after: completedTo, limit });
    },
  };
}

/** Gives free pages back to the disk; returns whether there is more to give. */
function release(database: DatabaseSync, bytesMax: number | null): boolean {
  const { pages, free, pageBytes } = readSize(database);
  const isOver = bytesMax !== null && pages * pageBytes > bytesMax;
  if (free <= FREE_PAGES_MIN || (!isOver && free <= pages * FREE_SHARE)) return false;
  if (readPragma(database, 'auto_vacuum') !== INCREMENTAL) {
    if (bytesMax !== null) convert(database);
    return false;
  }
  database.exec(`pragma incremental_vacuum(${RELEASED_PER_STEP})`);
  database.exec('pragma wal_checkpoint(passive)');
  return readSize(database).free < free;
}

/**
 * Rewrites a file of an earlier version, which cannot shrink in steps, once it has much to release and there is a bound. Changes wait
 * meanwhile. The copy is made on disk, not in memory.
 */
function convert(database: DatabaseSync): void {
  try {
    database.exec('pragma temp_store = file; pragma auto_vacuum = incremental; vacuum');
  } finally {
    database.exec('pragma temp_store = memory; pragma wal_checkpoint(truncate)');
  }
}

function runInTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}

const countHeldBytes = ({ pages, free, pageBytes }: FileSize): number => (pages - free) * pageBytes;

function readSize(database: DatabaseSync): FileSize {
  return {
    pages: readPragma(database, 'page_count'),
    free: readPragma(database, 'freelist_count'),
    pageBytes: readPragma(database, 'page_size'),
  };
}

function readPragma(database: DatabaseSync, pragma: string): number {
  return Number(database.prepare(`pragma ${pragma}`).get()?.[pragma]);
}
