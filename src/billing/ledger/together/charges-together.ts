import {
  firstOf,
  type LedgerQueries,
  procedure,
  rowsOf,
  type Steps,
} from '../../../platform/store/ledger/procedure.ts';
import { utcDay } from '../../../platform/utc.ts';
import type { ChargeArgs, Charged } from '../charge-procedures.ts';
import { insertCaptured } from '../charge-queries.ts';
import { assertSolvent, assertSome, assertWhole } from '../credits.ts';
import { placedHold } from '../hold-procedures.ts';
import { addToUsageDay, addUsage, settleParametersOf } from '../hold-queries.ts';
import {
  type ChargePart,
  chargeTogetherInOneStatement,
  takeTogether,
  togetherParametersOf,
} from './together-queries.ts';

/** Charges of one key, in the order in which they count. */
export type ChargesOfKey = { keyId: string; charges: Omit<ChargeArgs, 'keyId'>[] };

/**
 * Charges a key for several calls with one change of its account, and an entry for each. Returns null, and changes nothing, where
 * only each charge by itself can tell what happens to it: the key has too few credits for all or is not active, an id was used
 * before, or auto-reload may have to buy.
 */
export const chargeTogether = procedure(
  import.meta.url,
  'chargeTogether',
  { durability: 'kept', oneStatement: true },
  function* (ledgerStore, { keyId, charges }: ChargesOfKey): Steps<Charged[] | null> {
    const parts = partsOf(charges);
    if (new Set(parts.map(({ id }) => id)).size < parts.length) return null;
    const available =
      ledgerStore.dialect === 'postgres'
        ? yield* togetherInOneStatement(ledgerStore, keyId, parts)
        : yield* togetherInSteps(ledgerStore, keyId, parts);
    if (available === null) return null;
    assertWhole(available, 'charges take no more credits than the key has');
    return parts.map(({ used, later }) => ({ charged: used, available: available + later, purchase: null }));
  },
);

function partsOf(charges: ChargesOfKey['charges']): ChargePart[] {
  let later = charges.reduce((sum, { amount }) => sum + amount, 0);
  return charges.map(({ id, amount: used, at, endpoint = null }, before) => {
    assertSome(used, 'a charge takes at least one whole credit');
    later -= used;
    return { id, used, at, day: utcDay(at), endpoint, place: before + 1, later };
  });
}

/** Both return the credits that are left, or null. */
function* togetherInOneStatement(
  ledgerStore: LedgerQueries,
  keyId: string,
  parts: readonly ChargePart[],
): Steps<number | null> {
  const change = togetherParametersOf(keyId, parts);
  const settled = yield* firstOf(chargeTogetherInOneStatement(ledgerStore, change));
  return settled?.available ?? null;
}

function* togetherInSteps(
  ledgerStore: LedgerQueries,
  keyId: string,
  parts: readonly ChargePart[],
): Steps<number | null> {
  const taken = yield* firstOf(takeTogether(ledgerStore, togetherParametersOf(keyId, parts)));
  if (taken === null) return null;
  assertSolvent(taken, 'charges leave no negative balance');
  const { account, spentBy } = placedHold(taken, { keyId });
  const first = taken.version - parts.length;
  assertWhole(first, 'ledger entries are numbered from 1');
  const paid = { keyId: account, account, spentBy };
  for (const { id, used, at, endpoint, place, later } of parts) {
    const change = settleParametersOf({ id, used, at });
    yield* rowsOf(insertCaptured(ledgerStore, { ...change, ...paid, endpoint }));
    const balance = taken.available + taken.held + later;
    const entry = { id, delta: -used, balance, at, endpoint, version: first + place };
    yield* rowsOf(addUsage(ledgerStore, { ...paid, ...entry }));
  }
  for (const { day, endpoint, credits, calls } of usedByDay(parts)) {
    const used = { keyId: account, day, credits, calls, spentBy: spentBy ?? '', endpoint };
    yield* rowsOf(addToUsageDay(ledgerStore, used));
  }
  return taken.available;
}

type UsedOfDay = { day: string; endpoint: string; credits: number; calls: number };

/** What was used on each day by each route; nearly always one of each. */
function usedByDay(parts: readonly ChargePart[]): Iterable<UsedOfDay> {
  const sums = new Map<string, UsedOfDay>();
  for (const { day, endpoint, used } of parts) {
    const key = `${day} ${endpoint}`;
    const sum = sums.get(key) ?? { day, endpoint: endpoint ?? '', credits: 0, calls: 0 };
    sums.set(key, { ...sum, credits: sum.credits + used, calls: sum.calls + 1 });
  }
  return sums.values();
}
