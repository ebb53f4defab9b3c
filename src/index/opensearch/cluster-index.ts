/**
 * The local index on an OpenSearch cluster, for many server processes at once. It promises what local-index.ts promises for SQLite.
 * It only routes calls to threads and reads the shared counters; cluster-engine.ts does the work in those threads.
 */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../contract/errors.ts';
import { hasSecret } from '../../pages/privacy/secret-in-address.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { createThread, type Thread } from '../../platform/threads/thread.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import type { LocalIndex } from '../local-index-types.ts';
import type { EngineCalls } from './cluster-engine.ts';
import type { ClusterSettings } from './connect/cluster.ts';
import { readOpenSearchAddress } from './connect/cluster.ts';
import { formatState, isSameState } from './read/answer-snapshot.ts';
import type { ClusterCounters } from './write/cluster-state.ts';

type ClusterIndexOptions = { settings: ClusterSettings; log: Log; clock?: Clock };

/** Time for which the counters of the cluster are cached; changes of this process show at once. */
const COUNTERS_KEPT_MS = 250;
/** Time limit for reading the counters: other sources may answer the call meanwhile. */
const COUNTERS_WAIT_MS = 1_000;
const THREADS_MAX = 4;
const CHANGES_WAITING_MAX = 10_000;
/** Time for which a closing process waits for its calls, so that recent writes become searchable. */
const CLOSING_MS = 2_000;

/**
 * Creates the index on a cluster. Each call goes to one of a few threads, which start as needed. Nothing is sent before the first
 * call, so a server starts without the cluster; calls reject with StoreUnavailable while it is unreachable.
 */
export function createClusterIndex({ settings, log, clock = systemClock }: ClusterIndexOptions): LocalIndex {
  const { ask, endSoon, close } = startEngines(settings, log);
  const counters = createCounters(() => ask('counters', undefined));
  const change = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } finally {
      counters.drop();
    }
  };
  return {
    ...createChangeCalls(ask, change, clock),
    ...createQueryCalls(ask, counters.changed, clock),
    place: () => ({ engine: 'opensearch', at: readOpenSearchAddress(settings.url).nodes.join(', ') }),
    putStandings: (part) => change(ask('putStandings', part)),
    async version() {
      // While the state cannot be read, each version is unique, so that no answer is cached under it and searches ask other sources.
      const known = await counters.read().catch(() => null);
      return known === null ? `unknown ${randomUUID()}` : formatState(known);
    },
    async isUnaffected(since, now, { texts, urls }) {
      if (isSameState(since, now)) return true;
      const asked = { texts, urls: [...urls], since, now, changed: counters.changed() };
      return !(await ask('concerns', asked).catch(() => true));
    },
    async epoch() {
      return (await counters.read()).epoch;
    },
    tidy: () => ask('tidy', undefined),
    rebuilding: () => null,
    rebuilt: async () => {},
    endSoon,
    close,
  };
}

type Engines = {
  ask: Ask;
  /** Calls without an answer fail after CLOSING_MS, and later ones at once. */
  endSoon(): void;
  /** Waits for running calls, for at most CLOSING_MS. */
  close(): Promise<void>;
};

/** Starts engines in threads, as needed; each call goes to the thread with the fewest open calls. */
export function startEngines(settings: ClusterSettings, log: Log): Engines {
  const threads = Array.from({ length: Math.min(THREADS_MAX, availableParallelism()) }, () =>
    createThread<EngineCalls>(resolveThreadModule('index/opensearch/cluster-thread'), {
      data: settings,
      callsMax: CHANGES_WAITING_MAX,
      onLost(err, calls) {
        if (calls > 0) log.error({ err, calls }, 'a thread of the index stopped');
      },
    }),
  );
  let ending: NodeJS.Timeout | null = null;
  let hasEnded = false;
  const endAll = (): void => {
    hasEnded = true;
    for (const thread of threads) void thread.end();
  };
  const endSoon = (): void => {
    ending ??= setTimeout(endAll, CLOSING_MS).unref();
  };
  return {
    ask: (name, argument, signal) =>
      hasEnded
        ? Promise.reject(new StoreUnavailable('The index is closed.'))
        : rethrowUnavailable(pickLeastBusy(threads).call(name, argument, { signal })),
    endSoon,
    async close() {
      endSoon();
      await Promise.all(threads.map((thread) => thread.close()));
      clearTimeout(ending ?? undefined);
    },
  };
}

type Ask = <Name extends keyof EngineCalls & string>(
  name: Name,
  argument: Parameters<EngineCalls[Name]>[0],
  signal?: AbortSignal,
) => Promise<Awaited<ReturnType<EngineCalls[Name]>>>;

type Change = <Result>(work: Promise<Result>) => Promise<Result>;

type ChangeCalls = Pick<LocalIndex, 'put' | 'remove' | 'forget' | 'use' | 'confirm' | 'postpone'>;

function createChangeCalls(ask: Ask, change: Change, clock: Clock): ChangeCalls {
  return {
    async put(pages) {
      const shared = pages.filter(({ url }) => !hasSecret(url));
      if (shared.length > 0) await change(ask('put', { pages: shared, at: clock.now() }));
    },
    remove: (urls) => change(ask('remove', urls)),
    async forget(selector) {
      const count = await change(ask('forget', selector));
      // After this wait, every process has read the new epoch.
      await new Promise((resolve) => setTimeout(resolve, COUNTERS_KEPT_MS));
      return count;
    },
    use: (urls) => ask('use', { urls, at: clock.now() }),
    confirm: (pages) => ask('confirm', pages),
    postpone: (urls, until) => ask('postpone', { urls, until }),
  };
}

type QueryCalls = Pick<
  LocalIndex,
  | 'get'
  | 'search'
  | 'frequencies'
  | 'size'
  | 'list'
  | 'recent'
  | 'pages'
  | 'stats'
  | 'due'
  | 'problems'
  | 'outlines'
  | 'hostRanking'
  | 'standings'
>;

function createQueryCalls(ask: Ask, changed: () => number, clock: Clock): QueryCalls {
  return {
    get: async (url) => (hasSecret(url) ? null : ask('get', url)),
    async search(query, signal) {
      const asked = { ...query, query: query.query.text, changed: changed() };
      const found = await ask('search', asked, signal);
      return found.filter(({ url }) => !hasSecret(url));
    },
    frequencies: (terms) => ask('frequencies', { terms, changed: changed() }),
    size: () => ask('size', undefined as never),
    list: (query) => ask('list', query),
    recent: (limit) => ask('recent', limit),
    pages: (query) => ask('pages', query),
    outlines: (query) => ask('outlines', query),
    hostRanking: () => ask('ranking', undefined),
    standings: (query) => ask('standings', query),
    stats: () => ask('stats', { at: clock.now() }),
    due: (limit) => ask('due', { at: clock.now(), limit }),
    problems: () => ask('problems', undefined as never),
  };
}

/** `at`: when the counters were requested, in milliseconds since the epoch. */
type TimedCounters = ClusterCounters & { at: number };

/** Reads the counters of the cluster once for all calls made at about the same time. */
function createCounters(read: () => Promise<ClusterCounters>): {
  read(): Promise<TimedCounters>;
  /** Drops the cached counters and counts a change of this process. */
  drop(): void;
  changed(): number;
} {
  let kept: { until: number; found: Promise<TimedCounters> } | null = null;
  let changed = 0;
  return {
    read() {
      if (kept !== null && kept.until > Date.now()) return kept.found;
      const at = Date.now();
      const found = withTimeout(read()).then((counters) => ({ ...counters, at }));
      kept = { until: at + COUNTERS_KEPT_MS, found };
      return found;
    },
    drop() {
      kept = null;
      changed += 1;
    },
    changed: () => changed,
  };
}

async function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const ended = new AbortController();
  const late = pause(COUNTERS_WAIT_MS, null, { signal: ended.signal, ref: false }).then(() => {
    throw new StoreUnavailable('The index does not answer; try again in a moment.');
  });
  late.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}

function pickLeastBusy(threads: Thread<EngineCalls>[]): Thread<EngineCalls> {
  return threads.reduce((best, thread) => (thread.open() < best.open() ? thread : best));
}

/** Rethrows errors of a thread, which have lost their class, as StoreUnavailable; a TypeError concerns the arguments and is kept. */
async function rethrowUnavailable<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (cause) {
    if (cause instanceof TypeError) throw cause;
    throw new StoreUnavailable('The index cannot be reached; try again in a moment.', { cause });
  }
}
