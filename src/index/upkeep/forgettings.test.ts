import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createForgettings } from './forget.ts';

test('what is kept is dropped once for each forgetting, and while the index does not answer', async () => {
  let epoch: number | Error = 3;
  let drops = 0;
  const forgettings = createForgettings({
    epoch: async () => {
      if (epoch instanceof Error) throw epoch;
      return epoch;
    },
  });
  await forgettings.notice();
  forgettings.onForgotten(() => {
    drops += 1;
  });
  await forgettings.notice();
  assert.equal(drops, 0);
  epoch = 4;
  await forgettings.notice();
  await forgettings.notice();
  assert.equal(drops, 1);
  epoch = new Error('the index cannot be reached');
  await forgettings.notice();
  assert.equal(drops, 2);
});
