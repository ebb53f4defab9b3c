import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCalls, parseExpiry, parseOverlap } from './key-terms.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const whyOf = (read: ReturnType<typeof parseCalls>): string => (read.ok ? 'read' : read.why);

test('an expiry is a time from now, the end of a day, an instant or never', () => {
  const read = (text: string): unknown => {
    const expiry = parseExpiry(text, NOW);
    return expiry.ok && expiry.value !== null ? new Date(expiry.value).toISOString() : expiry;
  };
  assert.equal(read('30d'), '2026-12-22T10:00:00.000Z');
  assert.equal(read('12h'), '2026-11-22T22:00:00.000Z');
  assert.equal(read('2026-11-22'), '2026-11-23T00:00:00.000Z');
  assert.equal(read('2026-12-31T18:00Z'), '2026-12-31T18:00:00.000Z');
  assert.deepEqual(read('never'), { ok: true, value: null });
});

test('an expiry in the past, too far away or of another form is refused', () => {
  for (const text of ['2026-11-21', '0d', '2020-01-01T00:00:00Z'])
    assert.match(whyOf(parseExpiry(text, NOW)), /future/);
  assert.match(whyOf(parseExpiry('99999d', NOW)), /within 36500 days/);
  for (const text of ['', '30', '30 days', '2027-02-31', '2027-13-01', '31.12.2027', '2027-01-01T00:00:00'])
    assert.match(whyOf(parseExpiry(text, NOW)), /such as 30d/);
});

test('calls are a whole number from 1, or none', () => {
  assert.deepEqual(parseCalls('60'), { ok: true, value: 60 });
  assert.deepEqual(parseCalls('none'), { ok: true, value: null });
  for (const text of ['0', '-1', '1.5', '1e3', '', 'all', '2000000000'])
    assert.match(whyOf(parseCalls(text)), /whole number from 1 to 1000000000, or none/);
});

test('an overlap is a number of hours or days up to 90 days, or 0', () => {
  const ms = ['24h', '7d', '0', '0h'].map(parseOverlap);
  assert.deepEqual(
    ms.map((read) => read.ok && read.value),
    [86_400_000, 604_800_000, 0, 0],
  );
  for (const text of ['', '24', '-1h', '1.5d', '91d', '9999d', '1w', 'never'])
    assert.equal(parseOverlap(text).ok, false, text);
});
