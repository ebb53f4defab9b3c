import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openLedgerStoreOf } from '../../src/app/compose-billing.ts';
import { ConfigError } from '../../src/app/config.ts';

describe('a ledger that cannot be used', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-unusable-'));
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  const whyOf = async (databaseUrl: string | null): Promise<string> => {
    const error = await openLedgerStoreOf({ dataDir, databaseUrl }).catch((problem: unknown) => problem);
    assert.ok(error instanceof ConfigError);
    return error.message;
  };

  test('a server that does not listen, without the password', async () => {
    assert.equal(
      await whyOf('postgres://user:secret@127.0.0.1:1/books'),
      'DATABASE_URL: database books at 127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1',
    );
  });

  test('a host with several addresses', async () => {
    const why = await whyOf('postgres://user:secret@localhost:1/books');
    assert.match(why, /^DATABASE_URL: database books at localhost:1 cannot be used: connect ECONNREFUSED/);
    assert.doesNotMatch(why, /secret/);
  });

  test('a folder of which only a part was restored', async () => {
    for (const left of [['books.mark'], ['books.mark', 'jobs.db'], ['jobs.db']]) {
      const place = mkdtempSync(join(dataDir, 'part-'));
      for (const name of [...left, 'index.db', 'app-secret']) writeFileSync(join(place, name), '');
      await assert.rejects(openLedgerStoreOf({ dataDir: place, databaseUrl: null }), (error: Error) => {
        assert.match(error.message, /books\.db is missing, although .*sanderling restore.*empty ledger/);
        return left.every((name) => error.message.includes(name));
      });
      assert.equal(existsSync(join(place, 'books.db')), false);
    }
  });

  test('a file that holds something else', async () => {
    writeFileSync(join(dataDir, 'books.db'), 'this is not a database, however long it goes on: '.repeat(100));
    assert.equal(await whyOf(null), `DATA_DIR: ${dataDir}/books.db cannot be used: file is not a database`);
  });
});
