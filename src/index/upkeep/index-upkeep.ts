/**
 * Keeps the index file within its bound and complete: merges segments, adds missing rows, evicts the least recently used pages and
 * returns free space. Each step is short, so that writes go on between steps. index-writer.ts decides when steps run.
 */

import type { DatabaseSync } from 'node:sqlite';
import { createMerges } from '../postings/merge-segments.ts';
import { createTextReader } from '../texts/page-texts.ts';
import { addMissingLives } from './page-life.ts';

/** Maximum size of the dictionary, near the optimum for a page of text; a larger one makes every write slower. */
const BYTES_MAX = 32_768;
/** Minimum size of the dictionary; a smaller one is not worthwhile. */
const BYTES_MIN = 1_024;
/** Bytes per counted string. */
const GRAM = 8;
/** Maximum bytes of a piece. */
const PIECE = 64;
/**
 * Minimum hosts that must contain each string of the dictionary, byte for byte. Such strings belong to no single page, so nothing of a
 * deleted page stays behind in the dictionary.
 */
const HOSTS_MIN = 3;
/** Bits of a slot number in the first count, in which several strings may share a slot. */
const SLOT_BITS = 22;
const COUNT_MAX = 255;

/** Minimum pages for the first dictionary, and the growth of the index after which another one is made. */
const PAGES_MIN = 500;
const GROWTH = 20;
const SAMPLES = 300;
const SAMPLE_CHARS = 8_000;

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

/** Makes dictionaries for the texts of an index. */
type Dictionaries = {
  /** Returns whether the index has grown enough for a new dictionary. */
  isDue(): boolean;
  /** Makes a dictionary of what the pages of several hosts have in common; takes about 300 ms. Must be called within a transaction. */
  add(): void;
};

function createDictionaryMaker(database: DatabaseSync): Dictionaries {
  const grown = database.prepare(
    'select pages, (select max(pages) from text_dictionary) as trained from total',
  );
  const insert = database.prepare('insert into text_dictionary (pages, data) values (?, ?)');
  const readSizes = (): { pages: number; trained: number | null } =>
    // The columns are those of the query.
    grown.get() as { pages: number; trained: number | null };
  return {
    isDue() {
      const { pages, trained } = readSizes();
      return pages >= (trained === null ? PAGES_MIN : trained * GROWTH);
    },
    add() {
      insert.run(readSizes().pages, trainDictionary(collectSamples(database)) ?? new Uint8Array(0));
    },
  };
}

/** Collects pages spread evenly over the index. */
function collectSamples(database: DatabaseSync): Sample[] {
  const texts = createTextReader(database);
  const ends = database.prepare('select min(id) as first, max(id) as last from page').get() ?? {};
  const [first, last] = [Number(ends.first), Number(ends.last)];
  const next = database.prepare('select id, host from page where id >= ? order by id limit 1');
  return Array.from({ length: SAMPLES }, (_, at) => {
    const { id, host } = next.get(first + Math.floor(((last - first) * at) / SAMPLES)) ?? {};
    return { host: String(host), text: texts.read(Number(id))?.markdown.slice(0, SAMPLE_CHARS) ?? '' };
  });
}

/** A text and the host that it is from. */
type Sample = { host: string; text: string };

/**
 * Pure: trains a Zstandard dictionary of what the texts have in common, the most common pieces last, where references are shortest. Null
 * if there is too little. Follows FastCOVER: it takes from each part of the samples the piece whose strings are on most hosts, and counts
 * each string once.
 */
export function trainDictionary(samples: readonly Sample[]): Uint8Array | null {
  const texts = samples.map(({ host, text }) => ({ host, bytes: Buffer.from(text) }));
  const hosts = countHostsOfSlots(texts);
  const all = Buffer.concat(texts.map(({ bytes }) => bytes));
  const part = Math.max(PIECE * 2, Math.floor((all.length * PIECE) / BYTES_MAX));
  const pieces: Piece[] = [];
  for (let from = 0; from < all.length; from += part) {
    const piece = findBestPiece(
      all.subarray(from, from + part),
      (bytes, at) => hosts[computeSlot(bytes, at)] ?? 0,
    );
    if (piece === null) continue;
    pieces.push(piece);
    for (const at of listGrams(piece.bytes)) hosts[computeSlot(piece.bytes, at)] = 0;
  }
  const common = selectCommon(pieces, texts).sort((left, right) => left.worth - right.worth);
  const dictionary = Buffer.concat(common.map(({ bytes }) => bytes)).subarray(-BYTES_MAX);
  return dictionary.length < BYTES_MIN ? null : new Uint8Array(dictionary);
}

type Text = { host: string; bytes: Buffer };

/** `worth`: the sum of the host counts of its strings. */
type Piece = { bytes: Buffer; worth: number };

type CountHosts = (bytes: Buffer, at: number) => number;

function* listGrams({ length }: Buffer): Generator<number> {
  for (let at = 0; at + GRAM <= length; at += 1) yield at;
}

/** Counts, approximately, the hosts that contain the strings of each slot. */
function countHostsOfSlots(texts: readonly Text[]): Uint8Array {
  const counts = new Uint8Array(1 << SLOT_BITS);
  const last = new Uint16Array(1 << SLOT_BITS);
  let host = 0;
  for (const own of Map.groupBy(texts, (text) => text.host).values()) {
    host += 1;
    for (const { bytes } of own) {
      for (const at of listGrams(bytes)) {
        const slot = computeSlot(bytes, at);
        if (last[slot] === host) continue;
        last[slot] = host;
        counts[slot] = Math.min(COUNT_MAX, (counts[slot] ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** Computes the slot of the eight bytes at a place, by multiplicative hashing of the two halves. */
function computeSlot(bytes: Buffer, at: number): number {
  const mixed =
    Math.imul(bytes.readInt32LE(at), 0x9e3779b1) ^ Math.imul(bytes.readInt32LE(at + 4), 0x85ebca77);
  return (mixed ^ (mixed >>> 15)) >>> (32 - SLOT_BITS);
}

/** Finds the piece with the highest sum of host counts, all of whose strings are on enough hosts. */
function findBestPiece(bytes: Buffer, hostsOf: CountHosts): Piece | null {
  let best: Piece | null = null;
  let [start, worth] = [0, 0];
  for (const at of listGrams(bytes)) {
    const count = hostsOf(bytes, at);
    if (count < HOSTS_MIN) {
      [start, worth] = [at + 1, 0];
      continue;
    }
    worth += count;
    if (at + GRAM - start > PIECE) worth -= hostsOf(bytes, start++);
    if (worth > (best?.worth ?? 0)) best = { bytes: bytes.subarray(start, at + GRAM), worth };
  }
  return best;
}

/** Reduces the pieces by exact counts of their strings. */
function selectCommon(pieces: readonly Piece[], texts: readonly Text[]): Piece[] {
  const readGram = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, at + GRAM);
  const hosts = new Map<string, Set<string>>();
  for (const { bytes } of pieces)
    for (const at of listGrams(bytes)) hosts.set(readGram(bytes, at), new Set());
  for (const { host, bytes } of texts) {
    for (const at of listGrams(bytes)) hosts.get(readGram(bytes, at))?.add(host);
  }
  return pieces
    .map(({ bytes }) => findBestPiece(bytes, (own, at) => hosts.get(readGram(own, at))?.size ?? 0))
    .filter((piece) => piece !== null);
}
