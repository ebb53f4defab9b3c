import { sql } from 'kysely';
import { KEYLESS_REQUESTS_PER_DAY } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import { firstOf, procedure, rowsOf, type Steps } from '../../platform/store/ledger/procedure.ts';
import { DAY_MS, utcDay } from '../../platform/utc.ts';
import { allowanceAddress } from './networks.ts';

/** The free requests of callers without a key. */
export type Allowance = {
  /** Counts one request of an address. Gives how many are left today, or null when none was left: then nothing is counted. */
  count(address: string): Promise<number | null>;
  left(address: string): Promise<number>;
  /** Forgets the days before yesterday. */
  forgetPast(): Promise<void>;
};

type CountArgs = { address: string; day: string; most: number };

/** Counts up to `most`, in one statement on either store: gives the count, or null when it was reached before. */
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

/** A day that never was: its row is forgotten with the past ones. */
const PROBE_DAY = '0000-00-00';

/** Writes for no other end than to prove that the books can be written to. */
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
      const place = { address: allowanceAddress(address), day: utcDay(clock.now()) };
      const used = await ledgerStore.run(countRequest, { ...place, most });
      return used === null ? null : most - used;
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
    // The clocks of several processes differ: yesterday is kept.
    forgetPast: () => ledgerStore.run(forgetDaysBefore, { day: utcDay(clock.now() - DAY_MS) }),
  };
}
