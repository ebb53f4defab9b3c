import { sql } from 'kysely';
import type { EntryKind } from '../../platform/store/ledger/ledger-tables.ts';
import { type Check, createCheck } from './check.ts';

/** References with more than one entry; a unique index should have refused the second. */
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
