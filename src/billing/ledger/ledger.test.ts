import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kysely, sql } from 'kysely';
import type { LedgerTables } from '../../platform/store/ledger/ledger-tables.ts';
import { migrateLedgerStore } from '../../platform/store/ledger/migrate-ledger-store.ts';
import { createNodeSqliteDialect } from '../../platform/store/node-sqlite-dialect.ts';
import { openSqlite } from '../../platform/store/open-sqlite.ts';
import { createLedger } from './ledger.ts';

test('looking for expired holds reads only the index of open holds', async () => {
  const asked: string[] = [];
  const db = new Kysely<LedgerTables>({
    dialect: createNodeSqliteDialect(openSqlite(':memory:')),
    log: ({ query }) => {
      asked.push(query.sql);
    },
  });
  await migrateLedgerStore(db);
  asked.length = 0;
  const unused = async (): Promise<never> => assert.fail('only reads are expected');
  await createLedger({
    dialect: 'sqlite',
    db,
    run: unused,
    snapshot: unused,
    findDamage: unused,
    close: unused,
  }).expire(1);
  assert.equal(asked.length, 1);
  const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(
    (asked[0] ?? '').replaceAll('?', '1'),
  )}`.execute(db);
  assert.deepEqual(
    rows.map(({ detail }) => detail),
    ['SEARCH hold USING INDEX hold_open (expires_at<?)'],
  );
  await db.destroy();
});
