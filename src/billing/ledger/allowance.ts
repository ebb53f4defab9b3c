import { sql } from 'kysely';
import { KEYLESS_REQUESTS_PER_DAY } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import { firstOf, procedure, rowsOf, type Steps } from '../../platform/store/ledger/procedure.ts';
import { DAY_MS, utcDay } from '../../platform/utc.ts';
import { assertWhole } from './credits.ts';
import { allowanceAddress } from './networks.ts';

/** Free daily requests for callers without a key. */
export type Allowance = {
  /** Counts one request of an address. Resolves to the number left today, or null if none was left. */
  count(address: string): Promise<number | null>;
  left(address: string): Promise<number>;
  /** Deletes the counts of days before yesterday. */
  forgetPast(): Promise<void>;
};

type CountArgs = { address: string; day: string; most: number };

/** Counts up to `most`, in one statement on either store. Returns the count, or null if `most` had already been reached. */
export const countRequest = procedure(
  import.meta.url,
  'countRequest',
  { durability: 'kept', oneStatement: true },
  function* ({ db }, { address, day, most }: CountArgs): Steps<number | null> {
    const counted = yield* firstOf(
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

export const forgetDaysBefore = procedure(
  import.meta.url,
  'forgetDaysBefore',
  { durability: 'kept', oneStatement: true },
  function* ({ db }, { day }: { day: string }): Steps<void> {
    yield* rowsOf(db.deleteFrom('allowance').where('day', '<', day));
  },
);

/** Not a real day; its row is deleted along with past days. */
const PROBE_DAY = '0000-00-00';

/** Writes a row to check that the ledger store accepts writes. */
export const probeWrite = procedure(
  import.meta.url,
  'probeWrite',
  { durability: 'kept', oneStatement: true },
  function* ({ db }, _: null): Steps<void> {
    yield* rowsOf(
      db
        .insertInto('allowance')
        .values({ address: '', day: PROBE_DAY, used: 0 })
        .onConflict((row) => row.columns(['day', 'address']).doUpdateSet({ used: 0 })),
    );
  },
);

export function createAllowance({
  ledgerStore,
  clock,
}: {
  ledgerStore: LedgerStore;
  clock: Clock;
}): Allowance {
  const most = KEYLESS_REQUESTS_PER_DAY;
  return {
    async count(address) {
      const row = { address: allowanceAddress(address), day: utcDay(clock.now()) };
      const used = await ledgerStore.run(countRequest, { ...row, most });
      if (used === null) return null;
      assertWhole(most - used, 'an address uses no more than its allowance');
      return most - used;
    },
    async left(address) {
      const row = await ledgerStore.db
        .selectFrom('allowance')
        .select('used')
        .where('address', '=', allowanceAddress(address))
        .where('day', '=', utcDay(clock.now()))
        .executeTakeFirst();
      return most - (row?.used ?? 0);
    },
    // Clocks differ between processes, so yesterday's counts stay.
    forgetPast: () => ledgerStore.run(forgetDaysBefore, { day: utcDay(clock.now() - DAY_MS) }),
  };
}
