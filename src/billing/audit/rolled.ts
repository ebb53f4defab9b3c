import { type Expression, type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../platform/clock.ts';
import type { EntryKind, LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';
import type { LedgerQueries } from '../../platform/store/ledger/procedure.ts';

/** Selects the instant below which usage may be rolled or holds may be deleted; 0 before the first pass. */
export function selectHorizon(subject: LedgerTables['horizon']['subject']): RawBuilder<number> {
  return sql<number>`coalesce((select before from horizon where subject = ${sql.lit(subject)}), 0)`;
}

/** Only charges are rolled, each of at least one credit; the reference names the first of them. */
const shapes = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .select(['key_id', 'version', 'kind', 'ref', 'delta', 'entries'])
      .where(
        sql<boolean>`case kind
          when 'rolled' then entries < 1 or delta > -entries or ref <> key_id || ':' || (version - entries + 1)
          else entries <> 1 end`,
      ),
  ({ version, kind, ref, delta, entries }) =>
    kind === 'rolled'
      ? `entry ${version} (${ref}, ${delta}) cannot stand for ${entries} charges up to its number`
      : `entry ${version} is a ${kind} that stands for ${entries} entries, expected 1`,
);

/** Only whole days are rolled, and only those below the horizon. */
const days = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .select(['key_id', 'version', 'at'])
      .where('kind', '=', 'rolled')
      .where(
        sql<boolean>`(at % ${sql.lit(DAY_MS)} <> 0 or at + ${sql.lit(DAY_MS)} > ${selectHorizon('usage')})`,
      ),
  ({ version, at }) =>
    `entry ${version} is rolled for the day that begins at ${at}, which is no whole day of the past that may be rolled`,
);

/** Rolled charges have no hold, and refunded charges are never rolled, so each refund still has its charge. */
const unrefunded = createCheck(
  ({ db }) =>
    db
      .selectFrom('entry')
      .leftJoin('entry as usage', (on) =>
        on
          .on('usage.kind', '=', 'usage')
          .onRef('usage.ref', '=', 'entry.ref')
          .onRef('usage.key_id', '=', 'entry.key_id'),
      )
      .select(['entry.key_id', 'entry.version', 'entry.ref', 'entry.delta'])
      .where('entry.kind', '=', 'refund')
      .where(sql<boolean>`coalesce(-usage.delta, 0) <> entry.delta`),
  ({ version, ref, delta }) => `entry ${version} refunds ${delta} for ${ref}, which was not charged that`,
);

/** Rules for entries that stand for several, and for charges whose holds are gone. */
export const rolled: readonly Check[] = [shapes, days, unrefunded, createRepeatedCheck(['rolled'])];

/** Finds references with more than one entry; a unique index should have rejected the second. */
export function createRepeatedCheck(kinds: EntryKind[]): Check {
  return createCheck(
    ({ db }) =>
      db
        .selectFrom('entry')
        .select(({ fn }) => [
          fn.min('key_id').as('key_id'),
          'ref',
          'kind',
          fn.countAll<number>().as('times'),
          fn.sum<number>('delta').as('credits'),
        ])
        .where('kind', 'in', kinds)
        .groupBy(['kind', 'ref'])
        .having(sql<boolean>`count(*) > 1`),
    ({ kind, ref, times, credits }) =>
      `the ${kind} ${ref} has ${times} entries, ${credits} credits in total; expected one`,
  );
}

/** Finds one kind of fault: counts all, and lists the first `most`. */
export type Check = { find(ledgerStore: LedgerQueries, most: number): Promise<FaultReport> };

type FaultPlace = { keyId: string | null; text: string };

export type FaultReport = { count: number; places: FaultPlace[] };

/**
 * Builds a check from a query whose every row is a fault, and a function that describes a row. Rows are ordered by their first
 * two columns, so that two audits of the same state agree.
 */
export function createCheck<Row extends { key_id: string | null }>(
  wrong: (ledgerStore: LedgerQueries) => Expression<Row>,
  describe: (row: Row) => string,
): Check {
  return {
    async find(ledgerStore, most) {
      const counted = sql<
        Row & { count: number }
      >`select wrong.*, count(*) over () as count from ${wrong(ledgerStore)} as wrong order by 1, 2 limit ${sql.lit(most)}`;
      const { rows } = await counted.execute(ledgerStore.db);
      return {
        count: rows[0]?.count ?? 0,
        places: rows.map((row) => ({ keyId: row.key_id, text: describe(row) })),
      };
    },
  };
}
