/**
 * Limits of keys: calls per minute, counted in this process, and calls per UTC day, counted in the ledger store.
 * Operators set them, and owners for further keys of their account. Credits limit a key separately.
 */
import { Failure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import { type Clock, DAY_MS } from '../../platform/clock.ts';

/** Maximum calls of a key per minute and per UTC day; null: no limit. */
export type KeyLimits = { perMinute: number | null; perDay: number | null };

/** Limits and expiry of a key; `expiresAt` in ms since the epoch, null: never. */
export type KeyTerms = KeyLimits & { expiresAt: number | null };

export const NO_TERMS: KeyTerms = { perMinute: null, perDay: null, expiresAt: null };

export const hasTerms = (terms: KeyTerms): boolean => Object.values(terms).some((term) => term !== null);

export type KeyLimiter = {
  /** Counts a call of a key. Throws `Failure('rate_limited')` if a limit is used up; such a call does not count towards a day. */
  count(keyId: string, limits: KeyLimits): Promise<void>;
};

const MINUTE_MS = 60_000;

/** Minutes are counted in this process, days in the ledger store (`countToday` resolves to null if `most` is used up). */
export function createKeyLimiter(deps: {
  countToday(keyId: string, most: number): Promise<number | null>;
  clock: Clock;
  events: Pick<Events, 'rateLimited'>;
}): KeyLimiter {
  const { countToday, clock, events } = deps;
  const countThisMinute = createMinuteCounts(clock);
  const refuse = (most: number, span: 'minute' | 'day', ms: number): never => {
    events.rateLimited(span);
    const now = clock.now();
    const seconds = Math.ceil((ms - (now % ms)) / 1_000);
    throw new Failure(
      'rate_limited',
      `This key may make ${most} ${most === 1 ? 'call' : 'calls'} per ${span} (UTC); the count resets in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    );
  };
  return {
    async count(keyId, { perMinute, perDay }) {
      if (perMinute !== null && !countThisMinute(keyId, perMinute)) refuse(perMinute, 'minute', MINUTE_MS);
      if (perDay !== null && (await countToday(keyId, perDay)) === null) refuse(perDay, 'day', DAY_MS);
    },
  };
}

/** Counts calls per clock minute. Returns false if `most` is used up. Only keys that called in this minute take memory. */
function createMinuteCounts(clock: Clock): (keyId: string, most: number) => boolean {
  const calls = new Map<string, number>();
  let minute = 0;
  return (keyId, most) => {
    const now = Math.floor(clock.now() / MINUTE_MS);
    if (now !== minute) calls.clear();
    minute = now;
    const made = calls.get(keyId) ?? 0;
    if (made < most) calls.set(keyId, made + 1);
    return made < most;
  };
}
