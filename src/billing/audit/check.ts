import { type Expression, sql } from 'kysely';
import type { LedgerQueries } from '../../platform/store/ledger/procedure.ts';

/** Looks for one way in which the books can be wrong; names the first `most` places and counts all. */
export type Check = { find(ledgerStore: LedgerQueries, most: number): Promise<Broken> };

type Place = { keyId: string | null; text: string };
export type Broken = { count: number; places: Place[] };

/**
 * A query whose every row is a place where the books are wrong, and how to say it. Rows come in the order of their first two
 * columns, so that two audits of one state say the same.
 */
export function check<Row extends { key_id: string | null }>(
  wrong: (ledgerStore: LedgerQueries) => Expression<Row>,
  say: (row: Row) => string,
): Check {
  return {
    async find(ledgerStore, most) {
      const counted = sql<
        Row & { count: number }
      >`select wrong.*, count(*) over () as count from ${wrong(ledgerStore)} as wrong order by 1, 2 limit ${sql.lit(most)}`;
      const { rows } = await counted.execute(ledgerStore.db);
      return {
        count: rows[0]?.count ?? 0,
        places: rows.map((row) => ({ keyId: row.key_id, text: say(row) })),
      };
    },
  };
}
