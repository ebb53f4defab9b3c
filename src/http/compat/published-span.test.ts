import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { computePublishedSpan, dateFields } from './fields.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const schema = z.object(dateFields);

const cases: [body: object, from: string | null, to: string | null][] = [
  [{}, null, null],
  [{ timeRange: 'day' }, '2026-11-20', null],
  [{ timeRange: 'D' }, '2026-11-20', null],
  [{ timeRange: 'week' }, '2026-11-14', null],
  [{ timeRange: 'm' }, '2026-10-21', null],
  [{ timeRange: 'year' }, '2025-11-20', null],
  [{ timeRange: '' }, null, null],
  [{ days: 7 }, null, null],
  [{ days: 7, topic: 'general' }, null, null],
  [{ days: 7, topic: 'news' }, '2026-11-14', null],
  [{ days: '3', topic: 'news' }, '2026-11-18', null],
  [{ startDate: '2025-01-01', endDate: '2025-12-31' }, '2025-01-01', '2025-12-31'],
  [{ startDate: '', endDate: '' }, null, null],
  [{ startDate: '2025-01-01', timeRange: 'week', days: 30, topic: 'news' }, '2026-11-14', null],
  [{ startDate: '2026-11-19', timeRange: 'week' }, '2026-11-19', null],
];
for (const [body, publishedFrom, publishedTo] of cases)
  test(JSON.stringify(body), () => {
    assert.deepEqual(computePublishedSpan(schema.parse(body), NOW), { publishedFrom, publishedTo });
  });

test('an unknown word or an invalid date is refused', () => {
  for (const body of [
    { timeRange: 'fortnight' },
    { timeRange: 7 },
    { days: 'few', topic: 'news' },
    { startDate: '2025-02-30' },
    { endDate: 'soon' },
  ])
    assert.equal(schema.safeParse(body).success, false, JSON.stringify(body));
});
