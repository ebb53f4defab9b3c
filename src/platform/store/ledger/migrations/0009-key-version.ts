import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Columns of a key that decide whether a call is admitted, and how. */
const DECIDING = sql`hash, old_hash, old_until, state, manages, no_store, per_minute, per_day, expires_at`;

/**
 * Adds the version by which every process, which caches calling keys in memory, notices that a key has changed. A trigger increments it, so
 * that no change can omit it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('key_version')
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into key_version (version) values (0)`.execute(db);
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  if (isPostgres) await createPostgresFunction(db);
  const raise = isPostgres
    ? sql`for each row execute function raise_key_version()`
    : sql`begin update key_version set version = version + 1; end`;
  await sql`create trigger key_changed after update of ${DECIDING} on api_key ${raise}`.execute(db);
  await sql`create trigger key_deleted after delete on api_key ${raise}`.execute(db);
}

async function createPostgresFunction(db: Kysely<unknown>): Promise<void> {
  await sql`create function raise_key_version() returns trigger language plpgsql as $$
    begin
      update key_version set version = version + 1;
      return null;
    end $$`.execute(db);
}
