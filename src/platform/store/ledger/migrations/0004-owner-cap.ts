import { type Kysely, sql } from 'kysely';

/**
 * The cap that the owner of a key set in a browser bounds what a program may set with the key. Of a key that has a card already,
 * the cap that holds now is taken for the owner's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('account').addColumn('reload_owner_cap_cents', 'bigint').execute();
  await sql`update account set reload_owner_cap_cents = reload_cap_cents where card is not null`.execute(db);
}
