import type { Kysely } from 'kysely';

/** Any process may pause and stop a run; the one at work on it sees that it lets go of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('crawl_run').addColumn('holder', 'text').execute();
}
