import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateRevisitMs } from './revisit.ts';

const DAY_MS = 86_400_000;
const days = (observed: { visits: number; changes: number; days: number }): number =>
  estimateRevisitMs({ ...observed, watchedMs: observed.days * DAY_MS }) / DAY_MS;

test('an unknown page is due after a week', () => {
  assert.equal(days({ visits: 0, changes: 0, days: 0 }), 7);
});

test('a page that never changes is visited less and less often, at least every 90 days', () => {
  assert.equal(days({ visits: 1, changes: 0, days: 7 }), 14);
  assert.equal(days({ visits: 10, changes: 0, days: 900 }), 90);
});

test('a page that changed at every visit is visited more often, at most four times a day', () => {
  assert.ok(days({ visits: 4, changes: 4, days: 28 }) < 3.5);
  assert.equal(days({ visits: 50, changes: 50, days: 25 }), 0.25);
});

test('a page that changed at half of its visits is visited a little less often than it changes', () => {
  const interval = days({ visits: 10, changes: 5, days: 100 });
  assert.ok(interval > 10 && interval < 20, String(interval));
});

test('more changes never make the interval longer', () => {
  for (let visits = 1; visits <= 20; visits++)
    for (let changes = 1; changes <= visits; changes++)
      assert.ok(
        days({ visits, changes, days: visits * 7 }) <=
          days({ visits, changes: changes - 1, days: visits * 7 }),
      );
});
