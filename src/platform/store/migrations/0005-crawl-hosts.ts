import type { Kysely } from 'kysely';

/** Drops `seeded_at`: sitemaps are read per host, before its first page, so there is no single time for a whole crawl. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('crawl').dropColumn('seeded_at').execute();
}
