import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { createBilling } from '../../src/app/compose-billing.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';

const LATER = Date.parse('2030-01-01T00:00:00Z');
const database = await createTestDatabase();

test('on PostgreSQL, a hold that waits for another transaction takes the credits which that one releases', {
  skip: database === null ? noServer : false,
}, async (t) => {
  const url = database?.url ?? '';
  const billing = await createBilling(
    { dataDir: '/nowhere', databaseUrl: url },
    { log: createLog('silent') },
  );
  const other = new pg.Client(url);
  await other.connect();
  t.after(async () => {
    await other.end();
    await billing.close();
    await database?.drop();
  });
  const { keyId } = await billing.keys.create({ credits: 10, label: null });
  const hold = (id: string, credits: number) =>
    billing.ledger.hold({ id, keyId, amount: credits, expiresAt: LATER });
  await hold('first', 9);
  // As a settlement that gives back 9 of 9, which has not ended yet.
  await other.query('begin');
  await other.query('update account set available = available + 9, held = held - 9 where key_id = $1', [
    keyId,
  ]);
  const waiting = hold('second', 8);
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await sql<{ waits: number }>`
      select count(*)::int as waits from pg_locks where not granted and pid in
        (select pid from pg_stat_activity where datname = current_database())`.execute(
      billing.ledgerStore.db,
    );
    return (rows[0]?.waits ?? 0) > 0;
  };
  while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 5));
  await other.query("update hold set state = 'voided' where id = 'first'");
  await other.query('commit');
  const { amount, available } = await waiting;
  assert.deepEqual({ amount, available }, { amount: 8, available: 2 });
});
