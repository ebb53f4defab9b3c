import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';

/** Remembers for a moment which keys have too few credits, so that a flood of calls that are refused costs the ledger nothing. */
export type Refusals = {
  /** Why the ledger would refuse a key that needs so many credits; null: the ledger has to be asked. */
  known(keyId: string, needed: number): Refusal | null;
  /** To be called before the ledger is asked; the function it returns notes that the ledger refused. */
  asking(): (keyId: string, refusal: Refusal) => void;
  /** Credits may have been given to a key, or given back. */
  clear(): void;
};

/** The credits that a refused key has, and whether a payment of its account is disputed. */
export type Refusal = { available: number; isDisputed: boolean };

/** Another process may give credits meanwhile; they are noticed this much later. */
const REMEMBERED_MS = 100;
const REMEMBERED_MAX = 1_000;

export function createRefusals(clock: Clock): Refusals {
  const refused = new LRUCache<string, Refusal & { at: number }>({ max: REMEMBERED_MAX });
  let clearings = 0;
  return {
    known(keyId, needed) {
      const last = refused.get(keyId);
      if (last === undefined || (last.available >= needed && !last.isDisputed)) return null;
      const age = clock.now() - last.at;
      return age >= 0 && age < REMEMBERED_MS ? last : null;
    },
    asking() {
      const before = clearings;
      return (keyId, refusal) => {
        // The ledger may have refused before credits were given, although its reply comes after.
        if (before === clearings) refused.set(keyId, { ...refusal, at: clock.now() });
      };
    },
    clear() {
      clearings += 1;
      refused.clear();
    },
  };
}

/** Procedures that give a key no credits. */
export const GIVES_NONE: ReadonlySet<string> = new Set([
  ...['holdCredits', 'holdCreditsUpTo', 'chargeCredits', 'renewHolds', 'countRequest'],
]);
