import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../contract/errors.ts';
import { createSingleFlight } from './single-flight.ts';

/** Work that lasts until it is told how to end. */
function scripted() {
  const works: { signal: AbortSignal; end: PromiseWithResolvers<string> }[] = [];
  const start = (signal: AbortSignal): Promise<string> => {
    const end = Promise.withResolvers<string>();
    works.push({ signal, end });
    return end.promise;
  };
  return { works, start };
}

const isAborted = (error: unknown): boolean => error instanceof Failure && error.fetch?.reason === 'aborted';

test('continues while anyone waits, and is aborted when the last waiter leaves', async () => {
  const flights = createSingleFlight<string>(() => true);
  const { works, start } = scripted();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = assert.rejects(flights.join('k', one.signal, start), isAborted);
  const second = assert.rejects(flights.join('k', two.signal, start), isAborted);
  one.abort();
  await first;
  assert.deepEqual([works.length, works[0]?.signal.aborted], [1, false]);
  two.abort();
  await second;
  assert.equal(works[0]?.signal.aborted, true);
});

test('a caller after the last waiter has left starts anew', async () => {
  const flights = createSingleFlight<string>(() => true);
  const { works, start } = scripted();
  const leaver = new AbortController();
  const left = assert.rejects(flights.join('k', leaver.signal, start), isAborted);
  leaver.abort();
  await left;
  const joined = flights.join('k', new AbortController().signal, start);
  works[0]?.end.reject(new Error('aborted'));
  works[1]?.end.resolve('fresh');
  assert.equal(await joined, 'fresh');
});

test('a failure goes to all waiters and is not kept', async () => {
  const flights = createSingleFlight<string>(() => true);
  const { works, start } = scripted();
  const { signal } = new AbortController();
  const both = [flights.join('k', signal, start), flights.join('k', signal, start)];
  works[0]?.end.reject(new Error('down'));
  for (const joined of both) await assert.rejects(joined, /down/);
  const next = flights.join('k', signal, start);
  works[1]?.end.resolve('up');
  assert.equal(await next, 'up');
});

test('a caller that has already left starts nothing', async () => {
  const { works, start } = scripted();
  await assert.rejects(
    createSingleFlight<string>(() => true).join('k', AbortSignal.abort(), start),
    isAborted,
  );
  assert.equal(works.length, 0);
});

test('a waiter repeats work whose result may not be shared; the first caller keeps its result', async () => {
  const flights = createSingleFlight<string>((result) => result !== 'private');
  const { works, start } = scripted();
  const { signal } = new AbortController();
  const first = flights.join('k', signal, start);
  const second = flights.join('k', signal, start);
  works[0]?.end.resolve('private');
  assert.equal(await first, 'private');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(works.length, 2);
  works[1]?.end.resolve('of the second');
  assert.equal(await second, 'of the second');
});

test('work done alone cannot be joined', async () => {
  const flights = createSingleFlight<string>(() => true);
  const { works, start } = scripted();
  const { signal } = new AbortController();
  const both = [flights.alone(signal, start), flights.alone(signal, start)];
  assert.equal(works.length, 2);
  works.forEach(({ end }, place) => void end.resolve(String(place)));
  assert.deepEqual(await Promise.all(both), ['0', '1']);
});
