import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { HeldPage, HoldingsQuery, IndexedPage, LocalIndex } from '../../index/local-index-types.ts';

/** The index that pages are copied from. */
export type MoveSource = Pick<LocalIndex, 'get' | 'pages' | 'list' | 'size'>;

/** The index that pages are copied to; `list` shows what was written by the last `settle`. */
export type MoveTarget = {
  put(pages: IndexedPage[]): Promise<void>;
  remove(urls: string[]): Promise<void>;
  get(url: string): Promise<IndexedPage | null>;
  list(query: HoldingsQuery): Promise<HeldPage[]>;
  settle(): Promise<void>;
};

type MoveParts = {
  source: MoveSource;
  target: MoveTarget;
  /** Maximum pages per second; null: no limit. */
  rate: number | null;
  signal: AbortSignal;
};

const PAGES_PER_READ = 50;
/** Number of reads whose pages are written at the same time. */
const READS_AT_ONCE = 8;
const LISTED_AT_ONCE = 1_000;
/** Maximum rounds of comparison. Pages may change meanwhile; differences that remain are reported. */
const ROUNDS_MAX = 5;

/** Copies all pages after an address, in address order; calls `done` with each safe resume point. Stops when the signal aborts. */
export async function copyPages(
  { source, target, rate, signal }: MoveParts,
  after: string | null,
  done: (last: string, count: number) => void,
): Promise<void> {
  let last = after;
  const startedAt = performance.now();
  let copied = 0;
  while (!signal.aborted) {
    const reads: IndexedPage[][] = [];
    while (reads.length < READS_AT_ONCE) {
      const pages = await source.pages({ selector: null, after: last, limit: PAGES_PER_READ });
      if (pages.length === 0) break;
      reads.push(pages);
      last = pages.at(-1)?.url ?? last;
    }
    if (reads.length === 0 || last === null) return;
    await Promise.all(reads.map((pages) => target.put(pages)));
    const count = reads.reduce((sum, pages) => sum + pages.length, 0);
    copied += count;
    done(last, count);
    if (rate !== null) await pause(Math.max(0, (1_000 * copied) / rate - (performance.now() - startedAt)));
  }
}

/** Result of comparing all addresses and visit times; `corrected`: pages that were copied again or removed. */
export type Comparison = { compared: number; corrected: number; agrees: boolean };

/** Copies what has changed meanwhile, until both sides agree. */
export async function compareAll({ source, target, signal }: MoveParts): Promise<Comparison> {
  let corrected = 0;
  for (let round = 1; ; round += 1) {
    await target.settle();
    const { compared, missing, surplus } = await findDifferences(source, target);
    if (missing.length + surplus.length === 0) return { compared, corrected, agrees: true };
    if (round > ROUNDS_MAX || signal.aborted) return { compared, corrected, agrees: false };
    for (let from = 0; from < missing.length; from += PAGES_PER_READ) {
      const urls = missing.slice(from, from + PAGES_PER_READ);
      const pages = await Promise.all(urls.map((url) => source.get(url)));
      await target.put(pages.filter((page) => page !== null));
    }
    await target.remove(surplus);
    corrected += missing.length + surplus.length;
  }
}

type Differences = { compared: number; missing: string[]; surplus: string[] };

async function findDifferences(source: MoveSource, target: MoveTarget): Promise<Differences> {
  const found: Differences = { compared: 0, missing: [], surplus: [] };
  const [ours, theirs] = [listAll(source), listAll(target)];
  let [left, right] = [await ours.next(), await theirs.next()];
  while (!left.done || !right.done) {
    const order = left.done ? 1 : right.done ? -1 : compare(left.value.url, right.value.url);
    if (!left.done && (order < 0 || (order === 0 && left.value.fetchedAt !== right.value?.fetchedAt)))
      found.missing.push(left.value.url);
    if (!right.done && order > 0) found.surplus.push(right.value.url);
    if (order <= 0) {
      found.compared += 1;
      left = await ours.next();
    }
    if (order >= 0) right = await theirs.next();
  }
  return found;
}

const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

async function* listAll({ list }: Pick<MoveSource, 'list'>): AsyncGenerator<HeldPage, undefined> {
  let after: string | null = null;
  do {
    const pages: HeldPage[] = await list({ selector: null, after, limit: LISTED_AT_ONCE });
    yield* pages;
    after = pages.at(-1)?.url ?? null;
  } while (after !== null);
  return undefined;
}

/** Reads some pages on both sides; resolves to the addresses of those that differ. */
export async function compareSample(
  { source, target }: MoveParts,
  urls: readonly string[],
): Promise<string[]> {
  const differing: string[] = [];
  for (const url of urls) {
    const [ours, theirs] = [await source.get(url), await target.get(url)];
    if (!isDeepStrictEqual(ours, theirs)) differing.push(url);
  }
  return differing;
}
