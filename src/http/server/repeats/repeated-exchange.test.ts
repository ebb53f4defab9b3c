import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOnce } from './repeated-exchange.ts';

test('what follows from the bytes is made once, and for each caller without end of callers', () => {
  const once = createOnce();
  let made = 0;
  const ask = (name: string): object =>
    once(name, () => {
      made += 1;
      return { name };
    });
  assert.equal(ask('body'), ask('body'));
  assert.equal(made, 1);
  for (let caller = 0; caller < 10_000; caller += 1) ask(`search of ${caller}`);
  assert.deepEqual(ask('search of 9999'), { name: 'search of 9999' });
  assert.equal(made, 10_001);
  // Callers of long ago are made again.
  ask('search of 0');
  assert.equal(made, 10_002);
});
