import { type QueryExecutorProvider, sql } from 'kysely';

/** What waits to be sent: a row with the time of its next attempt, which is moved ahead while a process sends it. */
type DueRow = { id: string; due_at: number };

type DueRows = {
  /** Reserves a row until an instant, if it has not changed since it was read; false if another process was faster. */
  take(db: QueryExecutorProvider, row: DueRow, until: number): Promise<boolean>;
  /** Makes a row due again at `dueAt` and adds `attempts` to its count. */
  delay(
    db: QueryExecutorProvider,
    row: Pick<DueRow, 'id'>,
    next: { attempts: number; dueAt: number },
  ): Promise<void>;
  remove(db: QueryExecutorProvider, row: Pick<DueRow, 'id'>): Promise<void>;
};

/** The rows of one table that processes take, delay and delete, on SQLite and PostgreSQL. */
export function createDueRows(table: string): DueRows {
  const name = sql.table(table);
  return {
    async take(db, { id, due_at }, until) {
      const { rows } = await sql`
        update ${name} set due_at = ${until} where id = ${id} and due_at = ${due_at} returning id`.execute(
        db,
      );
      return rows.length > 0;
    },
    async delay(db, { id }, { attempts, dueAt }) {
      await sql`
        update ${name} set attempts = attempts + ${attempts}, due_at = ${dueAt} where id = ${id}`.execute(db);
    },
    async remove(db, { id }) {
      await sql`delete from ${name} where id = ${id}`.execute(db);
    },
  };
}
