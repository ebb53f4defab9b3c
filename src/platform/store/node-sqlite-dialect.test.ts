import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Kysely, sql } from 'kysely';
import { StoreUnavailable } from '../../contract/errors.ts';
import { createNodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openSqlite } from './open-sqlite.ts';

/** SQLite itself rolls a transaction back where the disk is full, and refuses a second rollback. */
test('a full disk within a transaction is a store that is unavailable, and the next write works', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-dialect-'));
  const database = openSqlite(join(folder, 'small.db'), {});
  const db = new Kysely<{ note: { text: string } }>({ dialect: createNodeSqliteDialect(database) });
  t.after(async () => {
    await db.destroy();
    rmSync(folder, { recursive: true });
  });
  await db.schema.createTable('note').addColumn('text', 'text').execute();
  database.exec('PRAGMA max_page_count = 20; PRAGMA cache_size = 5;');
  const write = (chars: number): Promise<unknown> =>
    db.transaction().execute(async (tx) => {
      await tx.insertInto('note').values({ text: 'short' }).execute();
      await tx
        .insertInto('note')
        .values({ text: 'x'.repeat(chars) })
        .execute();
    });
  await assert.rejects(write(1_000_000), StoreUnavailable);
  await write(10);
  const { rows } = await sql<{ count: number }>`select count(*) as count from note`.execute(db);
  assert.equal(rows[0]?.count, 2);
});
