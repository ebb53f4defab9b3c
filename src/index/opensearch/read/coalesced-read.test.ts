import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCoalescedRead } from './coalesced-read.ts';

/** Readings that a test answers one after the other, and a clock that it moves. */
function readings() {
  const begun: PromiseWithResolvers<string>[] = [];
  const late: (() => void)[] = [];
  const read = createCoalescedRead<string, number>({
    read() {
      const reading = Promise.withResolvers<string>();
      begun.push(reading);
      return reading.promise;
    },
    isFresh: ({ asked }, now) => asked === now,
    wait: () => new Promise<void>((resolve) => late.push(resolve)),
  });
  return { read, begun, passes: () => late.splice(0).map((resolve) => resolve()) };
}

test('calls of the same time share a reading, and later ones while it is fresh', async () => {
  const { read, begun } = readings();
  const both = [read(1), read(1)];
  begun[0]?.resolve('first');
  assert.deepEqual(await Promise.all(both), ['first', 'first']);
  assert.equal(await read(1), 'first');
  assert.equal(begun.length, 1);
  const next = read(2);
  begun[1]?.resolve('second');
  assert.equal(await next, 'second');
});

test('while a new reading is late, the one before does; what arrives later counts from then on', async () => {
  const { read, begun, passes } = readings();
  const first = read(1);
  begun[0]?.resolve('first');
  await first;
  const second = read(2);
  passes();
  assert.equal(await second, 'first');
  begun[1]?.resolve('second');
  assert.equal(await read(2), 'second');
  assert.equal(begun.length, 2, 'nothing was read twice');
});

test('a reading that fails leaves the one before, and the next call reads again', async () => {
  const { read, begun } = readings();
  const first = read(1);
  begun[0]?.reject(new Error('away'));
  await assert.rejects(first, /away/);
  const again = read(1);
  begun[1]?.resolve('there');
  assert.equal(await again, 'there');
  const third = read(2);
  begun[2]?.reject(new Error('away'));
  assert.equal(await third, 'there');
  const fourth = read(2);
  begun[3]?.resolve('back');
  assert.equal(await fourth, 'back');
});
