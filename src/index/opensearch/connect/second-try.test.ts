import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequestHedger } from './cluster.ts';

const { signal } = new AbortController();
const never = new Promise<string>(() => {});

/** Attempts that answer in the order in which they are given. */
function attempts(...answers: (() => Promise<string>)[]) {
  const asked = { count: 0 };
  const attempt = (): Promise<string> => {
    const answer = answers[asked.count] ?? (() => Promise.reject(new Error('asked too often')));
    asked.count += 1;
    return answer();
  };
  return { asked, attempt };
}

test('what does not answer is asked a second time, and the first answer counts', async () => {
  const { asked, attempt } = attempts(
    () => never,
    async () => 'second',
  );
  assert.equal(await createRequestHedger().race(attempt, signal), 'second');
  assert.equal(asked.count, 2);
});

test('what answers in time, or fails, is not asked again', async () => {
  const tries = createRequestHedger();
  const quick = attempts(async () => 'first');
  assert.equal(await tries.race(quick.attempt, signal), 'first');
  const failing = attempts(() => Promise.reject(new Error('refused')));
  await assert.rejects(tries.race(failing.attempt, signal), /refused/);
  assert.deepEqual([quick.asked.count, failing.asked.count], [1, 1]);
});

test('second tries end when their share is used up', async () => {
  const isLate = Promise.withResolvers<void>();
  const tries = createRequestHedger({ now: () => 0, wait: () => isLate.promise });
  const asked: number[] = [];
  const first = Promise.withResolvers<string>();
  const races = Array.from({ length: 40 }, (_, request) => {
    asked[request] = 0;
    return tries.race(() => {
      asked[request] = (asked[request] ?? 0) + 1;
      return asked[request] === 1 ? first.promise : Promise.resolve('second');
    }, signal);
  });
  isLate.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(asked.filter((count) => count === 2).length, 20);
  first.resolve('first');
  const answers = await Promise.all(races);
  assert.deepEqual(
    [
      answers.filter((answer) => answer === 'second').length,
      answers.filter((answer) => answer === 'first').length,
    ],
    [20, 20],
  );
});

test('a call that is given up asks nobody a second time', async () => {
  const caller = new AbortController();
  const late = Promise.withResolvers<string>();
  const { asked, attempt } = attempts(() => late.promise);
  const answer = createRequestHedger().race(attempt, caller.signal);
  caller.abort();
  late.reject(new Error('taken back'));
  await assert.rejects(answer, /taken back/);
  assert.equal(asked.count, 1);
});
