import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createFairQueue, createShares, type Tenant } from './fair-queue.ts';

const full = new Error('full');
const queueOf = (bounds: { slots: number; waitingMax?: number; perFreeSlot?: number }) =>
  createFairQueue({ waitingMax: 100, ...bounds, overloaded: () => full });

/** Requests slots in order and records who got one, by name. */
function watch(queue: ReturnType<typeof queueOf>) {
  const started: string[] = [];
  const releases = new Map<string, () => void>();
  return {
    started,
    ask(name: string, tenant: Tenant, signal?: AbortSignal): Promise<void> {
      return queue.take({ tenant, signal }).then((release) => {
        started.push(name);
        releases.set(name, release);
      });
    },
    async end(name: string): Promise<void> {
      releases.get(name)?.();
      await settled();
    },
  };
}

/** Lets everything run that waits for no timer. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('fair queue', () => {
  test('a lone tenant takes half and leaves slots for later ones', async () => {
    const { ask, started } = watch(queueOf({ slots: 8 }));
    for (let place = 0; place < 8; place++) void ask(`a${place}`, 'a');
    await settled();
    assert.deepEqual(started, ['a0', 'a1', 'a2', 'a3']);
    for (let place = 0; place < 8; place++) void ask(`b${place}`, 'b');
    void ask('c0', 'c');
    void ask('d0', 'd');
    await settled();
    assert.deepEqual(started.slice(4), ['b0', 'b1', 'c0', 'd0']);
  });

  test('free slots go to the tenants in turn, and in order within each', async () => {
    const { ask, end, started } = watch(queueOf({ slots: 1 }));
    void ask('a0', 'a');
    for (const name of ['a1', 'a2', 'a3']) void ask(name, 'a');
    for (const name of ['b0', 'b1']) void ask(name, 'b');
    void ask('c0', 'c');
    await settled();
    for (const name of ['a0', 'a1', 'b0', 'c0', 'a2', 'b1']) await end(name);
    assert.deepEqual(started, ['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3']);
  });

  test("a tenant that arrives during a flood waits for one of the flood's turns, not for all", async () => {
    const { ask, end, started } = watch(queueOf({ slots: 1 }));
    for (let place = 0; place < 90; place++) void ask(`flood${place}`, 'flood');
    void ask('good', 'good');
    await settled();
    await end('flood0');
    await end('flood1');
    assert.deepEqual(started, ['flood0', 'flood1', 'good']);
  });

  test('when the queue is full, the longest line drops its last, and a line cannot grow to be the longest', async () => {
    const { ask, end, started } = watch(queueOf({ slots: 1, waitingMax: 3 }));
    void ask('a0', 'a');
    void ask('a1', 'a');
    void ask('a2', 'a');
    const last = assert.rejects(ask('a3', 'a'), full);
    await assert.rejects(ask('a4', 'a'), full);
    void ask('b0', 'b');
    await last;
    await assert.rejects(ask('b1', 'b'), full);
    for (const name of ['a0', 'a1', 'b0', 'a2']) await end(name);
    assert.deepEqual(started, ['a0', 'a1', 'b0', 'a2']);
  });

  test("an aborted wait leaves its line with its signal's reason", async () => {
    const { ask, end, started } = watch(queueOf({ slots: 1 }));
    void ask('a0', 'a');
    const leaver = new AbortController();
    const left = assert.rejects(ask('b0', 'b', leaver.signal), { message: 'gone' });
    void ask('c0', 'c');
    leaver.abort(new Error('gone'));
    await left;
    await settled();
    await end('a0');
    assert.deepEqual(started, ['a0', 'c0']);
    await assert.rejects(ask('b1', 'b', leaver.signal), { message: 'gone' });
  });

  test("the service's own work is not limited to a share", async () => {
    const { ask, started } = watch(queueOf({ slots: 3 }));
    for (const name of ['one', 'two', 'three', 'four']) void ask(name, undefined);
    await settled();
    assert.deepEqual(started, ['one', 'two', 'three']);
  });

  test('a turn waits until both of its resources have a slot, without delaying others', async () => {
    const queue = queueOf({ slots: 10 });
    const host = createShares({ slots: 1 });
    const first = await queue.take({ tenant: 'a', also: host });
    const order: string[] = [];
    void queue.take({ tenant: 'a', also: host }).then(() => order.push('second'));
    void queue.take({ tenant: 'a' }).then(() => order.push('other'));
    await settled();
    first();
    await settled();
    assert.deepEqual(order, ['other', 'second']);
  });

  test('a slot is released when the work fails', async () => {
    const queue = queueOf({ slots: 1 });
    await assert.rejects(
      queue.run({ tenant: 'a' }, async () => assert.fail('work')),
      { message: 'work' },
    );
    assert.equal(await queue.run({ tenant: 'b' }, async () => 'done'), 'done');
  });

  test('in any order, no limit is exceeded, every turn comes, and nobody is skipped', async () => {
    const step = fc.record({ tenant: fc.constantFrom('a', 'b', 'c'), ticks: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const queue = queueOf({ slots: 3 });
        let running = 0;
        const work = steps.map(({ tenant, ticks }) =>
          queue.run({ tenant }, async () => {
            running += 1;
            assert.ok(running <= 3);
            for (let tick = 0; tick < ticks; tick++) await null;
            running -= 1;
          }),
        );
        await Promise.all(work);
        assert.equal(running, 0);
      }),
    );
  });
});
