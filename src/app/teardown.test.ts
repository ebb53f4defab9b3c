import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitBothStarted, createTeardown } from './teardown.ts';

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

test('of two that start at the same time both are ended, the second first', async () => {
  const { teardown, ended } = recording();
  const starting = async (name: string): Promise<string> => name;
  const end = (name: string): void => void ended.push(name);
  const started = await awaitBothStarted(
    teardown,
    { starting: starting('index'), end },
    { starting: starting('ledger'), end },
  );
  assert.deepEqual(started, ['index', 'ledger']);
  await teardown.run();
  assert.deepEqual(ended, ['ledger', 'index']);
});

test('if one of two cannot start, the other is ended even if it starts later', async () => {
  for (const failing of [0, 1]) {
    const { teardown, ended } = recording();
    const slow = Promise.withResolvers<string>();
    const parts = [
      { starting: slow.promise, end: (name: string) => void ended.push(name) },
      { starting: slow.promise, end: (name: string) => void ended.push(name) },
    ] as const;
    const broken = { starting: Promise.reject<string>(new Error('no threads')), end: () => {} };
    const both = teardown.onFailure(() =>
      awaitBothStarted(teardown, failing === 0 ? broken : parts[0], failing === 1 ? broken : parts[1]),
    );
    const outcome = assert.rejects(both, /no threads/);
    slow.resolve('other');
    await outcome;
    assert.deepEqual(ended, ['other']);
  }
});
