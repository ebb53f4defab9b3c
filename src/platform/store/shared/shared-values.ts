import { DAY_MS } from '../../clock.ts';
import type { SealedValues } from './sealed-values.ts';

/** Time limit of a call; without a reply by then it counts as unanswered. */
export const CALL_MS_MAX = 60;

/** The right to write a value; a later holder has a higher number. */
export type Token = number;

/** Values that processes share, by identity. No call rejects: a store that does not answer holds nothing and takes nothing. */
export type SharedValues = {
  /** Resolves to null if there is no value. */
  get(identity: string, signal?: AbortSignal): Promise<unknown>;
  /**
   * Resolves to whether the value was written; null: the store does not answer, or the value is too large. With a token it is written only
   * if no process has taken a lease, written or removed the value since, so that a holder that was paused past its lease cannot overwrite
   * newer values.
   */
  put(
    identity: string,
    value: unknown,
    how: { ttlMs: number; token?: Token | undefined },
  ): Promise<boolean | null>;
  remove(identity: string): Promise<void>;
  /** Drops all values of this kind written so far. */
  removeAll(): Promise<void>;
  /** Takes the lease for making a value. `by`: the token of another holder. Null: the store does not answer. */
  lease(identity: string, ms: number, signal?: AbortSignal): Promise<{ token: Token } | { by: Token } | null>;
  release(identity: string, token: Token): Promise<void>;
};

/** Lifetime of a token beyond its lease, so that a late writer still finds it; also the maximum lifetime of a value. */
const FENCE_MS = DAY_MS;

/** Reads the server's clock in milliseconds, as 16 digits that precede a value. */
const NOW = `local time = redis.call('time')
local now = string.format('%013d%03d', time[1], math.floor(time[2] / 1000))`;
/** KEYS: value, fence, lease, time at which all values were dropped. */
const READ: SharedScript = {
  lua: `local value = redis.call('get', KEYS[1])
if not value or string.sub(value, 1, 16) <= (redis.call('get', KEYS[4]) or '') then return false end
return string.sub(value, 17)`,
};

/** KEYS as above. ARGV: token or 0, bytes, milliseconds of the value, of the fence. */
const WRITE: SharedScript = {
  lua: `local token = tonumber(ARGV[1])
if token > 0 and tonumber(redis.call('get', KEYS[2]) or '0') ~= token then return 0 end
if token == 0 then redis.call('incr', KEYS[2]) redis.call('pexpire', KEYS[2], ARGV[4]) end
${NOW}
redis.call('set', KEYS[1], now .. ARGV[2], 'px', ARGV[3])
return 1`,
};

/** KEYS as above. ARGV: milliseconds of the fence. */
const REMOVE: SharedScript = {
  lua: `redis.call('incr', KEYS[2]) redis.call('pexpire', KEYS[2], ARGV[1])
return redis.call('del', KEYS[1], KEYS[3])`,
};

/** KEYS as above. ARGV: milliseconds for which the drop is remembered, which no value outlasts. */
const FORGET: SharedScript = { lua: `${NOW}\nredis.call('set', KEYS[4], now, 'px', ARGV[1]) return 1` };
/** KEYS as above. ARGV: milliseconds of the lease, of the fence. Returns the token, or that of another holder below zero. */
const LEASE: SharedScript = {
  lua: `local holder = redis.call('get', KEYS[3])
if holder then return -tonumber(holder) end
local token = redis.call('incr', KEYS[2])
redis.call('pexpire', KEYS[2], ARGV[2])
redis.call('set', KEYS[3], token, 'px', ARGV[1])
return token`,
};

/** KEYS as above. ARGV: token. */
const RELEASE: SharedScript = {
  lua: `if redis.call('get', KEYS[3]) == ARGV[1] then return redis.call('del', KEYS[3]) end return 0`,
};

/** Creates shared values. `kind` separates these values from others in the same store. */
export function createSharedValues(store: SharedStore, sealed: SealedValues, kind: string): SharedValues {
  const run = (script: SharedScript, identity: string, args: SharedArgument[] = [], signal?: AbortSignal) => {
    const key = sealed.keyOf(kind, identity);
    return store.run(script, [key, `${key}:fence`, `${key}:lease`, `forgotten:${kind}`], args, signal);
  };
  return {
    async get(identity, signal) {
      const reply = await run(READ, identity, [], signal);
      return reply === null ? null : sealed.open(sealed.keyOf(kind, identity), reply.value);
    },
    async put(identity, value, { ttlMs, token = 0 }) {
      const bytes = sealed.seal(sealed.keyOf(kind, identity), value);
      if (bytes === null) return null;
      const reply = await run(WRITE, identity, [
        token,
        bytes,
        Math.min(FENCE_MS, Math.ceil(ttlMs)),
        FENCE_MS,
      ]);
      return reply === null ? null : reply.value === 1;
    },
    async remove(identity) {
      await run(REMOVE, identity, [FENCE_MS]);
    },
    async removeAll() {
      await run(FORGET, '', [FENCE_MS]);
    },
    async lease(identity, ms, signal) {
      const reply = await run(LEASE, identity, [ms, FENCE_MS], signal);
      if (typeof reply?.value !== 'number') return null;
      return reply.value > 0 ? { token: reply.value } : { by: -reply.value };
    },
    async release(identity, token) {
      await run(RELEASE, identity, [token]);
    },
  };
}

/** A small Lua script, which the server runs atomically. */
export type SharedScript = { lua: string };

type SharedArgument = string | number | Uint8Array;

/**
 * A store that processes share for speed: values that expire, and scripts that count. No call rejects or lasts longer than `CALL_MS_MAX`;
 * null means that the store did not answer, and the caller does without it. Data that must not be lost is not kept here.
 */
export type SharedStore = {
  /** Runs a script; the value of a missing reply is undefined. Stops waiting once the signal fires. */
  run(
    script: SharedScript,
    keys: readonly string[],
    args?: readonly SharedArgument[],
    signal?: AbortSignal,
  ): Promise<Reply | null>;
  /** Sends a message to every process that listens, including this one; it is lost if the server cannot be reached. */
  publish(channel: string, message: string): void;
  /** Calls `listener` for each message that arrives. */
  listen(channel: string, listener: (message: string) => void): void;
  /** Returns whether the store answered its last call. */
  isUp(): boolean;
  close(): Promise<void>;
};

/** The result of a script. */
export type Reply = { value: unknown };
