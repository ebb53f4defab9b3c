import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeBurnRate, computeBurnRateStart } from './balance.ts';

test('the burn rate covers seven UTC days, including today', () => {
  assert.equal(computeBurnRateStart(Date.parse('2026-11-21T00:00:00.000Z')), '2026-11-15');
  assert.equal(computeBurnRateStart(Date.parse('2026-11-21T23:59:59.999Z')), '2026-11-15');
  assert.equal(computeBurnRateStart(Date.parse('2026-03-03T12:00:00Z')), '2026-02-25');
});

test('the burn rate includes days without usage and is rounded to hundredths', () => {
  assert.equal(computeBurnRate([]), 0);
  assert.equal(computeBurnRate([7]), 1);
  assert.equal(computeBurnRate([1]), 0.14);
  assert.equal(computeBurnRate([10, 20, 30, 40, 50, 60, 70]), 40);
});
