import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../contract/errors.ts';
import { createTurns } from './turns.ts';

const never = new AbortController().signal;
/** Lets everything run that waits for no timer. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a host hands out a bounded number of turns at once, and the next ones in order', async () => {
  const turns = createTurns({ perHostMax: 2, totalMax: 10, waitingMax: 9 });
  const order: string[] = [];
  const arrive =
    (name: string) =>
    (release: () => void): void => {
      order.push(name);
      release();
    };
  const first = await turns.take('a', { signal: never });
  await turns.take('a', { signal: never });
  void turns.take('a', { signal: never }).then(arrive('third'));
  void turns.take('a', { signal: never }).then(arrive('fourth'));
  void turns.take('b', { signal: never }).then(arrive('elsewhere'));
  await settled();
  assert.deepEqual(order, ['elsewhere']);
  first();
  await settled();
  assert.deepEqual(order, ['elsewhere', 'third', 'fourth']);
});

test('a caller that gives up leaves the queue, with the reason of its signal', async () => {
  const turns = createTurns({ perHostMax: 1, totalMax: 1, waitingMax: 9 });
  const release = await turns.take('a', { signal: never });
  const controller = new AbortController();
  const reason = new Error('aborted');
  const waiting = turns.take('a', { signal: controller.signal });
  const next = turns.take('b', { signal: never });
  controller.abort(reason);
  await assert.rejects(waiting, reason);
  release();
  (await next)();
  await assert.rejects(turns.take('a', { signal: controller.signal }), reason);
});

test("when the queue is full a fetch fails at once with 'overloaded'", async () => {
  const turns = createTurns({ perHostMax: 1, totalMax: 2, waitingMax: 2 });
  await turns.take('a', { signal: never });
  void turns.take('a', { signal: never });
  await turns.take('b', { signal: never });
  void turns.take('c', { signal: never });
  await assert.rejects(turns.take('d', { signal: never }), isOverloaded);
});

test('a tenant that waits for a silent host delays neither other hosts nor other tenants', async () => {
  const turns = createTurns({ perHostMax: 4, totalMax: 64, waitingMax: 100 });
  const started: string[] = [];
  const ask = (tenant: string, host: string): void =>
    void turns.take(host, { tenant, signal: never }).then(() => started.push(`${tenant} ${host}`));
  for (let place = 0; place < 50; place++) ask('flood', 'silent');
  ask('good', 'silent');
  ask('good', 'other');
  ask('flood', 'other');
  await settled();
  assert.deepEqual(started, [...Array(3).fill('flood silent'), 'good silent', 'good other', 'flood other']);
});

test('in any order of taking and releasing, no bound is exceeded and every turn comes', async () => {
  const step = fc.record({ host: fc.constantFrom('a', 'b', 'c'), work: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const turns = createTurns({ perHostMax: 2, totalMax: 3, waitingMax: 99 });
      const running: string[] = [];
      const work = steps.map(async ({ host, work }) => {
        const release = await turns.take(host, { signal: never });
        running.push(host);
        assert.ok(running.length <= 3 && running.filter((other) => other === host).length <= 2);
        for (let tick = 0; tick < work; tick++) await null;
        running.splice(running.indexOf(host), 1);
        release();
      });
      await Promise.all(work);
    }),
  );
});

function isOverloaded(error: unknown): boolean {
  return error instanceof Failure && error.fetch?.reason === 'overloaded';
}
