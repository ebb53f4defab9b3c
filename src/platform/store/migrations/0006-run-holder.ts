import type { Kysely } from 'kysely';

/** Adds the process that holds a run, so that any process may pause or stop it and the holder then releases it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('crawl_run').addColumn('holder', 'text').execute();
}
