import { type Expression, sql } from 'kysely';
import type { LedgerQueries } from '../../platform/store/ledger/procedure.ts';

/** Looks for one kind of fault; lists the first `most` and counts all. */
export type Check = { find(ledgerStore: LedgerQueries, most: number): Promise<FaultReport> };

type FaultPlace = { keyId: string | null; text: string };
export type FaultReport = { count: number; places: FaultPlace[] };

/**
 * Makes a check of a query whose every row is a fault, and of the text that describes a row. Rows are ordered by their first
 * two columns, so that two audits of one state agree.
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
