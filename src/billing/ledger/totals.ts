import { setImmediate } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { ApiKeyTable, LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';

/** Totals over all keys. */
export type Totals = {
  keys: { kind: ApiKeyTable['kind']; state: ApiKeyTable['state']; count: number }[];
  /** Credits that can still be spent: those of accounts whose keys are all revoked cannot. */
  available: number;
  held: number;
  openHolds: number;
};

type Db = Kysely<LedgerTables>;

/** Keys read at a time, because SQLite reads on the event loop. */
const SLICE_KEYS = 1_000;

/** Reads all keys in slices and yields to the event loop after each. */
export async function readTotals(
  db: Db,
  { signal, sliceKeys = SLICE_KEYS }: { signal?: AbortSignal; sliceKeys?: number } = {},
): Promise<Totals> {
  const counts = new Map<string, Totals['keys'][number]>();
  const totals = { available: 0, held: 0 };
  for (let after: string | null = ''; after !== null; ) {
    signal?.throwIfAborted();
    const groups = await selectSliceAfter(db, after, sliceKeys).execute();
    for (const { kind, state, count, available, held } of groups) {
      const before = counts.get(`${kind} ${state}`)?.count ?? 0;
      counts.set(`${kind} ${state}`, { kind, state, count: before + count });
      totals.available += available;
      totals.held += held;
    }
    after = groups[0]?.last ?? null;
    await setImmediate();
  }
  return { ...totals, keys: [...counts.values()], openHolds: await countOpenHolds(db) };
}

/** True if the account still has a key that can spend its credits. */
const SPENDABLE = sql<boolean>`available is not null and (api_key.state <> 'revoked' or exists (
  select 1 from api_key other where other.account_id = api_key.id and other.state <> 'revoked'))`;

function selectSliceAfter(db: Db, after: string, sliceKeys: number) {
  return db
    .selectFrom(
      db
        .selectFrom('api_key')
        // A further key of an account has no row of its own there: it counts as a key, not for its credits.
        .leftJoin('account', 'account.key_id', 'api_key.id')
        .select(['id', 'kind', 'state'])
        .select(sql<number>`case when ${SPENDABLE} then available else 0 end`.as('available'))
        .select(sql<number>`coalesce(held, 0)`.as('held'))
        .where('id', '>', after)
        .orderBy('id')
        .limit(sliceKeys)
        .as('slice'),
    )
    .select(({ fn }) => [
      'kind',
      'state',
      sql<string>`max(max(id)) over ()`.as('last'),
      fn.countAll<number>().as('count'),
      fn.sum<number>('available').as('available'),
      fn.sum<number>('held').as('held'),
    ])
    .groupBy(['kind', 'state']);
}

async function countOpenHolds(db: Db): Promise<number> {
  const { count } = await selectOpenHoldCount(db).executeTakeFirstOrThrow();
  return count;
}

/** Counts holds that expired before `instant` and are still open. */
export async function countOverdueHolds(db: Db, instant: number): Promise<number> {
  const { count } = await selectOpenHoldCount(db).where('expires_at', '<', instant).executeTakeFirstOrThrow();
  return count;
}

function selectOpenHoldCount(db: Db) {
  return (
    db
      .selectFrom('hold')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      // A literal, so that SQLite uses the index of open holds.
      .where('state', '=', sql.lit('held'))
  );
}

/** Returns the credits charged on a day and not refunded. */
export async function countCreditsUsed(db: Db, day: string): Promise<number> {
  const { credits } = await db
    .selectFrom('usage_day')
    .select(sql<number>`coalesce(sum(credits), 0)`.as('credits'))
    .where('day', '=', day)
    .executeTakeFirstOrThrow();
  return credits;
}
