import type { Kysely } from 'kysely';

/** Sitemaps are read for each host, before its first page, so a crawl as a whole has no time at which they had been read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('crawl').dropColumn('seeded_at').execute();
}
