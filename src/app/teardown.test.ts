import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTeardown } from './teardown.ts';

function recording() {
  const ended: string[] = [];
  const teardown = createTeardown();
  const start = (name: string): void => teardown.add(async () => void ended.push(name));
  return { teardown, start, ended };
}

test('ends what was started, the latest first, each once', async () => {
  const { teardown, start, ended } = recording();
  start('store');
  start('network');
  await teardown.run();
  await teardown.run();
  assert.deepEqual(ended, ['network', 'store']);
});

test('a start that fails is undone before its error is thrown', async () => {
  const { teardown, start, ended } = recording();
  start('store');
  const failing = teardown.onFailure(async () => {
    start('network');
    throw new Error('no threads');
  });
  await assert.rejects(failing, /no threads/);
  assert.deepEqual(ended, ['network', 'store']);
});

test('a start that succeeds ends nothing', async () => {
  const { teardown, start, ended } = recording();
  start('store');
  assert.equal(await teardown.onFailure(async () => 'started'), 'started');
  assert.deepEqual(ended, []);
});
