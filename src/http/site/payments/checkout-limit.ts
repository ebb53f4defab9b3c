import { LRUCache } from 'lru-cache';
import { toAllowanceAddress } from '../../../billing/ledger/address-prefixes.ts';
import { OPENINGS_PER_HOUR } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';

/** Limits how often an address may open a payment page. Over the limit, `take` returns the seconds until it may again. */
export type CheckoutLimit = {
  take(address: string): { ok: true } | { ok: false; retryAfterSeconds: number };
};

const HOUR_MS = 3_600_000;
const ADDRESSES_MAX = 10_000;

/** Counts per hour of the clock, in this process alone. It only keeps link checkers from opening pages endlessly. */
export function createCheckoutLimit(clock: Clock): CheckoutLimit {
  const taken = new LRUCache<string, { hour: number; times: number }>({ max: ADDRESSES_MAX });
  return {
    take(address) {
      const key = toAllowanceAddress(address);
      const hour = Math.floor(clock.now() / HOUR_MS);
      const known = taken.get(key);
      const times = known?.hour === hour ? known.times : 0;
      if (times >= OPENINGS_PER_HOUR) {
        const untilNext = (hour + 1) * HOUR_MS - clock.now();
        return { ok: false, retryAfterSeconds: Math.ceil(untilNext / 1_000) };
      }
      taken.set(key, { hour, times: times + 1 });
      return { ok: true };
    },
  };
}
