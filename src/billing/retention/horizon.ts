import type { Compilable } from 'kysely';
import type { LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';
import type { LedgerQueries } from '../../platform/store/ledger/procedure.ts';

/** Records that rows older than `before` may be rolled or deleted. The horizon is never lowered. */
export function raiseHorizon(
  db: LedgerQueries['db'],
  subject: LedgerTables['horizon']['subject'],
  before: number,
): Compilable {
  return db
    .insertInto('horizon')
    .values({ subject, before })
    .onConflict((row) => row.column('subject').doUpdateSet({ before }).where('horizon.before', '<', before));
}
