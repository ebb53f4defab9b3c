import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';

/** The right of one process to work on a row. It is lost as soon as another process claims the row, which raises the token. */
export type Lease = { id: string; token: number };

/** Milliseconds since the epoch: by the clock of this process, or an expression by that of the database. */
type Time = number | RawBuilder<number>;

/**
 * Leases of the rows of one table, on SQLite and PostgreSQL. Tables differ in which row is claimed and what else a claim changes, so each
 * writes its own claim of these parts: `update job set <claim> where id = ? and <isFree>`.
 */
type RowLeases<Token extends string, Until extends string> = {
  /** Values that give the row to a new holder, under the next token. */
  claim(until: Time): Record<Token, RawBuilder<number>> & Record<Until, Time>;
  isFree(now: Time): RawBuilder<boolean>;
  /** Every write under a lease has this condition, so that a former holder changes nothing. */
  isHeld(lease: Lease): RawBuilder<boolean>;
  /** Renews leases, or releases them with an end that has passed; resolves to the ids of those that were still held. */
  setEnd(db: QueryExecutorProvider, leases: readonly Lease[], until: Time): Promise<Set<string>>;
};

/** The column `token` counts the claims of a row, and from `until` on the row is free. */
export function createRowLeases<Token extends string, Until extends string>(
  table: string,
  columns: { token: Token; until: Until },
): RowLeases<Token, Until> {
  const [token, until] = [sql.ref<number>(columns.token), sql.ref<number>(columns.until)];
  const isHeld: RowLeases<Token, Until>['isHeld'] = (lease) =>
    sql`(id = ${lease.id} and ${token} = ${lease.token})`;
  return {
    isHeld,
    isFree: (now) => sql`${until} <= ${now}`,
    // The two keys are those of the type.
    claim: (end) => ({ [columns.token]: sql`${token} + 1`, [columns.until]: end }) as never,
    async setEnd(db, leases, end) {
      if (leases.length === 0) return new Set();
      const held = sql.join(leases.map(isHeld), sql` or `);
      const { rows } = await sql<{ id: string }>`
        update ${sql.table(table)} set ${until} = ${end} where ${held} returning id`.execute(db);
      return new Set(rows.map(({ id }) => id));
    },
  };
}
