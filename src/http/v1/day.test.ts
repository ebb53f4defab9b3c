import assert from 'node:assert/strict';
import { test } from 'node:test';
import { day } from './day.ts';

const cases: [text: unknown, utcDay: string | null][] = [
  ['2025-01-31', '2025-01-31'],
  ['2024-02-29', '2024-02-29'],
  ['2025-01-31T00:00:00Z', '2025-01-31'],
  ['2025-01-31T00:00:00.000Z', '2025-01-31'],
  ['2025-01-31T23:30:00-05:00', '2025-02-01'],
  ['2025-01-31T00:30:00+0200', '2025-01-30'],
  ['2025-01-31T12:00', '2025-01-31'],
  ['2025-01-31 12:00:00.123456', '2025-01-31'],
  [' 2025-01-31 ', '2025-01-31'],
  ['2025-02-30', null],
  ['2025-02-30T00:00:00Z', null],
  ['2025-13-01', null],
  ['2025-1-1', null],
  ['2025', null],
  ['2025-01-31T25:00:00Z', null],
  ['yesterday', null],
  ['', null],
  [20250131, null],
];
for (const [text, utcDay] of cases)
  test(`${JSON.stringify(text)} is the day ${utcDay}`, () => {
    const parsed = day.safeParse(text);
    assert.equal(parsed.success ? parsed.data : null, utcDay);
  });
