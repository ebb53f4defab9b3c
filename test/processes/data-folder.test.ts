import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { type Composition, compose } from '../../src/app/compose.ts';
import { createBilling } from '../../src/app/compose-billing.ts';
import { type Config, ConfigError, readConfig } from '../../src/app/config.ts';
import { createLog, type Log } from '../../src/platform/log.ts';
import { memoryPayments } from '../fixtures/memory-payments.ts';
import { keptLog } from '../harness.ts';
import { runCli } from './run-cli.ts';

const GARBAGE = Buffer.alloc(20_000, 'this is no database. ');
const OTHERS = 0o077;

let folder: string;
let config: Config;
beforeEach((t) => {
  folder = mkdtempSync(join(tmpdir(), 'sanderling-data-'));
  config = readConfig({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent', RECALL: 'index' });
  // Typed as either context, of which a hook has the one of its test.
  (t as TestContext).after(() => rmSync(folder, { recursive: true, force: true }));
});

const open = (log: Log = createLog('silent')): Promise<Composition> =>
  compose(config, { log, provider: { provider: memoryPayments(), sandboxPage: null } });
const inData = (name: string): string => join(config.dataDir, name);
function put(name: string, content: string | Buffer): void {
  mkdirSync(config.dataDir, { recursive: true });
  writeFileSync(inData(name), content);
}

test('only the owner may read the files', async () => {
  put('store.db', '');
  put('index.db', '');
  const parts = await open();
  const names = readdirSync(config.dataDir);
  for (const name of ['store.db', 'store.db-wal', 'index.db-wal', 'books.db', 'books.db-wal', 'app-secret'])
    assert.ok(names.includes(name), name);
  for (const name of names) assert.equal(statSync(inData(name)).mode & OTHERS, 0, name);
  await parts.close();
  const fresh = await createBilling(
    { dataDir: join(folder, 'fresh'), databaseUrl: null },
    { log: parts.services.log },
  );
  assert.equal(statSync(join(folder, 'fresh')).mode & OTHERS, 0);
  await fresh.close();
});

describe('a damaged file', () => {
  for (const name of ['store.db', 'index.db'])
    test(`${name} is moved aside, named in the log, and a new one is used`, async () => {
      put(name, GARBAGE);
      const { log, lines } = keptLog();
      const parts = await open(log);
      assert.deepEqual(await parts.services.index.size(), { pages: 0, hosts: 0 });
      await parts.close();
      const aside = readdirSync(config.dataDir).find((other) => other.startsWith(`${name}.damaged-`)) ?? '';
      assert.deepEqual(readFileSync(inData(aside)), GARBAGE);
      const line = lines.find((one) => one.includes('moved aside')) ?? '';
      assert.equal(JSON.parse(line).file, inData(name));
      assert.equal(JSON.parse(line).movedTo, inData(aside));
    });

  test('of the ledger stops the start with one line that names it, and stays where it is', async () => {
    put('books.db', GARBAGE);
    await assert.rejects(open(), (error: Error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /^DATA_DIR: \S+books\.db cannot be used: file is not a database$/);
      return true;
    });
    assert.deepEqual(readFileSync(inData('books.db')), GARBAGE);
  });
});

test('an index of an unknown version is kept, named in the log, and does not stop the start', async () => {
  await (await open()).close();
  const bytes = readFileSync(inData('index.db'));
  // `user_version` in the header of the file (https://sqlite.org/fileformat.html).
  bytes.writeUInt32BE(999, 60);
  put('index.db', bytes);
  const { log, lines } = keptLog();
  const parts = await open(log);
  assert.deepEqual(await parts.services.index.size(), { pages: 0, hosts: 0 });
  await parts.close();
  assert.ok(lines.some((line) => line.includes('index.layout-999.db has layout 999')));
  assert.ok(readdirSync(config.dataDir).includes('index.layout-999.db'));
});

describe('the secret', () => {
  for (const [what, content] of [
    ['empty', ''],
    ['of white space', ' \n'.repeat(40)],
    ['too short', 'abc'],
  ])
    test(`that is ${what} stops the start with one line that says what to do`, async () => {
      put('app-secret', content ?? '');
      await assert.rejects(open(), /^ConfigError: DATA_DIR: \S+app-secret has fewer than 32 characters\. /);
    });

  test('is made once, whole, and kept', async () => {
    const parts = await open();
    const signed = parts.payments.sealing.sign('key_1');
    await parts.close();
    assert.match(readFileSync(inData('app-secret'), 'utf8'), /^[0-9a-f]{64}$/);
    const again = await open();
    assert.equal(again.payments.sealing.verified(signed), 'key_1');
    await again.close();
  });
});

test('a ledger that lost flushed commits is refused, by the doctor and at the start', async () => {
  const parts = await open();
  await parts.billing.keys.create({ credits: 100, label: null });
  await parts.billing.keys.create({ credits: 100, label: null });
  const found = join(folder, 'found');
  mkdirSync(found);
  // As it is found after a kill when somebody has removed the write-ahead log.
  for (const name of ['books.db', 'books.mark']) copyFileSync(inData(name), join(found, name));
  await parts.close();
  const lost =
    /books\.db cannot be used: it has \d+ of 2 flushed commits: its write-ahead log .* was removed/;
  const doctor = await runCli(found, ['doctor', '--ledger']);
  assert.equal(doctor.code, 1);
  assert.match(doctor.err, lost);
  const place = { dataDir: found, databaseUrl: null };
  await assert.rejects(createBilling(place, { log: parts.services.log }), lost);
  // The whole ledger is fine, and so is one whose loss the operator accepts.
  assert.equal((await runCli(config.dataDir, ['doctor', '--ledger'])).code, 0);
  rmSync(join(found, 'books.mark'));
  assert.equal((await runCli(found, ['doctor', '--ledger'])).code, 0);
});
