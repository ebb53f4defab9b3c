import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { KEYLESS_REQUESTS_PER_DAY } from '../../contract/limits.ts';
import { type Clock, DAY_MS, toUtcDay } from '../../platform/clock.ts';
import {
  defineProcedure,
  type LedgerStore,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { toAllowanceAddress } from './address-prefixes.ts';
import { assertWhole } from './prices.ts';

/** Free daily requests for callers without a key. */
export type Allowance = {
  /** Requests per address and UTC day; 0: a key is required. */
  perDay: number;
  /** Counts one request of an address. Resolves to the number left today, or null if none was left. */
  count(address: string): Promise<number | null>;
  left(address: string): Promise<number>;
  /** Deletes the counts of days before yesterday. */
  forgetPast(): Promise<void>;
};

/** Maximum addresses remembered as having used up their allowance. */
const USED_UP_MAX = 10_000;
/** Maximum rows deleted at a time, so that the write lock is not held for long. */
const FORGOTTEN_MAX = 500;

type CountArgs = { address: string; day: string; most: number };

/** Counts up to `most`, in one statement on either store. Returns the count, or null if `most` had already been reached. */
export const countRequest = defineProcedure(
  resolveThreadModule('billing/ledger/allowance').href,
  'countRequest',
  { durability: 'kept', oneStatement: true },
  function* ({ db }, { address, day, most }: CountArgs): Steps<number | null> {
    const counted = yield* readFirst(
      db
        .insertInto('allowance')
        .values({ address, day, used: 1 })
        .onConflict((row) =>
          row
            .columns(['day', 'address'])
            .doUpdateSet({ used: sql<number>`allowance.used + 1` })
            .where('allowance.used', '<', most),
        )
        .returning('used'),
    );
    return counted?.used ?? null;
  },
);

/** Deletes at most `most` counts of past days; returns their number. */
export const forgetDaysBefore = defineProcedure(
  resolveThreadModule('billing/ledger/allowance').href,
  'forgetDaysBefore',
  { durability: 'kept', oneStatement: true },
  function* ({ db }, { day, most }: { day: string; most: number }): Steps<number> {
    const past = db
      .selectFrom('allowance')
      .select(['day', 'address'])
      .where('day', '<', day)
      .orderBy('day')
      .limit(most);
    const forgotten = yield* readRows(
      db
        .deleteFrom('allowance')
        .where(({ refTuple }) => refTuple('day', 'address'), 'in', past.$asTuple('day', 'address'))
        .returning('day'),
    );
    return forgotten.length;
  },
);

/** Not a real day; its row is deleted along with past days. */
const PROBE_DAY = '0000-00-00';

/** Writes a row to check that the ledger store accepts writes. */
export const probeWrite = defineProcedure(
  resolveThreadModule('billing/ledger/allowance').href,
  'probeWrite',
  { durability: 'kept', oneStatement: true },
  function* ({ db }, _: null): Steps<void> {
    yield* readRows(
      db
        .insertInto('allowance')
        .values({ address: '', day: PROBE_DAY, used: 0 })
        .onConflict((row) => row.columns(['day', 'address']).doUpdateSet({ used: 0 })),
    );
  },
);

/** Counts calls by UTC day: of an address, or of a key that has a daily limit. */
export type DayCounts = {
  /** Counts one call today, up to `most`. Resolves to the count, or null if `most` had already been reached. */
  count(caller: string, most: number): Promise<number | null>;
  used(caller: string): Promise<number>;
};

type Deps = { ledgerStore: LedgerStore; clock: Clock };

export function createDayCounts({ ledgerStore, clock }: Deps): DayCounts {
  const buildCountKey = (address: string) => ({ address, day: toUtcDay(clock.now()) });
  return {
    count: (caller, most) => ledgerStore.run(countRequest, { ...buildCountKey(caller), most }),
    async used(caller) {
      const { address, day } = buildCountKey(caller);
      const row = await ledgerStore.db
        .selectFrom('allowance')
        .select('used')
        .where('address', '=', address)
        .where('day', '=', day)
        .executeTakeFirst();
      return row?.used ?? 0;
    },
  };
}

export function createAllowance({
  ledgerStore,
  clock,
  keylessPerDay: most = KEYLESS_REQUESTS_PER_DAY,
}: Deps & { keylessPerDay?: number | undefined }): Allowance {
  const counts = createDayCounts({ ledgerStore, clock });
  /** The day on which an address used up its allowance. */
  const usedUp = new LRUCache<string, string>({ max: USED_UP_MAX });
  return {
    perDay: most,
    async count(address) {
      const counted = toAllowanceAddress(address);
      const day = toUtcDay(clock.now());
      // A used-up allowance stays used up until the day ends, so the ledger is not asked again.
      if (usedUp.get(counted) === day) return null;
      const used = await counts.count(counted, most);
      if (used === null) {
        usedUp.set(counted, day);
        return null;
      }
      assertWhole(most - used, 'an address uses no more than its allowance');
      return most - used;
    },
    // An operator may have lowered the allowance since the morning.
    left: async (address) => Math.max(0, most - (await counts.used(toAllowanceAddress(address)))),
    // Clocks differ between processes, so yesterday's counts stay.
    async forgetPast() {
      const past = { day: toUtcDay(clock.now() - DAY_MS), most: FORGOTTEN_MAX };
      while ((await ledgerStore.run(forgetDaysBefore, past)) === FORGOTTEN_MAX);
    },
  };
}
