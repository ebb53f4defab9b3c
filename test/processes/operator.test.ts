import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Kysely, sql } from 'kysely';
import { type Billing, createBilling } from '../../src/app/compose-billing.ts';
import { createLog } from '../../src/platform/log.ts';
import { createNodeSqliteDialect } from '../../src/platform/store/node-sqlite-dialect.ts';
import { openSqlite } from '../../src/platform/store/open-sqlite.ts';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';
import { type Ended, runCli } from './run-cli.ts';

const database = await createTestDatabase();
after(() => database?.drop());

const openBilling = (dataDir: string, databaseUrl: string | null): Promise<Billing> =>
  createBilling({ dataDir, databaseUrl }, { log: createLog('silent') });

describe('the operator on the command line', () => {
  let folder: string;
  let apiKey: string;
  let id: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-operator-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = (...args: string[]): Promise<Ended> => runCli(folder, args);
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);

  test('list without keys says how to create one', async () => {
    const { code, out, err } = await run('keys', 'list');
    assert.deepEqual([code, out], [0, '']);
    assert.match(err, /^There are no keys yet\. Create one: sanderling keys create/);
  });

  test('create prints the key, alone on standard output', async () => {
    const { code, out, err } = await run('keys', 'create', '--credits', '500', '--label', "Anna's laptop");
    assert.equal(code, 0);
    assert.match(out, /^sdl_[\w-]{43}\n$/);
    apiKey = out.trim();
    id = /key_\w+/.exec(err)?.[0] ?? '';
    assert.match(
      err,
      /^This is key_\w{24} with 500 credits\. The key is not stored and cannot be shown again\.\n$/,
    );
  });

  test('the key is neither in the data folder nor in the output of list and show', async () => {
    for (const file of ['books.db', 'books.db-wal'])
      assert.ok(!readFileSync(join(folder, file), { flag: 'a+' }).includes(apiKey), file);
    for (const shown of [await run('keys', 'list'), await run('keys', 'show', apiKey)]) {
      assert.equal(shown.code, 0);
      assert.ok(!shown.out.includes(apiKey));
      assert.match(shown.out, new RegExp(`${apiKey.slice(0, 10)}…`));
    }
  });

  test('create --no-store makes a key that keeps what it reads from others', async () => {
    const made = await json('keys', 'create', '--no-store');
    assert.equal(made.noStore, true);
    assert.match((await run('keys', 'show', made.id)).out, /store +nothing that it reads is kept for others/);
    assert.equal((await json('keys', 'show', id)).noStore, false);
  });

  test('list prints a table, newest first, and says when there are more keys', async () => {
    const { out } = await run('keys', 'list');
    const [titles, newest, first] = out.split('\n');
    assert.match(titles ?? '', /^id +key +kind +state +credits +created +label$/);
    assert.match(newest ?? '', /operator {2}active {8}0 {2}\d{4}-\d\d-\d\d$/);
    assert.match(first ?? '', /operator {2}active {6}500 {2}\d{4}-\d\d-\d\d {2}Anna's laptop$/);
    const short = await run('keys', 'list', '-n', '1');
    assert.equal(short.out.trim().split('\n').length, 2);
    assert.match(short.err, /There are more keys; --limit shows them/);
  });

  test('show takes the id or the key; --json is for programs', async () => {
    const shown = await json('keys', 'show', apiKey);
    assert.deepEqual(shown, await json('keys', 'show', id));
    assert.equal(shown.id, id);
    assert.equal(shown.credits, 500);
    assert.equal(shown.burnRatePerDay, 0);
    assert.match(shown.createdAt, /^\d{4}-\d\d-\d\dT.*Z$/);
  });

  test('a grant counts once for each reference', async () => {
    assert.match(
      (await run('keys', 'grant', id, '20', '--ref', 'invoice 7')).out,
      /^Granted 20 credits to key_\w+ with the reference invoice 7\. It now has 520 credits\.$/m,
    );
    const again = await run('keys', 'grant', apiKey, '20', '--ref', 'invoice 7');
    assert.equal(again.code, 0);
    assert.match(again.out, /already counted\. key_\w+ has 520 credits/);
    const other = await run('keys', 'grant', id, '21', '--ref', 'invoice 7');
    assert.equal(other.code, 1);
    assert.match(other.err, /the reference invoice 7 was used for 20 credits of key_/);
  });

  test('a grant without a reference gets a new one and prints it', async () => {
    const first = await json('keys', 'grant', id, '1');
    const second = await json('keys', 'grant', id, '1');
    assert.match(first.ref, /^grant:[0-9a-f-]{36}$/);
    assert.notEqual(first.ref, second.ref);
    assert.deepEqual([second.granted, second.credits], [1, 522]);
  });

  test('an unknown key is one clear line that does not repeat a possible secret', async () => {
    for (const [argument, message] of [
      ['key_x', /^There is no key key_x; .*\n$/],
      ['sdl_unknown', /^There is no key like that; .*\n$/],
    ] as const) {
      const { code, out, err } = await run('keys', 'show', argument);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, message);
    }
  });

  test('limits are set when the key is created, changed, shown and removed', async () => {
    const made = await run('keys', 'create', '--per-minute', '60', '--expires', '2099-12-31');
    assert.match(made.err, /at most 60 calls a minute, until 2100-01-01T00:00:00Z/);
    const key = made.out.trim();
    assert.match(
      (await run('keys', 'list')).out,
      /^key_\w+ .* at most 60 calls a minute, until 2100-01-01T00:00:00Z$/m,
    );
    const { id: limited } = await json('keys', 'limits', key, '--per-day', '1000', '--expires', 'never');
    assert.deepEqual(await json('keys', 'limits', limited), {
      id: limited,
      perMinute: 60,
      perDay: 1000,
      expiresAt: null,
    });
    assert.match((await run('keys', 'show', key)).out, /limits +at most 60 calls a minute and 1,000 a day\n/);
    const none = await run('keys', 'limits', key, '--per-minute', 'none', '--per-day', 'none');
    assert.match(none.out, /^key_\w+: no limits\.\n$/);
    await run('keys', 'revoke', key);
  });

  test('a further key draws on the credits of the first, and may be limited, renamed and rotated', async () => {
    const first = (await run('keys', 'create', '--credits', '30')).out.trim();
    const { id: firstId } = await json('keys', 'show', first);
    const made = await run('keys', 'add', first, '--label', 'laptop', '--per-day', '5');
    assert.match(made.err, new RegExp(`draws on the credits of ${firstId}[^]*at most 5 calls a day`));
    const shown = await json('keys', 'show', made.out.trim());
    assert.deepEqual([shown.account, shown.credits, shown.manages], [firstId, 30, false]);
    assert.match((await run('keys', 'label', shown.id, '--manages')).out, /\(laptop\) may call and manage/);
    const { out, err } = await run('keys', 'rotate', made.out.trim(), '--overlap', '24h');
    assert.match(err, /The old one, sdl_\w*[\w-]*…, works until \d{4}-/);
    for (const secret of [out.trim(), made.out.trim()])
      assert.equal((await json('keys', 'show', secret)).id, shown.id);
    assert.match((await run('keys', 'show', shown.id)).out, /old secret +works until/);
    const keys = await json('keys', 'list', '--account', shown.id);
    assert.deepEqual(new Set(keys.map(({ id: one }: { id: string }) => one)), new Set([firstId, shown.id]));
    for (const key of [first, shown.id]) await run('keys', 'revoke', key);
    assert.match((await run('keys', 'rotate', first)).err, /is revoked and cannot be rotated/);
  });

  test('bought and free keys cannot be limited', async () => {
    const server = await openBilling(folder, null);
    const { keyId } = await server.keys.claimFree('203.0.113.200');
    await server.close();
    const { code, err } = await run('keys', 'limits', keyId, '--per-day', '5');
    assert.equal(code, 1);
    assert.match(err, /is a free key: only its credits limit it/);
    await run('keys', 'revoke', keyId);
  });

  test('revoke says what it did, and a revoked key accepts no grants', async () => {
    assert.match(
      (await run('keys', 'revoke', id)).out,
      /Anna's laptop\), is revoked\. Its 522 credits can no longer/,
    );
    assert.match((await run('keys', 'revoke', apiKey)).out, /was already revoked: nothing changed/);
    assert.equal((await run('keys', 'grant', id, '5')).code, 1);
    assert.equal((await json('keys', 'show', id)).state, 'revoked');
  });

  test('doctor --ledger passes while a server charges, and fails when credits appear from nowhere', async () => {
    const server = await openBilling(folder, null);
    const { keyId } = await server.keys.claimFree('198.51.100.7');
    let charging = true;
    const charges = (async () => {
      for (let call = 0; charging; call++) {
        const request = { id: `req_${call}`, keyId };
        await server.ledger.hold({ ...request, amount: 2, expiresAt: Date.now() + 60_000 });
        await server.ledger.settle({ ...request, used: 1, at: Date.now() });
      }
    })();
    const sound = await run('doctor', '--ledger');
    charging = false;
    await charges;
    assert.equal(sound.code, 0, sound.out);
    assert.match(sound.out, /^ok +I4 /m);
    assert.match(
      sound.out,
      /^7 keys \(1 free active, 1 free revoked, 1 operator active, 4 operator revoked\); \d+ credits/m,
    );
    assert.match(sound.out, /The ledger is sound\.\n$/);

    await server.ledger.hold({ id: 'left', keyId, amount: 1, expiresAt: 1 });
    const writable = openWritable(folder);
    await sql`update account set available = available + 5 where key_id = ${keyId}`.execute(writable);
    await writable.destroy();
    await server.close();
    const damaged = await run('doctor', '--ledger');
    assert.equal(damaged.code, 1);
    assert.match(
      damaged.out,
      new RegExp(`^FAILURE I1 .*\\n +${keyId}: the last entry \\(\\d+\\) has balance`, 'm'),
    );
    assert.match(damaged.out, /^warning holds +1 overdue: no server/m);
  });

  test('doctor says where the ledger is', async () => {
    const { code, out } = await run('doctor');
    assert.equal(code, 0, out);
    assert.match(out, /^ok +ledger +SQLite 3\S+, .*books\.db, up to date/m);
  });
});

test('with the ledger on PostgreSQL, keys are created, granted credits and audited there', {
  skip: database === null ? noServer : false,
}, async (t) => {
  const databaseUrl = database?.url ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-operator-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (...args: string[]): Promise<Ended> => runCli(folder, args, { DATABASE_URL: databaseUrl });
  const apiKey = (await run('keys', 'create', '--credits', '500')).out.trim();
  for (const expected of [/^Granted 20 credits to key_\w+ .* It now has 520 credits\.$/m, /already counted/])
    assert.match((await run('keys', 'grant', apiKey, '20', '--ref', 'invoice 7')).out, expected);
  const sound = await run('doctor', '--ledger');
  assert.equal(sound.code, 0, sound.out);
  assert.match(sound.out, /^1 keys? \(1 operator active\); 520 credits/m);
  const server = await openBilling(folder, databaseUrl);
  await sql`update account set available = available + 5`.execute(server.ledgerStore.db);
  await server.close();
  const damaged = await run('doctor', '--ledger');
  assert.equal(damaged.code, 1);
  assert.match(damaged.out, /^FAILURE I1 .*\n +key_\w+: the last entry \(\d+\) has balance/m);
  assert.match((await run('doctor')).out, /^ok +ledger +PostgreSQL \d\S+, database \w+ at \S+, up to date/m);
  assert.equal(existsSync(join(folder, 'books.db')), false);
});

describe('a ledger that cannot be reached', () => {
  const settings = { DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/books' };
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-operator-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const args of [['keys', 'list'], ['doctor', '--ledger'], ['doctor'], ['serve']]) {
    test(`${args.join(' ')} fails with one line that hides the password`, async () => {
      const { code, out, err } = await runCli(folder, args, settings);
      assert.equal(code, 1);
      const why = /DATABASE_URL: database books at 127\.0\.0\.1:1 cannot be used: connect ECONNREFUSED/;
      assert.match(out + err, why);
      assert.doesNotMatch(out + err, /secret/);
    });
  }
});

describe('invalid arguments', () => {
  for (const [name, args, message] of [
    ['part of a credit', ['grant', 'key_x', '1.5'], /It must be a whole number from 1 to/],
    ['no credits', ['grant', 'key_x', '0'], /It must be a whole number from 1 to/],
    [
      'a reference of a new key',
      ['grant', 'key_x', '1', '--ref', 'issue:key_x'],
      /are reserved for new keys/,
    ],
    ['a label with a tab', ['create', '--label', 'a\tb'], /It must be one line/],
  ] as const) {
    test(`${name} is refused in one line`, async () => {
      const { code, out, err } = await runCli(tmpdir(), ['keys', ...args]);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, message);
      assert.equal(err.trim().split('\n').length, 1);
    });
  }
});

function openWritable(folder: string): Kysely<unknown> {
  return new Kysely({ dialect: createNodeSqliteDialect(openSqlite(join(folder, 'books.db'))) });
}
