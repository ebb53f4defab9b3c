import { type Kysely, sql } from 'kysely';

/** Adds columns, tables and indexes for rolling old charges into daily entries and for finding old rows without a full scan. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('entry')
    .addColumn('entries', 'bigint', (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema
    .createTable('roll_progress')
    .addColumn('key_id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('horizon')
    .addColumn('subject', 'text', (column) => column.primaryKey())
    .addColumn('before', 'bigint', (column) => column.notNull())
    .execute();
  for (const [name, table, column, where] of [
    ['hold_ended', 'hold', 'expires_at', sql`state <> 'held'`],
    ['payment_event_handled', 'payment_event', 'handled_at', sql`handled_at is not null`],
    ['checkout_expired', 'checkout', 'created_at', sql`state = 'expired'`],
    ['account_card', 'account', 'card', sql`card is not null`],
  ] as const)
    await sql`create index ${sql.ref(name)} on ${sql.table(table)} (${sql.ref(column)}) where ${where}`.execute(
      db,
    );
  await recordWhenHoldsEnded(db);
}

/** Sets `expires_at` of ended holds to the time at which they ended, as it is from now on; a few ended later than they expired. */
async function recordWhenHoldsEnded(db: Kysely<unknown>): Promise<void> {
  const ended = sql`(select max(at) from entry where kind in ('usage', 'refund') and ref = hold.id)`;
  await sql`update hold set expires_at = ${ended} where state in ('captured', 'refunded') and expires_at < ${ended}`.execute(
    db,
  );
}
