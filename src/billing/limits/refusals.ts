import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';

/** Remembers for a moment which keys have too few credits, so that a flood of refused calls does not load the ledger. */
export type Refusals = {
  /** Returns why the ledger would refuse a key that needs this many credits; null: the ledger has to be asked. */
  known(keyId: string, needed: number): Refusal | null;
  /** Call this before asking the ledger; the returned function records a refusal. */
  asking(): (keyId: string, refusal: Refusal) => void;
  /** Forgets all refusals, because a key may have received credits. */
  clear(): void;
};

/** The credits that a refused key has, and whether a payment of its account is disputed. */
export type Refusal = { available: number; isDisputed: boolean };

/** How long a refusal is remembered. Credits that another process grants meanwhile are noticed this much later. */
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
        // The ledger may have refused before credits were granted, although its reply arrived after.
        if (before === clearings) refused.set(keyId, { ...refusal, at: clock.now() });
      };
    },
    clear() {
      clearings += 1;
      refused.clear();
    },
  };
}
