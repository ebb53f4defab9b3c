import type { Kysely } from 'kysely';

/** Lets an operator limit the calls of a key per minute and per day, and set its expiry. Null: no limit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['per_minute', 'per_day', 'expires_at'])
    await db.schema.alterTable('api_key').addColumn(column, 'bigint').execute();
}
