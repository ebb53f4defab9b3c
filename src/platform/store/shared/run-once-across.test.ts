import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { runOnceAcross } from './run-once-across.ts';

const WAIT_TIMEOUT_MS = 5_000;

/** Asks for what another process holds the lease of; that process never ends, because it is dead. */
function waitForTheDead(t: TestContext, signal: AbortSignal) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const tokens: (number | undefined)[] = [];
  const result = runOnceAcross({ lease: async () => ({ by: 7 }), release: async () => {} }, 'page', {
    leaseMs: 20_000,
    waitTimeoutMs: WAIT_TIMEOUT_MS,
    signal,
    look: async () => null,
    async work(token) {
      tokens.push(token);
      return 'made';
    },
  });
  return { result, tokens };
}

async function pass(t: TestContext, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 10) {
    t.mock.timers.tick(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a holder that died holds others up only for their timeout, which is shorter than its lease', async (t) => {
  const { result, tokens } = waitForTheDead(t, new AbortController().signal);
  await pass(t, WAIT_TIMEOUT_MS - 500);
  assert.deepEqual(tokens, []);
  await pass(t, 500);
  assert.deepEqual([await result, tokens], ['made', [undefined]]);
});

test('a call that ends meanwhile waits no longer', async (t) => {
  const caller = new AbortController();
  const { result } = waitForTheDead(t, caller.signal);
  await pass(t, 500);
  caller.abort();
  assert.equal(await result, 'made');
});
