/**
 * The visiting loop that all crawls share: takes rows from a frontier, visits them concurrently within the limits of politeness, and
 * settles the results in batches. What a visit does, and where results go, is up to the caller.
 */
import { setTimeout as timeout } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Frontier, FrontierRow } from '../frontier/frontier-types.ts';
import type { Politeness } from '../frontier/politeness.ts';
import type { VisitResult } from './visit-page.ts';

/** Resolves after `ms` milliseconds or when the signal fires; never rejects. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits in real time. */
export async function waitForTimer(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await timeout(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

type VisitAllDeps = {
  frontier: Pick<Frontier, 'hosts' | 'peek' | 'take' | 'putBack'>;
  politeness: Politeness;
  clock: Clock;
  wait: Wait;
  /** Resolves to null if the row must not be visited yet; it then returns to its queue. */
  visit(row: FrontierRow, signal: AbortSignal): Promise<VisitResult | null>;
  /** Writes the results of visits; called for one batch at a time. */
  settle(batch: VisitResult[]): Promise<void>;
  /** Number of pages that may still be begun or settled; no visit begins that could exceed it. */
  pagesLeft(): number;
  /** Maximum concurrent visits over all hosts; absent: VISITS_MAX. */
  visitsMax?: number;
  /** Set where rows may come from elsewhere, as in a crawl that several processes share. */
  sharing?: {
    /** Looks for new rows; called often. */
    keep(): Promise<void>;
    /** Returns whether no more rows will come. */
    isOver(): boolean;
  };
  signal: AbortSignal;
};

/** Concurrent visits over all hosts; maximum unwritten results per concurrent visit; results per write. */
const VISITS_MAX = 16;
const UNWRITTEN_PER_VISIT_MAX = 4;
const BATCH_MAX = 64;

/** Maximum time between two looks for rows from elsewhere. */
const LOOK_MS = 500;

/** Visits rows of the frontier until none is left, no page is, every remaining host was given up, or the signal aborts. */
export async function visitAll(deps: VisitAllDeps): Promise<void> {
  const { frontier, politeness, clock, signal, sharing } = deps;
  const work = createWork(deps);
  while (!signal.aborted && !work.hasFailed()) {
    await sharing?.keep();
    const change = work.nextChange();
    const next = work.hasRoom() ? await findNextRow(deps) : null;
    if (next !== null && 'row' in next) {
      frontier.take(next.row);
      politeness.started(next.row.host, clock.now());
      work.begin(next.row);
      continue;
    }
    if (next === null && work.isIdle() && sharing?.isOver() !== false) break;
    await waitForChange(deps, change, next?.readyAt ?? null);
  }
  await work.end();
}

type NextVisit = { row: FrontierRow } | { readyAt: number };

/** Finds a row whose host may be requested now, or else the earliest time at which one may; null when no row is left. */
async function findNextRow({ frontier, politeness, clock }: VisitAllDeps): Promise<NextVisit | null> {
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

async function waitForChange(
  { clock, wait, signal, sharing }: VisitAllDeps,
  change: Promise<void>,
  readyAt: number | null,
): Promise<void> {
  if (readyAt === null && sharing === undefined) return change;
  const ended = new AbortController();
  const waitMs = readyAt === null ? LOOK_MS : Math.max(0, readyAt - clock.now());
  const until = AbortSignal.any([signal, ended.signal]);
  const time = wait(sharing === undefined ? waitMs : Math.min(waitMs, LOOK_MS), until);
  await Promise.race([change, time]);
  // With a reason of its own, because the default one is an error with a stack, at every page.
  ended.abort('changed');
}

type Work = {
  hasRoom(): boolean;
  isIdle(): boolean;
  hasFailed(): boolean;
  begin(row: FrontierRow): void;
  /** Resolves when the next visit or write ends. */
  nextChange(): Promise<void>;
  /** Waits for visits and writes in progress, then throws the first error. */
  end(): Promise<void>;
};

function createWork(deps: VisitAllDeps): Work {
  const { frontier, politeness, signal, visitsMax = VISITS_MAX } = deps;
  const visits = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;
  let change = Promise.withResolvers<void>();

  const notifyChange = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const fail = (error: unknown): void => {
    failure ??= { error };
    notifyChange();
  };
  const writer = createWriter(deps, { changed: notifyChange, fail });
  const visitOne = async (row: FrontierRow): Promise<void> => {
    try {
      const visited = await deps.visit(row, signal);
      if (visited === null) frontier.putBack(row);
      else writer.add(visited);
    } catch (error) {
      if (signal.aborted) frontier.putBack(row);
      else fail(error);
    } finally {
      politeness.ended(row.host);
    }
  };
  signal.addEventListener('abort', notifyChange, { once: true });

  return {
    hasRoom: () =>
      visits.size < visitsMax &&
      writer.unwritten() < visitsMax * UNWRITTEN_PER_VISIT_MAX &&
      visits.size + writer.unwritten() < deps.pagesLeft(),
    isIdle: () => visits.size === 0 && writer.unwritten() === 0,
    hasFailed: () => failure !== null,
    begin(row) {
      const visiting = visitOne(row).finally(() => {
        visits.delete(visiting);
        notifyChange();
      });
      visits.add(visiting);
    },
    nextChange: () => change.promise,
    async end() {
      await Promise.all(visits);
      await writer.end();
      signal.removeEventListener('abort', notifyChange);
      if (failure !== null) throw failure.error;
    },
  };
}

type Writer = { add(visited: VisitResult): void; unwritten(): number; end(): Promise<void> };

/** Writes results in batches, one at a time: each batch has the results that arrived while the previous one was written. */
function createWriter(
  deps: VisitAllDeps,
  { changed, fail }: { changed(): void; fail(error: unknown): void },
): Writer {
  const waiting: VisitResult[] = [];
  let beingWritten = 0;
  let writing: Promise<void> | null = null;
  const writeAll = async (): Promise<void> => {
    try {
      while (waiting.length > 0) {
        const batch = waiting.splice(0, BATCH_MAX);
        beingWritten = batch.length;
        await deps.settle(batch);
        beingWritten = 0;
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
    unwritten: () => waiting.length + beingWritten,
    async end() {
      await writing;
    },
  };
}
