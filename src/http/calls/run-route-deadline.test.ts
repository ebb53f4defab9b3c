import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Failure } from '../../contract/errors.ts';
import { HungUp } from './call.ts';
import { runWithinDeadline } from './run-route.ts';

const late = (): Failure => new Failure('recall_unavailable', 'late');

function bounds(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const hungUp = new AbortController();
  const lastCall = new AbortController();
  return { hungUp, lastCall, given: { ms: 8_000, late, hungUp: hungUp.signal, lastCall: lastCall.signal } };
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('work that ends in time gives its value and its own failure', async (t) => {
  const { given } = bounds(t);
  assert.equal(await runWithinDeadline(given, async () => 7), 7);
  const broken = runWithinDeadline(given, async () => Promise.reject(new TypeError('own')));
  await assert.rejects(broken, { name: 'TypeError', message: 'own' });
});

test('work is signalled half a second before its limit, and its partial result is returned', async (t) => {
  const { given } = bounds(t);
  const call = runWithinDeadline(given, (signal) => untilAborted(signal).catch(() => 'partial'));
  t.mock.timers.tick(7_500);
  assert.equal(await call, 'partial');
});

test('work that aborts on the signal is late', async (t) => {
  const { given } = bounds(t);
  const call = runWithinDeadline(given, untilAborted);
  t.mock.timers.tick(7_500);
  await assert.rejects(call, { code: 'recall_unavailable' });
});

test('work that ignores the signal is abandoned at its limit', async (t) => {
  const { given } = bounds(t);
  const call = runWithinDeadline(given, () => new Promise(() => {}));
  t.mock.timers.tick(7_500);
  t.mock.timers.tick(500);
  await assert.rejects(call, { code: 'recall_unavailable' });
});

test('the last call of a draining process ends work early', async (t) => {
  const { given, lastCall } = bounds(t);
  const call = runWithinDeadline(given, () => new Promise(() => {}));
  lastCall.abort();
  t.mock.timers.tick(500);
  await assert.rejects(call, { code: 'recall_unavailable' });
});

test('a caller that hangs up, or has done so already, ends work at once', async (t) => {
  const { given, hungUp } = bounds(t);
  let received: AbortSignal | undefined;
  const call = runWithinDeadline(given, (signal) => {
    received = signal;
    return new Promise(() => {});
  });
  hungUp.abort();
  await assert.rejects(call, HungUp);
  assert.equal(received?.aborted, true);
  await assert.rejects(
    runWithinDeadline(given, () => new Promise(() => {})),
    HungUp,
  );
});
