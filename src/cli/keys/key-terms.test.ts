import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCalls, readExpiry } from './key-terms.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const expiry = (text: string): string => new Date(readExpiry(text, NOW)).toISOString();

test('an expiry is a time from now, the end of a day or an instant', () => {
  assert.equal(expiry('30d'), '2026-12-22T10:00:00.000Z');
  assert.equal(expiry('12h'), '2026-11-22T22:00:00.000Z');
  assert.equal(expiry('2026-11-22'), '2026-11-23T00:00:00.000Z');
  assert.equal(expiry('2026-12-31T18:00Z'), '2026-12-31T18:00:00.000Z');
  assert.equal(readExpiry('never', NOW), Number.POSITIVE_INFINITY);
});

test('an expiry in the past, too far away or of another form is refused', () => {
  for (const text of ['2026-11-21', '0d', '2020-01-01T00:00:00Z'])
    assert.throws(() => expiry(text), /future/);
  assert.throws(() => expiry('99999d'), /within 36500 days/);
  for (const text of ['', '30', '30 days', '2027-02-31', '2027-13-01', '31.12.2027', '2027-01-01T00:00:00'])
    assert.throws(() => expiry(text), /such as 30d/);
});

test('calls are a whole number from 1, or none', () => {
  assert.deepEqual([readCalls('60'), readCalls('none')], [60, Number.POSITIVE_INFINITY]);
  for (const text of ['0', '-1', '1.5', '1e3', '', 'all', '2000000000'])
    assert.throws(() => readCalls(text), /whole number from 1 to 1000000000, or none/);
});
