import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChargeArgs, Charged } from '../charge-procedures.ts';
import { createChargeQueue, TOGETHER_MAX } from './charge-queue.ts';
import type { ChargesOfKey } from './charges-together.ts';

const charge = (id: string, keyId = 'key', amount = 1): ChargeArgs => ({ id, keyId, amount, at: 0 });
const done = (available: number): Charged => ({ charged: 1, available, purchase: null });

/** A ledger that answers when it is told to. */
function openLedger(how: { isOneWriter?: boolean } = {}) {
  const asked: { ids: string[]; answer: PromiseWithResolvers<unknown> }[] = [];
  const ask = <Answer>(ids: string[]): Promise<Answer> => {
    const answer = Promise.withResolvers<unknown>();
    asked.push({ ids, answer });
    return answer.promise as Promise<Answer>;
  };
  const asking = {
    alone: ({ id }: ChargeArgs) => ask<Charged>([id]),
    together: ({ charges }: ChargesOfKey) => ask<Charged[] | null>(charges.map(({ id }) => id)),
  };
  const add = createChargeQueue(asking, how);
  const queue = (wanted: ChargeArgs): Promise<Charged> =>
    new Promise((resolve, reject) => add(wanted, resolve, reject));
  return {
    queue,
    ids: () => asked.map(({ ids }) => ids),
    async answer(place: number, value: unknown) {
      asked[place]?.answer.resolve(value);
      await settled();
    },
    async fail(place: number, error: Error) {
      asked[place]?.answer.reject(error);
      await settled();
    },
  };
}

/** Two turns: one for what was asked for in this one, and one for what follows from that. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('charges that come while one of their key is under way go together, each with its own answer', async () => {
  const { queue, ids, answer } = openLedger();
  const charges = [queue(charge('a'))];
  await settled();
  charges.push(...['b', 'c'].map((id) => queue(charge(id))));
  await settled();
  assert.deepEqual(ids(), [['a']]);
  await answer(0, done(9));
  assert.deepEqual(ids(), [['a'], ['b', 'c']]);
  const last = queue(charge('d'));
  await answer(1, [done(8), done(7)]);
  assert.deepEqual(ids()[2], ['d']);
  await answer(2, done(6));
  assert.deepEqual(
    (await Promise.all([...charges, last])).map(({ available }) => available),
    [9, 8, 7, 6],
  );
  // The key is idle again.
  void queue(charge('e'));
  await settled();
  assert.deepEqual(ids()[3], ['e']);
});

test('charges of one turn go together', async () => {
  const { queue, ids } = openLedger();
  for (const id of ['a', 'b', 'c']) void queue(charge(id));
  await settled();
  assert.deepEqual(ids(), [['a', 'b', 'c']]);
});

test('no key waits for another', async () => {
  const { queue, ids } = openLedger();
  void queue(charge('a', 'one'));
  void queue(charge('b', 'other'));
  await settled();
  assert.deepEqual(ids(), [['a'], ['b']]);
});

test('with one writer the charges of all keys wait for two rounds under way, and then go by key in one turn', async () => {
  const { queue, ids, answer, fail } = openLedger({ isOneWriter: true });
  const first = queue(charge('a', 'one'));
  await settled();
  const second = queue(charge('b', 'one'));
  await settled();
  const later = [charge('c', 'other'), charge('d', 'one'), charge('e', 'other')].map((wanted) =>
    queue(wanted),
  );
  await settled();
  assert.deepEqual(ids(), [['a'], ['b']]);
  await answer(1, done(9));
  assert.deepEqual(ids().slice(2), [['c', 'e'], ['d']]);
  const last = queue(charge('f', 'third'));
  await answer(2, [done(5), done(4)]);
  // The first round is still under way, and another key's charges of the third.
  assert.equal(ids().length, 4);
  const failed = assert.rejects(later[1] as Promise<Charged>, /gone/);
  await fail(3, new Error('gone'));
  await failed;
  assert.deepEqual(ids()[4], ['f']);
  await answer(4, done(1));
  await answer(0, done(8));
  const answered = await Promise.all([first, second, later[0], later[2], last]);
  assert.deepEqual(
    answered.map((one) => one?.available),
    [8, 9, 5, 4, 1],
  );
});

test('charges that cannot be made together are asked for one by one', async () => {
  const { queue, ids, answer } = openLedger();
  const charges = ['a', 'b', 'c'].map((id) => queue(charge(id)));
  await settled();
  await answer(0, null);
  assert.deepEqual(ids(), [['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  for (const [place, one] of [done(1), done(0), { ...done(0), charged: 0 }].entries())
    await answer(place + 1, one);
  assert.deepEqual(
    (await Promise.all(charges)).map(({ charged }) => charged),
    [1, 1, 0],
  );
});

test('a failure reaches all that were asked for with it, and nobody else', async () => {
  const { queue, ids, answer, fail } = openLedger();
  const first = queue(charge('a'));
  await settled();
  const outcomes = Promise.allSettled(['b', 'c'].map((id) => queue(charge(id))));
  await answer(0, done(3));
  const later = queue(charge('d'));
  await fail(1, new Error('gone'));
  await answer(2, done(2));
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual([(await first)?.available, (await later).available], [3, 2]);
  assert.deepEqual(ids()[2], ['d']);
});

test('a charge of nothing fails alone', async () => {
  const { queue, ids } = openLedger();
  for (const [place, amount] of [0, -1, 0.5, 1, 1].entries())
    void queue(charge(String(place), 'key', amount));
  await settled();
  assert.deepEqual(ids(), [['0'], ['1'], ['2'], ['3', '4']]);
});

test('a group is bounded', async () => {
  const { queue, ids, answer } = openLedger();
  for (let place = 0; place < TOGETHER_MAX + 3; place += 1) void queue(charge(String(place)));
  await settled();
  await answer(0, []);
  assert.deepEqual(
    ids().map(({ length }) => length),
    [TOGETHER_MAX, 3],
  );
});
