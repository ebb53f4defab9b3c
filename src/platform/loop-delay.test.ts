import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE_MS, watchLoopDelay } from './metrics.ts';

test('tracks a busy loop, discounts a single pause, and notices a pause before it ends', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  const delay = watchLoopDelay(() => now);
  const sample = (lateMs: number): void => {
    now += SAMPLE_MS + lateMs;
    t.mock.timers.tick(SAMPLE_MS);
  };
  sample(0);
  assert.equal(delay.ms(), 0);
  now += SAMPLE_MS + 1_000;
  assert.equal(delay.ms(), 250);
  now -= SAMPLE_MS + 1_000;
  sample(1_000);
  assert.equal(delay.ms(), 250);
  for (let samples = 0; samples < 10; samples += 1) sample(0);
  assert.ok(delay.ms() < 20);
  for (let samples = 0; samples < 10; samples += 1) sample(1_000);
  assert.ok(delay.ms() > 900);
  delay.end();
});
