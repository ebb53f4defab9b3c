import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { createBilling } from '../../../src/app/compose-billing.ts';
import { createLog } from '../../../src/platform/log.ts';
import { registerRowChecksum } from '../../../src/platform/store/row-sums.ts';

describe('the file of a ledger on SQLite', () => {
  const many = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 200000)';
  const read = (database: DatabaseSync, name: string): number => {
    // A connection learns of changes when it reads a page.
    database.prepare('select count(*) from sqlite_schema').get();
    return Number(database.prepare(`pragma ${name}`).get()?.[name]);
  };

  test('shrinks after many rows were deleted, also one of an older version', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-shrink-'));
    const database = new DatabaseSync(join(dataDir, 'books.db'), { timeout: 10_000 });
    database.exec('pragma journal_mode = wal; create table old (text text)');
    database.exec(`${many} insert into old select 'row ' || i from n; delete from old`);
    assert.equal(read(database, 'auto_vacuum'), 0);
    const full = read(database, 'page_count');
    const billing = await createBilling({ dataDir, databaseUrl: null }, { log: createLog('silent') });
    assert.equal(read(database, 'auto_vacuum'), 2);
    assert.ok(read(database, 'page_count') < full / 2);
    registerRowChecksum(database);

    database.exec(`${many} insert into allowance select 'address ' || i, '2020-01-01', 1 from n`);
    const grown = read(database, 'page_count');
    database.exec('delete from allowance');
    assert.equal(read(database, 'page_count'), grown);
    await billing.retention.run();
    assert.ok(read(database, 'page_count') < grown / 2);
    assert.equal(database.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
    database.close();
    await billing.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
