import { setTimeout as timeout } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Frontier, FrontierRow } from '../frontier/frontier.ts';
import type { Politeness } from './politeness.ts';
import type { Visited } from './visit-page.ts';

/** Resolves after `ms` milliseconds or when the signal ends it, whichever comes first; never rejects. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** The wait of the clock on the wall. */
export async function waitForTimer(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await timeout(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

type VisitAllDeps = {
  frontier: Pick<Frontier, 'hosts' | 'peek' | 'take' | 'giveBack'>;
  politeness: Politeness;
  clock: Clock;
  wait: Wait;
  visit(row: FrontierRow, signal: AbortSignal): Promise<Visited>;
  /** Writes what visits led to; batches come one after the other. */
  settle(batch: Visited[]): Promise<void>;
  /** Pages settled so far, of `pagesMax`; no visit is begun that could lead to more. */
  pagesDone(): number;
  pagesMax: number;
  signal: AbortSignal;
};

/** Pages visited at once over all hosts, and outcomes that may wait to be written before no more are begun. */
const VISITS_MAX = 16;
const UNWRITTEN_MAX = 64;
const BATCH_MAX = 32;

/** Visits what the frontier holds until nothing is left, the pages are enough, every host left has given up, or the signal ends it. */
export async function visitAll(parts: VisitAllDeps): Promise<void> {
  const { frontier, politeness, clock, signal } = parts;
  const work = createWork(parts);
  while (!signal.aborted && !work.hasFailed()) {
    const change = work.nextChange();
    const next = work.hasRoom() ? await nextRow(parts) : null;
    if (next !== null && 'row' in next) {
      frontier.take(next.row);
      politeness.started(next.row.host, clock.now());
      work.begin(next.row);
      continue;
    }
    if (next === null && work.isIdle()) break;
    await changeOrTime(parts, change, next?.readyAt ?? null);
  }
  await work.end();
}

type Next = { row: FrontierRow } | { readyAt: number };

/** The next row whose host may be asked now; else when the first may; null when none is left. */
async function nextRow({ frontier, politeness, clock }: VisitAllDeps): Promise<Next | null> {
  let earliest: number | null = null;
  for (const host of frontier.hosts()) {
    const hostReadyAt = politeness.readyAt(host);
    if (hostReadyAt === null) continue;
    const row = await frontier.peek(host);
    if (row === null) continue;
    const readyAt = Math.max(hostReadyAt, Number(row.not_before));
    if (readyAt <= clock.now()) return { row };
    earliest = Math.min(earliest ?? readyAt, readyAt);
  }
  return earliest === null ? null : { readyAt: earliest };
}

async function changeOrTime(
  { clock, wait, signal }: VisitAllDeps,
  change: Promise<void>,
  readyAt: number | null,
): Promise<void> {
  if (readyAt === null) return change;
  const ended = new AbortController();
  const time = wait(Math.max(0, readyAt - clock.now()), AbortSignal.any([signal, ended.signal]));
  await Promise.race([change, time]);
  ended.abort();
}

type Work = {
  hasRoom(): boolean;
  isIdle(): boolean;
  hasFailed(): boolean;
  begin(row: FrontierRow): void;
  /** Resolves at the next end of a visit or of a write. */
  nextChange(): Promise<void>;
  /** Waits for what is under way, then throws what went wrong. */
  end(): Promise<void>;
};

function createWork(parts: VisitAllDeps): Work {
  const { frontier, politeness, signal } = parts;
  const visits = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;
  let change = Promise.withResolvers<void>();

  const changed = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const fail = (error: unknown): void => {
    failure ??= { error };
    changed();
  };
  const writer = createWriter(parts, { changed, fail });
  const visitOne = async (row: FrontierRow): Promise<void> => {
    try {
      writer.add(await parts.visit(row, signal));
    } catch (error) {
      if (signal.aborted) frontier.giveBack(row);
      else fail(error);
    } finally {
      politeness.ended(row.host);
    }
  };
  signal.addEventListener('abort', changed, { once: true });

  return {
    hasRoom: () =>
      visits.size < VISITS_MAX &&
      writer.unwritten() < UNWRITTEN_MAX &&
      parts.pagesDone() + visits.size + writer.unwritten() < parts.pagesMax,
    isIdle: () => visits.size === 0 && writer.unwritten() === 0,
    hasFailed: () => failure !== null,
    begin(row) {
      const under = visitOne(row).finally(() => {
        visits.delete(under);
        changed();
      });
      visits.add(under);
    },
    nextChange: () => change.promise,
    async end() {
      await Promise.all(visits);
      await writer.end();
      signal.removeEventListener('abort', changed);
      if (failure !== null) throw failure.error;
    },
  };
}

type Writer = { add(visited: Visited): void; unwritten(): number; end(): Promise<void> };

/** Writes what visits led to, one batch at a time: whatever has gathered while the batch before was written. */
function createWriter(
  parts: VisitAllDeps,
  { changed, fail }: { changed(): void; fail(error: unknown): void },
): Writer {
  const waiting: Visited[] = [];
  let inHand = 0;
  let writing: Promise<void> | null = null;
  const writeAll = async (): Promise<void> => {
    try {
      while (waiting.length > 0) {
        const batch = waiting.splice(0, BATCH_MAX);
        inHand = batch.length;
        await parts.settle(batch);
        inHand = 0;
        changed();
      }
    } catch (error) {
      fail(error);
    } finally {
      writing = null;
    }
  };
  return {
    add(visited) {
      waiting.push(visited);
      writing ??= writeAll();
    },
    unwritten: () => waiting.length + inHand,
    async end() {
      await writing;
    },
  };
}
