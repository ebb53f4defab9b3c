import { type RawBuilder, sql } from 'kysely';
import type { LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';
import { DAY_MS } from '../../platform/utc.ts';
import { type Check, createCheck } from './check.ts';
import { createRepeatedCheck } from './repeated.ts';

/** Below this instant, usage may be rolled or holds may be gone; 0 before the first pass. */
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

/** What was rolled has no hold, and what was refunded is not rolled. */
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
