import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import type { SealedValues } from '../../platform/store/shared/sealed-values.ts';
import {
  createSharedValues,
  type SharedScript,
  type SharedStore,
} from '../../platform/store/shared/shared-values.ts';
import type { SourceItem, SourceRate } from '../source.ts';
import { type CallWindow, createCallWindow } from './call-window.ts';

export const FRESH_MS = 300_000;
export const STALE_MS = 21_600_000;
const CHARS_MAX = 32 * 1_048_576;
const ENTRY_CHARS = 500;

/** State about sources that processes share: answers, the rate at which a source may be called, and the pauses it asked for. */
export type SharedSources = {
  /** Finds an answer that another process received within the last five minutes; null: none is known. */
  found(key: string): Promise<SourceItem[] | null>;
  keep(key: string, items: SourceItem[]): void;
  /** Asks whether a call may start, so that all processes together keep to the rate. `pausedMs`: the rest of the source's pause. */
  take(source: string, rate: Rate): Promise<{ mayBegin: boolean; pausedMs: number }>;
  /** Makes all processes pause calls to a source. */
  pause(source: string, ms: number): void;
  /** Removes all answers. */
  removeAll(): Promise<void>;
};

type Rate = Pick<SourceRate, 'calls' | 'perMs'>;

/** Time without calls after which a process no longer counts. */
const SEEN_MS = 60_000;
const CALLS_MAX = 10_000;

/**
 * A sliding window over the calls of all processes, by the server's clock. KEYS: calls, pause, processes. ARGV: calls, milliseconds,
 * process, milliseconds for which a process counts. Returns whether the call may begin, the rest of the pause, and the number of processes.
 */
const TAKE: SharedScript = {
  lua: `local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('zadd', KEYS[3], now, ARGV[3])
redis.call('zremrangebyscore', KEYS[3], 0, now - ARGV[4])
redis.call('pexpire', KEYS[3], ARGV[4])
local processes = redis.call('zcard', KEYS[3])
local paused = redis.call('pttl', KEYS[2])
if paused > 0 then return {0, paused, processes} end
local earlier = redis.call('lindex', KEYS[1], ARGV[1] - 1)
if earlier and now - tonumber(earlier) < tonumber(ARGV[2]) then return {0, 0, processes} end
redis.call('lpush', KEYS[1], string.format('%d', now))
redis.call('ltrim', KEYS[1], 0, ARGV[1] - 1)
redis.call('pexpire', KEYS[1], ARGV[2])
return {1, 0, processes}`,
};
/** KEYS: pause. ARGV: milliseconds. A longer pause stays. */
const PAUSE: SharedScript = {
  lua: `if redis.call('pttl', KEYS[1]) < tonumber(ARGV[1]) then redis.call('set', KEYS[1], 1, 'px', ARGV[1]) end return 1`,
};

export function createSharedSources(
  store: SharedStore,
  { sealed, clock }: { sealed: SealedValues; clock: Clock },
): SharedSources {
  const answers = createSharedValues(store, sealed, 'answer');
  const me = randomUUID();
  const shares = createRateShares(clock);
  return {
    async found(key) {
      return (await answers.get(key)) as SourceItem[] | null;
    },
    keep: (key, items) => void answers.put(key, items, { ttlMs: FRESH_MS }),
    async take(source, { calls, perMs }) {
      const size = Math.max(1, Math.min(CALLS_MAX, calls));
      const keys = ['calls', 'pause', 'processes'].map((what) => `source:{${source}}:${what}`);
      const reply = await store.run(TAKE, keys, [size, perMs, me, SEEN_MS]);
      if (!Array.isArray(reply?.value))
        return { mayBegin: shares.take(source, { calls, perMs }), pausedMs: 0 };
      const [may, pausedMs, processes] = reply.value.map(Number);
      shares.noteProcesses(processes ?? 1);
      return { mayBegin: may === 1, pausedMs: pausedMs ?? 0 };
    },
    pause: (source, ms) => void store.run(PAUSE, [`source:{${source}}:pause`], [Math.ceil(ms)]),
    removeAll: answers.removeAll,
  };
}

/** Limits each process to its share of a rate while the shared store is down, by the number of processes seen last. */
function createRateShares(clock: Clock) {
  const windows = new Map<string, CallWindow>();
  let processes = 1;
  return {
    noteProcesses(seen: number): void {
      if (seen === processes) return;
      processes = Math.max(1, seen);
      windows.clear();
    },
    take(source: string, { calls, perMs }: Rate): boolean {
      const share = Math.max(1, Math.floor(calls / processes));
      const window = windows.get(source) ?? createCallWindow({ calls: share, perMs }, clock);
      windows.set(source, window);
      return window.take();
    },
  };
}

/** Cache of the upstream sources' answers by request: fresh for five minutes, and usable for six hours if a source fails. */
export type AnswerCache = {
  keep(key: string, items: SourceItem[]): void;
  fresh(key: string): SourceItem[] | null;
  /** Fresh or stale. */
  any(key: string): SourceItem[] | null;
  /** Drops all answers. */
  clear(): void;
};

export function createAnswerCache(clock: Clock): AnswerCache {
  const answers = new LRUCache<string, { items: SourceItem[]; at: number }>({
    maxSize: CHARS_MAX,
    sizeCalculation: ({ items }, key) => ENTRY_CHARS + key.length + JSON.stringify(items).length,
  });
  const findWithin = (key: string, ms: number): SourceItem[] | null => {
    const kept = answers.get(key);
    return kept !== undefined && clock.now() - kept.at <= ms ? kept.items : null;
  };
  return {
    keep: (key, items) => void answers.set(key, { items, at: clock.now() }),
    fresh: (key) => findWithin(key, FRESH_MS),
    any: (key) => findWithin(key, STALE_MS),
    clear: () => answers.clear(),
  };
}
