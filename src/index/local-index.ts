/**
 * The local index in one SQLite file: it stores pages, searches them and keeps the file within its bound. A write resolves once it is
 * committed and survives a kill. This module only routes calls to the writer and reader threads; it neither ranks nor parses pages.
 */

import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { StoreUnavailable } from '../contract/errors.ts';
import { hasSecret } from '../pages/privacy/secret-in-address.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { openDataFolder } from '../platform/store/open-store.ts';
import {
  createThread,
  type Thread,
  ThreadClosed,
  ThreadEnded,
  type ThreadProcedures,
} from '../platform/threads/thread.ts';
import { resolveThreadModule } from '../platform/threads/thread-modules.ts';
import type { IndexReaderOptions, ReaderCalls } from './index-reader.ts';
import { createIndexState } from './index-state.ts';
import type { IndexChange, TimedChange } from './index-writer.ts';
import type { WriterCalls } from './index-writer-thread.ts';
import type { IndexedPage, LocalIndex, PageSelector } from './local-index-types.ts';
import type { PreparedPage, PreparerCalls } from './prepare/prepare-page.ts';
import { runRebuild } from './rebuild/run-rebuild.ts';
import { createRecentChanges } from './recent-changes.ts';
import { createReadingsMemory } from './results/page-readings.ts';
import type { UpkeepStep } from './upkeep/index-upkeep.ts';

/** Fewer pages are not worth two messages between threads. */
const PAGES_MIN = 16;

type LocalIndexOptions = {
  path: string;
  log: Log;
  /** Maximum size of the file; beyond it the least recently used pages are evicted. Null: unlimited. */
  bytesMax?: number | null;
  /** Also finds pages by meaning, not only by their words. */
  vectorRecall?: boolean;
  clock?: Clock;
};

/** Maximum changes sent to the writer at a time, and maximum changes that wait here for their turn. */
const CHANGES_OPEN_MAX = 64;
const CHANGES_WAITING_MAX = 10_000;
const FORGOTTEN_AT_ONCE = 100;

/**
 * Opens the index in the file `path` (created if absent): one writer thread with group commit, and as many reader threads as
 * there are cores, each started by the first call that finds the others busy. An index of an older layout is rebuilt in the
 * background. Write calls reject when too many wait. Pages whose address contains a secret are not indexed, and those that an
 * earlier version indexed are not returned.
 */
export async function createLocalIndex({
  path,
  log,
  bytesMax = null,
  vectorRecall = false,
  clock = systemClock,
}: LocalIndexOptions): Promise<LocalIndex> {
  const data = { path, vectorRecall, readings: createReadingsMemory() };
  const { writer, readers, preparers } = await startThreads(data, log);
  const rebuild = await rethrowUnavailable(runRebuild(writer, log));
  const upkeep = createUpkeepLoop(() => rethrowUnavailable(writer.call('upkeep', { bytesMax })), log);
  upkeep.wake();
  void rebuild.ended().then(upkeep.wake);
  const inTurn = createWriteQueue(writer);
  const state = createIndexState(path);
  const recent = createRecentChanges();
  const seen = createEpochWatcher(recent);
  const change: MakeChange = async (wanted) => {
    const count = await inTurn({ ...wanted, at: clock.now() });
    upkeep.wake();
    return count;
  };
  const ask: Ask = (name, argument, signal) =>
    rethrowUnavailable(pickLeastBusy(readers).call(name, argument, { signal }));
  const getOld = async (url: string) =>
    rebuild.rebuilding() === null ? null : rethrowUnavailable(writer.call('getOld', url));
  const listOldUrls = async (selector: PageSelector): Promise<string[]> =>
    rebuild.rebuilding() === null ? [] : rethrowUnavailable(writer.call('oldUrls', selector));
  return {
    ...createChangeCalls(change, {
      ask,
      oldUrls: listOldUrls,
      recent,
      prepare: (pages) => rethrowUnavailable(preparers.prepare(pages)),
    }),
    ...createQueryCalls(ask, clock),
    putStandings: (part) => rethrowUnavailable(writer.call('putStandings', part)),
    place: () => ({ engine: 'sqlite', at: path }),
    version: () => readVersion(state.read()?.changes ?? null, { recent, ask }),
    isUnaffected: async (...given) => !vectorRecall && recent.isUnaffected(...given),
    epoch() {
      const epoch = state.read()?.epoch;
      return epoch === undefined ? ask('epoch', undefined).then(seen) : seen(epoch);
    },
    get: async (url) => (hasSecret(url) ? null : ((await ask('get', url)) ?? getOld(url))),
    // Asks the writer, which runs anyway, so that a starting server needs no reader yet.
    size: () => rethrowUnavailable(writer.call('size', undefined)),
    problems: () => rethrowUnavailable(writer.call('problems', undefined)),
    tidy: upkeep.idle,
    rebuilding: rebuild.rebuilding,
    rebuilt: rebuild.ended,
    async close() {
      await Promise.all([rebuild.stop(), upkeep.close()]);
      await Promise.all([...readers.map((reader) => reader.close()), preparers.close()]);
      await writer.close();
      state.close();
    },
  };
}

/** Returns a function that clears the recent changes whenever the epoch has changed, so that no forgotten text stays in memory. */
function createEpochWatcher(recent: { clear(): void }): (epoch: number) => number {
  let last: number | null = null;
  return (epoch) => {
    if (epoch !== last) recent.clear();
    last = epoch;
    return epoch;
  };
}

/** Returns a plain string where the state can be read at once, because every cached search asks for it. */
function readVersion(
  changes: number | null,
  { recent, ask }: { recent: Pick<ReturnType<typeof createRecentChanges>, 'versionOf'>; ask: Ask },
): string | Promise<string> {
  if (changes !== null) return recent.versionOf(changes);
  return ask('version', undefined).then((version) => recent.versionOf(Number(version)));
}

type MakeChange = (change: IndexChange) => Promise<number>;

type Ask = <Name extends keyof ReaderCalls & string>(
  name: Name,
  argument: Parameters<ReaderCalls[Name]>[0],
  signal?: AbortSignal,
) => Promise<Awaited<ReturnType<ReaderCalls[Name]>>>;

type ChangeCalls = Pick<LocalIndex, 'put' | 'remove' | 'forget' | 'use' | 'confirm' | 'postpone'>;

type ChangeParts = {
  ask: Ask;
  oldUrls(selector: PageSelector): Promise<string[]>;
  recent: Pick<ReturnType<typeof createRecentChanges>, 'begin'>;
  prepare: Preparers['prepare'];
};

function createChangeCalls(change: MakeChange, { ask, oldUrls, recent, prepare }: ChangeParts): ChangeCalls {
  return {
    async put(pages) {
      const shared = pages.filter(({ url }) => !hasSecret(url));
      if (shared.length === 0) return;
      const end = recent.begin(shared);
      try {
        const prepared = await prepare(shared);
        await change({ put: shared, ...(prepared === null ? {} : { prepared }) });
      } finally {
        end();
      }
    },
    remove: (urls) => change({ remove: urls }),
    async forget(selector) {
      let count = 0;
      for (let forgotten = 1; forgotten > 0; count += forgotten) {
        // Older indexes too, from which the pages could otherwise return.
        const old = await oldUrls(selector);
        const urls = await ask('urls', { selector, after: null, limit: FORGOTTEN_AT_ONCE });
        forgotten = await change({ forget: [...new Set([...old, ...urls])] });
      }
      return count;
    },
    async use(urls) {
      await change({ use: urls });
    },
    async confirm(pages) {
      await change({ confirm: pages });
    },
    async postpone(urls, until) {
      await change({ postpone: urls, until });
    },
  };
}

type QueryCalls = Omit<
  LocalIndex,
  | keyof ChangeCalls
  | 'place'
  | 'putStandings'
  | 'get'
  | 'version'
  | 'isUnaffected'
  | 'epoch'
  | 'size'
  | 'problems'
  | 'tidy'
  | 'rebuilding'
  | 'rebuilt'
  | 'close'
>;

function createQueryCalls(ask: Ask, clock: Clock): QueryCalls {
  return {
    async search(query, signal) {
      const found = await ask('search', { ...query, query: query.query.text }, signal);
      return found.filter(({ url }) => !hasSecret(url));
    },
    frequencies: (terms) => ask('frequencies', terms),
    list: (query) => ask('list', query),
    recent: (limit) => ask('recent', limit),
    pages: (query) => ask('pages', query),
    stats: () => ask('stats', { at: clock.now() }),
    outlines: (query) => ask('outlines', query),
    hostRanking: () => ask('ranking', undefined),
    standings: (query) => ask('standings', query),
    due: (limit) => ask('due', { at: clock.now(), limit }),
  };
}

type Threads = { writer: Thread<WriterCalls>; readers: Thread<ReaderCalls>[]; preparers: Preparers };

async function startThreads(data: IndexReaderOptions, log: Log): Promise<Threads> {
  openDataFolder(dirname(data.path));
  const open = <Calls extends ThreadProcedures>(module: URL): Thread<Calls> =>
    openThread(module, { data, log });
  const writer = open<WriterCalls>(resolveThreadModule('index/index-writer-thread'));
  await rethrowUnavailable(writer.start());
  const readers = Array.from({ length: availableParallelism() }, () =>
    open<ReaderCalls>(resolveThreadModule('index/index-reader-thread')),
  );
  const preparers = createPreparers(() => open(resolveThreadModule('index/prepare/preparer-thread')));
  return { writer, readers, preparers };
}

function openThread<Calls extends ThreadProcedures>(
  module: URL,
  { data, log }: { data: IndexReaderOptions; log: Log },
): Thread<Calls> {
  return createThread(module, {
    data,
    onLost(err, calls) {
      if (calls > 0) log.error({ err, calls }, 'a thread of the index stopped');
    },
  });
}

async function rethrowUnavailable<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ThreadEnded || error instanceof ThreadClosed)) throw error;
    const { cause = error } = error;
    throw new StoreUnavailable('The index cannot be reached; try again in a moment.', { cause });
  }
}

function pickLeastBusy(readers: Thread<ReaderCalls>[]): Thread<ReaderCalls> {
  return readers.reduce((best, reader) => (reader.open() < best.open() ? reader : best));
}

/** Passes a bounded number of changes to the writer at a time, in order. */
function createWriteQueue(writer: Thread<WriterCalls>): (change: TimedChange) => Promise<number> {
  const waiting: (() => void)[] = [];
  let open = 0;
  return async (change) => {
    if (open >= CHANGES_OPEN_MAX) {
      if (waiting.length >= CHANGES_WAITING_MAX)
        throw new Error('the index is busy: too many changes wait to be written');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else open += 1;
    try {
      return await rethrowUnavailable(writer.call('change', change));
    } finally {
      // Hands the slot to the next in line, or frees it.
      const next = waiting.shift();
      if (next === undefined) open -= 1;
      else next();
    }
  };
}

/** Threads that prepare the pages of an import, so that the writer only writes. */
type Preparers = {
  /** Prepares pages, in their order; null if they are so few that the writer prepares them itself. */
  prepare(pages: IndexedPage[]): Promise<PreparedPage[] | null>;
  close(): Promise<void>;
};

/** Creates as many threads as there are cores, each started by its first pages. `open` creates one. */
function createPreparers(open: () => Thread<PreparerCalls>): Preparers {
  const threads = Array.from({ length: availableParallelism() }, open);
  return {
    async prepare(pages) {
      if (pages.length < PAGES_MIN) return null;
      const share = Math.ceil(pages.length / threads.length);
      const prepared = await Promise.all(
        threads.map((thread, at) => {
          const own = pages.slice(at * share, (at + 1) * share);
          return own.length === 0 ? [] : thread.call('prepare', own);
        }),
      );
      return prepared.flat();
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** Runs the steps of upkeep one after the other while there is something to do. */
type UpkeepLoop = {
  /** Starts the loop, or makes it check again after its last step. */
  wake(): void;
  /** Resolves when nothing is left to do, or a step failed. */
  idle(): Promise<void>;
  /** Ends the loop after the current step; any process can do the rest later. */
  close(): Promise<void>;
};

/** A failed step is logged; the next change tries again. */
function createUpkeepLoop(step: () => Promise<UpkeepStep>, log: Log): UpkeepLoop {
  let running: Promise<void> | null = null;
  let isAwake = false;
  let isClosed = false;
  const run = async (): Promise<void> => {
    let evicted = 0;
    try {
      while (isAwake && !isClosed) {
        isAwake = false;
        const done = await step();
        evicted += done.evicted;
        isAwake ||= done.more;
      }
    } catch (err) {
      isAwake = false;
      if (!isClosed) log.warn({ err }, 'the index could not be tidied up');
    }
    if (evicted > 0) log.info({ pages: evicted }, 'pages used least lately left the index to keep its bound');
  };
  const wake = (): void => {
    isAwake = true;
    running ??= run().finally(() => {
      running = null;
      if (isAwake && !isClosed) wake();
    });
  };
  return {
    wake,
    async idle() {
      while (running !== null) await running;
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}
