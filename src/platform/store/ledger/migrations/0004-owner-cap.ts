import { type Kysely, sql } from 'kysely';

/**
 * The cap that a key's owner set in a browser limits the one that a program may set. For keys that already have a card, the
 * current cap counts as the owner's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('account').addColumn('reload_owner_cap_cents', 'bigint').execute();
  await sql`update account set reload_owner_cap_cents = reload_cap_cents where card is not null`.execute(db);
}
