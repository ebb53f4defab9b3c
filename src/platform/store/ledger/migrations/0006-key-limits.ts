import type { Kysely } from 'kysely';

/** An operator may limit the calls of a key in a minute and on a day, and let it expire. Null: no limit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['per_minute', 'per_day', 'expires_at'])
    await db.schema.alterTable('api_key').addColumn(column, 'bigint').execute();
}
