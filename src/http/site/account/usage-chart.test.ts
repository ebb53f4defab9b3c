import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderUsageChart } from './usage-chart.ts';

const chartOf = (credits: number[]): string =>
  renderUsageChart(credits.map((used, place) => ({ day: `2026-11-0${place + 1}`, credits: used }))).text;

const heights = (credits: number[]): string[] =>
  [...chartOf(credits).matchAll(/<rect class="(\w+)"[^>]* height="(\d+)"/g)].map(
    ([, name, height]) => `${name} ${height}`,
  );

test('bars scale to the axis; little use stays visible, none is a line', () => {
  assert.deepEqual(heights([2_000, 1_000, 1, 0]), ['bar 100', 'bar 50', 'bar 3', 'none 1']);
});

test('the axis ends at a round number above the most, with its half', () => {
  for (const [most, axis] of [
    [0, ['2', '1', '0']],
    [7, ['8', '4', '0']],
    [1_500, ['2,000', '1,000', '0']],
    [4_321, ['6,000', '3,000', '0']],
    [20_001, ['40,000', '20,000', '0']],
  ] as const)
    assert.deepEqual(
      [...(/axis-y.*?<\/p>/s.exec(chartOf([most]))?.[0] ?? '').matchAll(/<span>([^<]+)/g)].map(
        ([, text]) => text,
      ),
      axis,
    );
});

test('all days without use are lines', () => {
  assert.deepEqual(heights([0, 0]), ['none 1', 'none 1']);
});

test('the caption sums up the chart; the table begins with the newest day', () => {
  const text = chartOf([1_500, 2]);
  assert.match(
    text,
    /aria-label="1,502 credits used from 2026-11-01 to 2026-11-02, at most 1,500 in one day\."/,
  );
  assert.ok(text.indexOf('<th scope="row">2026-11-02') < text.indexOf('<th scope="row">2026-11-01'));
});
