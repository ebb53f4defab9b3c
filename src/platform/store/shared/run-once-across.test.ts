import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { skipPauses } from '../../../../test/fixtures/skip-pauses.ts';
import { runOnceAcross } from './run-once-across.ts';

const WAIT_TIMEOUT_MS = 5_000;

/** Asks for what another process holds the lease of; that process never ends, because it is dead. */
function waitForTheDead(t: TestContext, signal: AbortSignal) {
  const pauses = skipPauses(t);
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
  return { result, tokens, waitedMs: () => pauses.reduce((sum, ms) => sum + ms, 0) };
}

test('a holder that died holds others up only for their timeout, which is shorter than its lease', async (t) => {
  const { result, tokens, waitedMs } = waitForTheDead(t, new AbortController().signal);
  assert.deepEqual([await result, tokens], ['made', [undefined]]);
  assert.ok(waitedMs() >= WAIT_TIMEOUT_MS && waitedMs() < WAIT_TIMEOUT_MS + 500, `waited ${waitedMs()} ms`);
});

test('a call that ends meanwhile waits no longer', async (t) => {
  const caller = new AbortController();
  const { result, waitedMs } = waitForTheDead(t, caller.signal);
  await new Promise(setImmediate);
  caller.abort();
  assert.equal(await result, 'made');
  assert.ok(waitedMs() < WAIT_TIMEOUT_MS, `waited ${waitedMs()} ms`);
});
