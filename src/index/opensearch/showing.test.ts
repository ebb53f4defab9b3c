import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createRefreshRunner } from './cluster-engine.ts';

const EVERY_MS = 1_000;

function shown() {
  const runs: { changes: number; done: PromiseWithResolvers<void> }[] = [];
  const waits: { ms: number; over(): void }[] = [];
  let time = 0;
  const show = createRefreshRunner({
    everyMs: EVERY_MS,
    run(changes) {
      const done = Promise.withResolvers<void>();
      runs.push({ changes, done });
      return done.promise;
    },
    pause: (ms) =>
      ms === 0 ? Promise.resolve() : new Promise((resolve) => waits.push({ ms, over: () => resolve() })),
    now: () => time,
  });
  /** Lets the time pass that is waited for. */
  const wait = async (): Promise<void> => {
    for (const { ms, over } of waits.splice(0)) {
      time += ms;
      over();
    }
    await turn();
  };
  return { show, runs, waits, wait };
}

describe('what was written is shown to searches', () => {
  test('at once where nothing was shown lately', async () => {
    const { show, runs } = shown();
    const one = show(200);
    await turn();
    assert.deepEqual(
      runs.map(({ changes }) => changes),
      [200],
    );
    runs[0]?.done.resolve();
    await one;
  });

  test('once for all who come before the next time, which waits', async () => {
    const { show, runs, waits, wait } = shown();
    void show(200);
    await turn();
    const ended: number[] = [];
    for (const changes of [70, 80]) void show(changes).then(() => ended.push(changes));
    await turn();
    assert.equal(runs.length, 1, 'what came after the first had begun is not shown by it');
    assert.deepEqual(
      waits.map(({ ms }) => ms),
      [EVERY_MS],
    );
    runs[0]?.done.resolve();
    await turn();
    assert.deepEqual(ended, []);
    await wait();
    assert.deepEqual(runs[1]?.changes, 150);
    runs[1]?.done.resolve();
    await turn();
    assert.deepEqual(ended, [70, 80]);
  });

  test('or fails for those alone whom it was for', async () => {
    const { show, runs, wait } = shown();
    const first = show(200);
    await turn();
    const second = show(70);
    runs[0]?.done.reject(new Error('away'));
    await assert.rejects(first, /away/);
    await wait();
    runs[1]?.done.resolve();
    await second;
  });
});
