import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usageChart } from './usage-chart.ts';

const heights = (credits: number[]): string[] => {
  const days = credits.map((used, place) => ({ day: `2026-11-0${place + 1}`, credits: used }));
  return [...usageChart(days).text.matchAll(/<rect class="(\w+)"[^>]* height="(\d+)"/g)].map(
    ([, name, height]) => `${name} ${height}`,
  );
};

test('bars scale to the maximum; little use stays visible, none is a line', () => {
  assert.deepEqual(heights([1_000, 500, 1, 0]), ['bar 100', 'bar 50', 'bar 3', 'none 1']);
});

test('all days without use are lines', () => {
  assert.deepEqual(heights([0, 0]), ['none 1', 'none 1']);
});

test('the caption sums up the chart; the table begins with the newest day', () => {
  const { text } = usageChart([
    { day: '2026-11-01', credits: 1_500 },
    { day: '2026-11-02', credits: 2 },
  ]);
  assert.match(
    text,
    /aria-label="1,502 credits used from 2026-11-01 to 2026-11-02, at most 1,500 in one day\."/,
  );
  assert.ok(text.indexOf('<th scope="row">2026-11-02') < text.indexOf('<th scope="row">2026-11-01'));
});
