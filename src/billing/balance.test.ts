import assert from 'node:assert/strict';
import { test } from 'node:test';
import { burnRateFrom, burnRatePerDay } from './balance.ts';

test('the burn rate covers seven UTC days, including today', () => {
  assert.equal(burnRateFrom(Date.parse('2026-11-21T00:00:00.000Z')), '2026-11-15');
  assert.equal(burnRateFrom(Date.parse('2026-11-21T23:59:59.999Z')), '2026-11-15');
  assert.equal(burnRateFrom(Date.parse('2026-03-03T12:00:00Z')), '2026-02-25');
});

test('the burn rate includes days without usage and is rounded to hundredths', () => {
  assert.equal(burnRatePerDay([]), 0);
  assert.equal(burnRatePerDay([7]), 1);
  assert.equal(burnRatePerDay([1]), 0.14);
  assert.equal(burnRatePerDay([10, 20, 30, 40, 50, 60, 70]), 40);
});
