import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { chooseModel, findTokenTable } from './encoder-for.ts';
import { openTable } from './token-table.ts';

const FILE = new URL('../../../models/token-vectors/token-vectors.bin', import.meta.url);
const MODULE = new URL('./encoder-for.ts', import.meta.url);

/** The rows of the table as a new thread sees them. */
function rowsInThread(): Promise<Int8Array> {
  const code = `
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(MODULE.href)}).then(({ findTokenTable }) => parentPort.postMessage(findTokenTable('en').rows));
  `;
  const worker = new Worker(code, { eval: true });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}

test('threads share the memory of the built-in table, whichever of them reads it', async () => {
  chooseModel(null);
  const [one, other] = await Promise.all([rowsInThread(), rowsInThread()]);
  const mine = findTokenTable('en')?.rows;
  assert.ok(mine !== undefined);
  assert.deepEqual(mine, openTable(readFileSync(FILE)).rows);
  const [before = 0] = mine;
  const changed = before === 1 ? 2 : 1;
  one[0] = changed;
  assert.deepEqual([mine[0], other[0]], [changed, changed]);
  one[0] = before;
});
