import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { type GatheredAnswer, gather, type PendingAnswer } from './recall-all.ts';

let answers: Record<string, (text: string) => void>;
const names = (arrived: GatheredAnswer<string>[]): string[] => arrived.map(({ name }) => name);

function asked(name: string, isWaitedFor = true): PendingAnswer<string> {
  return { name, isWaitedFor, answer: new Promise((resolve) => Object.assign(answers, { [name]: resolve })) };
}

function start(list: PendingAnswer<string>[], signal = new AbortController().signal) {
  const state = { done: false };
  const result = gather(list, {
    softMs: 100,
    hardMs: 200,
    isEnough: (arrived) => arrived.some(({ answer }) => answer === 'good'),
    signal,
  });
  void result.then(() => {
    state.done = true;
  });
  return { result, state };
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('gather', () => {
  beforeEach(() => {
    answers = {};
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => mock.timers.reset());

  test('ends at once when all have answered', async () => {
    const { result } = start([asked('a'), asked('b')]);
    answers.b?.('bad');
    answers.a?.('bad');
    assert.deepEqual(names(await result), ['b', 'a']);
  });
  test('after the soft deadline, enough answers end the waiting', async () => {
    const { result, state } = start([asked('a'), asked('b')]);
    answers.a?.('good');
    await settle();
    assert.equal(state.done, false);
    mock.timers.tick(100);
    assert.deepEqual(names(await result), ['a']);
  });
  test('too few answers wait for the next one or the hard deadline', async () => {
    const { result, state } = start([asked('a'), asked('b'), asked('c')]);
    answers.a?.('bad');
    await settle();
    mock.timers.tick(150);
    await settle();
    assert.equal(state.done, false);
    answers.b?.('good');
    assert.deepEqual(names(await result), ['a', 'b']);
  });
  test('nothing is waited for beyond the hard deadline', async () => {
    const { result } = start([asked('a')]);
    mock.timers.tick(200);
    assert.deepEqual(await result, []);
  });
  test('an optional source does not delay the others, but counts if it answers', async () => {
    const first = start([asked('a'), asked('probe', false)]);
    answers.a?.('good');
    assert.deepEqual(names(await first.result), ['a']);
    const second = start([asked('a'), asked('probe', false)]);
    answers.probe?.('bad');
    await settle();
    answers.a?.('good');
    assert.deepEqual(names(await second.result), ['probe', 'a']);
  });
  test('an optional source is waited for if the others do not suffice', async () => {
    const { result, state } = start([asked('a'), asked('probe', false)]);
    answers.a?.('bad');
    await settle();
    assert.equal(state.done, false);
    answers.probe?.('good');
    assert.equal((await result).length, 2);
  });
  test('a caller that hangs up ends the waiting; without requests there is nothing to wait for', async () => {
    const caller = new AbortController();
    const { result } = start([asked('a')], caller.signal);
    caller.abort();
    assert.deepEqual(await result, []);
    assert.deepEqual(await start([]).result, []);
  });
});
