import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openSqlite } from './open-sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'sanderling-sqlite-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Creates the file and holds its write lock for a moment, like another process that starts at the same time. */
const MAKER = `
  const { DatabaseSync } = require('node:sqlite');
  const { parentPort, workerData } = require('node:worker_threads');
  const database = new DatabaseSync(workerData);
  database.exec('create table made (id integer); begin immediate');
  parentPort.postMessage('writing');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  database.exec('commit');
  database.close();
`;

test('waits for another process that is creating the file', async () => {
  const path = join(folder, 'new.db');
  const maker = new Worker(MAKER, { eval: true, workerData: path });
  await once(maker, 'message');
  const database = openSqlite(path);
  assert.deepEqual({ ...database.prepare('pragma journal_mode').get() }, { journal_mode: 'wal' });
  database.close();
  await once(maker, 'exit');
});

test('a new file can shrink', () => {
  const database = openSqlite(join(folder, 'shrinking.db'));
  database.exec('create table filled (text)');
  assert.deepEqual({ ...database.prepare('pragma auto_vacuum').get() }, { auto_vacuum: 2 });
  database.close();
});
