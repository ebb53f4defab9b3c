import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { computeMsLeft, createDeadlineSignal, runWithTimeout } from './clock.ts';

const never = (signal: AbortSignal): Promise<never> =>
  later(60_000, undefined, { signal, ref: false }) as never;
const LONG_MS = 60_000;

test('the result of work that ends in time; the signal never fires and nobody listens any more', async () => {
  const outer = new AbortController();
  let seen: AbortSignal | null = null;
  const result = await runWithTimeout({ signal: outer.signal, ms: LONG_MS }, async (inTime) => {
    seen = inTime;
    return 7;
  });
  assert.equal(result, 7);
  assert.equal(getEventListeners(outer.signal, 'abort').length, 0);
  outer.abort();
  assert.equal((seen as AbortSignal | null)?.aborted, false);
});

test('the signal fires with a TimeoutError when the time is over', async () => {
  const { signal } = new AbortController();
  let reason: unknown = null;
  const work = runWithTimeout({ signal, ms: 1 }, (inTime) =>
    never(inTime).finally(() => {
      reason = inTime.reason;
    }),
  );
  await assert.rejects(work);
  assert.equal((reason as Error).name, 'TimeoutError');
});

test('the signal fires with the outer one, and at once if that has fired', async () => {
  const outer = new AbortController();
  const reason = new Error('gone');
  const work = runWithTimeout({ signal: outer.signal, ms: LONG_MS }, async (inTime) => {
    outer.abort(reason);
    return inTime.reason;
  });
  assert.equal(await work, reason);
  assert.equal(
    await runWithTimeout({ signal: outer.signal, ms: LONG_MS }, async (inTime) => inTime.reason),
    reason,
  );
});

test('what is left is whole milliseconds, which a signal of its own can take', () => {
  const outer = createDeadlineSignal(LONG_MS);
  const left = computeMsLeft(outer);
  assert.ok(Number.isInteger(left) && left <= LONG_MS, String(left));
  assert.ok(computeMsLeft(createDeadlineSignal(left, outer)) <= left);
});
