import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { openIndexWriter } from '../../src/index/index-writer.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { readManifest, verifyFile } from '../../src/platform/store/backup/manifest.ts';
import { writeBackup } from '../../src/platform/store/backup/write-backup.ts';
import { findInterruptedRestore, openDataFolder } from '../../src/platform/store/open-store.ts';
import { oldIndex } from '../fixtures/old-index.ts';
import { type Ended, runCli } from './run-cli.ts';
import { startServer } from './server-process.ts';

const PROCESS = join(import.meta.dirname, 'backup-process.ts');
const NOW = new Date('2026-11-21T12:00:00Z');

let folder: string;
let data: string;
let copy: string;
beforeEach((t) => {
  folder = mkdtempSync(join(tmpdir(), 'sanderling-backup-'));
  [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  (t as TestContext).after(() => rmSync(folder, { recursive: true, force: true }));
});

const cli = (args: string[], settings: Record<string, string> = {}): Promise<Ended> =>
  runCli(folder, args, { DATA_DIR: data, ...settings });

const page = (number: number): IndexedPage => ({
  url: `https://example.com/${number}`,
  title: `Page ${number}`,
  headings: [],
  markdown: `It explains codec${number}.`,
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: 10,
  fetchedAt: 1,
});

function fillIndex(pages: number): void {
  const writer = openIndexWriter(join(data, 'index.db'));
  writer.apply([{ put: Array.from({ length: pages }, (_, number) => page(number)), at: 1 }]);
  writer.close();
}

async function createKey(): Promise<string> {
  const { out, err } = await cli(['keys', 'create', '--credits', '1000']);
  assert.notEqual(out, '', err);
  return out.trim();
}

/** Every file and folder below a folder, with its mode. */
function modesBelow(path: string): Map<string, number> {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return new Map(['', ...names].map((name) => [name, statSync(join(path, name)).mode & 0o777]));
}

test('a backup of a running server is restored with all its stores, readable by the owner only', async (t) => {
  const server = await startServer(t, folder, { DATA_DIR: data });
  const key = await createKey();
  const headers = { 'x-api-key': key };
  fillIndex(20);
  const charging = Array.from({ length: 10 }, () => server.search('codec7', headers));
  const made = await cli(['backup', copy]);
  assert.equal(made.code, 0, made.err);
  await Promise.all(charging);
  const before = await server.search('codec7', headers);
  for (const path of [data, copy])
    for (const [name, mode] of modesBelow(path))
      assert.equal(mode, statSync(join(path, name)).isDirectory() ? 0o700 : 0o600, join(path, name));
  const manifest = readManifest(copy);
  assert.equal(manifest.ledger, 'sqlite');
  assert.deepEqual(
    manifest.files.map(({ name }) => name),
    ['books.db', 'books.mark', 'app-secret', 'monitors.db', 'store.db', 'index.db'],
  );
  const refused = await cli(['restore', copy, '--force']);
  assert.deepEqual([refused.code, /is in use: stop the process/.test(refused.err)], [1, true], refused.err);
  await server.end();

  data = join(folder, 'elsewhere');
  const restored = await cli(['restore', copy]);
  assert.equal(restored.code, 0, restored.err);
  const audit = await cli(['doctor', '--ledger']);
  assert.equal(audit.code, 0, audit.out);
  const again = await startServer(t, folder, { DATA_DIR: data });
  const { credits } = await again.get('/v1/balance', headers);
  assert.ok(credits >= 990 && credits <= 1_000, `${credits} credits`);
  assert.deepEqual((await again.search('codec7', headers)).results, before.results);
  await again.end();
  for (const [name, mode] of modesBelow(data)) assert.equal(mode & 0o077, 0, name);
});

describe('a restore', () => {
  test('of an older state starts, and keeps what it replaced', async () => {
    await createKey();
    assert.equal((await cli(['backup', copy])).code, 0);
    await createKey();
    await createKey();
    const refused = await cli(['restore', copy]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /is not empty; to replace the data in it, add --force/);
    const restored = await cli(['restore', copy, '--force']);
    assert.equal(restored.code, 0, restored.err);
    assert.equal(JSON.parse((await cli(['keys', 'list', '--json'])).out).length, 1);
    // The flushed commits of this ledger are counted from here on.
    await createKey();
    assert.equal((await cli(['doctor', '--ledger'])).code, 0);
    const kept = join(data, readdirSync(data).find((name) => name.startsWith('before-restore-')) ?? '');
    assert.equal(keysIn(kept), 3);
  });

  test('of a damaged or incomplete backup changes nothing', async () => {
    await createKey();
    assert.equal((await cli(['backup', copy])).code, 0);
    const whole = readFileSync(join(copy, 'books.db'));
    const damaged = Buffer.from(whole);
    damaged[5_000] = (damaged[5_000] ?? 0) ^ 1;
    writeFileSync(join(copy, 'books.db'), damaged);
    const before = [...modesBelow(data).keys()];
    const wrong = await cli(['restore', copy, '--force']);
    assert.deepEqual(
      [wrong.code, /books\.db is not as it was backed up/.test(wrong.err)],
      [1, true],
      wrong.err,
    );
    rmSync(join(copy, 'books.db'));
    assert.match((await cli(['restore', copy, '--force'])).err, /books\.db is missing/);
    rmSync(join(copy, 'manifest.json'));
    assert.match((await cli(['restore', copy, '--force'])).err, /is not a backup: it has no manifest\.json/);
    assert.deepEqual([...modesBelow(data).keys()], before);
    assert.equal(keysIn(data), 1);
  });

  test('continues a rebuild of the index', async () => {
    await createKey();
    const path = join(data, 'index.db');
    oldIndex(path, { layout: 1, pages: Array.from({ length: 50 }, (_, number) => page(number)) });
    const writer = openIndexWriter(path);
    writer.takeOver.step();
    const made = await cli(['backup', copy]);
    assert.equal(made.code, 0, made.err);
    writer.close();
    data = join(folder, 'elsewhere');
    assert.equal((await cli(['restore', copy])).code, 0);
    const restored = openIndexWriter(join(data, 'index.db'));
    assert.deepEqual(restored.takeOver.report().rebuilding, { pages: 16, of: 50 });
    restored.close();
    assert.equal((await cli(['index', 'rebuild'])).out, 'Rebuilt: 50 pages of 1 host.\n');
  });
});

describe('with the ledger in PostgreSQL', () => {
  const settings = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };

  test('a backup says how to back up the ledger, and copies the rest when told to', async () => {
    await createKey();
    const refused = await cli(['backup', copy], settings);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /pg_dump --format=custom --file=books\.dump "\$DATABASE_URL"/);
    assert.ok(!existsSync(copy));
    fillIndex(3);
    const made = await cli(['backup', copy, '--without-ledger'], settings);
    assert.equal(made.code, 0, made.err);
    assert.deepEqual(
      [readManifest(copy).ledger, readManifest(copy).files.map(({ name }) => name)],
      ['postgresql', ['index.db']],
    );
    // Without the database there would be a second ledger.
    data = join(folder, 'elsewhere');
    const alone = await cli(['restore', copy]);
    assert.deepEqual([alone.code, /set DATABASE_URL first/.test(alone.err)], [1, true], alone.err);
    const restored = await cli(['restore', copy], settings);
    assert.equal(restored.code, 0, restored.err);
    assert.match(restored.err, /pg_restore/);
    assert.ok(!existsSync(join(data, 'books.db')));
  });

  test('a backup with a ledger is not restored beside it', async () => {
    await createKey();
    assert.equal((await cli(['backup', copy])).code, 0);
    const refused = await cli(['restore', copy, '--force'], settings);
    assert.deepEqual([refused.code, /unset DATABASE_URL/.test(refused.err)], [1, true], refused.err);
  });
});

describe('killed before any of its file operations', () => {
  let states: string;
  beforeEach((t) => {
    states = mkdtempSync(join(tmpdir(), 'sanderling-states-'));
    (t as TestContext).after(() => rmSync(states, { recursive: true, force: true }));
  });
  const stateAt = (operation: number): string => join(states, String(operation));
  /** The number of operations, each of whose states before it is kept then. */
  const keepStates = async (command: 'backup' | 'restore', changed: string): Promise<number> => {
    assert.equal(await runProcess(command, { changed, states }), null);
    return readdirSync(states).length;
  };

  test('a backup leaves a complete folder or none, and can be repeated', async () => {
    await createKey();
    fillIndex(3);
    const operations = await keepStates('backup', folder);
    assert.ok(operations >= 5, `${operations} operations`);
    for (let operation = 1; operation <= operations; operation++) {
      const state = stateAt(operation);
      const made = join(state, 'copy');
      if (!existsSync(made))
        await writeBackup({ dataDir: join(state, 'data'), folder: made, ledgerElsewhere: false, now: NOW });
      for (const file of readManifest(made).files) verifyFile(made, file);
      assert.deepEqual(readdirSync(state).sort(), ['copy', 'data'], `operation ${operation}`);
      assert.equal(keysIn(join(state, 'data')), 1);
    }
  });

  test('a restore leaves the old state, the new one, or a folder that starts only after it is repeated', async () => {
    await createKey();
    fillIndex(3);
    assert.equal((await cli(['backup', copy])).code, 0);
    await createKey();
    fillIndex(5);
    const operations = await keepStates('restore', data);
    assert.equal(stateOf(data), 'new');
    const seen = new Map([['new', 1]]);
    for (let operation = 1; operation <= operations; operation++) {
      data = stateAt(operation);
      const state = stateOf(data);
      seen.set(state, (seen.get(state) ?? 0) + 1);
      // Untouched, every state before the point of no return is the same.
      if (state === 'old' && operation % 5 !== 0) continue;
      assert.equal(await runProcess('restore'), null);
      assert.equal(stateOf(data), 'new', `repeated after operation ${operation}`);
      const kept = readdirSync(data).filter((name) => name.startsWith('before-restore-'));
      assert.ok(
        kept.some((name) => keysIn(join(data, name)) === 2),
        `after operation ${operation}`,
      );
    }
    assert.deepEqual([...seen.keys()].sort(), ['interrupted', 'new', 'old'], JSON.stringify([...seen]));
  });

  test('leaves what it had done by then', async () => {
    await createKey();
    fillIndex(3);
    const before = join(folder, 'before');
    cpSync(data, join(before, 'data'), { recursive: true });
    const operations = await keepStates('backup', folder);
    [data, copy] = [join(before, 'data'), join(before, 'copy')];
    const killAt = Math.ceil(operations / 2);
    assert.equal(await runProcess('backup', { killAt }), 'SIGKILL');
    assert.deepEqual(sizesBelow(before), sizesBelow(stateAt(killAt), 'before'));
  });
});

/** What the process of a backup or a restore does besides: keeps the states of a folder, or kills itself before an operation. */
type Intervention = { changed?: string; states?: string; killAt?: number };

/** Runs a backup or a restore as a process; resolves to the signal that ended it. */
async function runProcess(
  command: 'backup' | 'restore',
  { changed = '', states = '', killAt = 0 }: Intervention = {},
): Promise<string | null> {
  const child = spawn(process.execPath, [PROCESS, command, data, copy, changed, states, String(killAt)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', (part) => {
    err += part;
  });
  const [code, signal] = await once(child, 'close');
  assert.ok(signal === 'SIGKILL' || code === 0, err);
  return signal;
}

/** The files below a folder with their sizes; the number of the process in a name does not count. */
function sizesBelow(path: string, without = ''): [string, number][] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => without === '' || !name.startsWith(without))
    .map((name): [string, number] => [name.replace(/-\d+/, ''), statSync(join(path, name)).size])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The state of the data folder; fails if its files are of different states. */
function stateOf(path: string): string {
  if (findInterruptedRestore(path) !== null) {
    assert.throws(() => openDataFolder(path), /was interrupted/);
    return 'interrupted';
  }
  const keys = keysIn(path);
  assert.equal(pagesIn(path), keys === 1 ? 3 : 5);
  const mark = Number(readFileSync(join(path, 'books.mark'), 'utf8'));
  assert.equal(mark, keys);
  return keys === 1 ? 'new' : 'old';
}

const keysIn = (path: string): number => countIn(join(path, 'books.db'), 'api_key');
const pagesIn = (path: string): number => countIn(join(path, 'index.db'), 'page');

function countIn(path: string, table: string): number {
  if (!existsSync(path)) return 0;
  const database = new DatabaseSync(path);
  try {
    return Number(database.prepare(`select count(*) as n from ${table}`).get()?.n);
  } finally {
    database.close();
  }
}
