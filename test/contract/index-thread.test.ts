import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createIndexThread } from '../../src/index/index-thread.ts';
import { createLog } from '../../src/platform/log.ts';

const THREAD = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id, name }) => {
  if (name === 'die') throw new Error('struck down');
  if (name === 'fail') parentPort.postMessage({ id, ok: false, error: 'refused' });
  else parentPort.postMessage({ id, ok: true, value: name });
});
`;

test('a thread that dies fails its open calls with the reason, and the next call finds a new one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'index-thread-'));
  const file = join(folder, 'thread.mjs');
  writeFileSync(file, THREAD);
  const thread = createIndexThread(pathToFileURL(file), { path: '', log: createLog('silent') });
  try {
    assert.equal(await thread.call('hello', null), 'hello');
    await assert.rejects(thread.call('fail', null), /refused/);
    const calls = [thread.call('die', null), thread.call('hello', null)];
    for (const call of await Promise.allSettled(calls)) {
      assert.equal(call.status, 'rejected');
      assert.match(String(call.reason.cause), /struck down/);
    }
    assert.equal(thread.open(), 0);
    assert.equal(await thread.call('again', null), 'again');
  } finally {
    await thread.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
