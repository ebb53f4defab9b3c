import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderBarChart } from './chart.ts';

const chart = (values: number[][], name = '12:00') =>
  renderBarChart({
    caption: 'Requests',
    series: [
      { name: 'answered', look: 'bar' },
      { name: 'failed', look: 'failed' },
    ],
    bars: values.map((bar) => ({ name, values: bar })),
    axis: ['12:00', 'now'],
    unit: 'requests',
  }).text;

test('the scale ends in a round number that the highest bar fits below', () => {
  const topOf = (most: number): string => /<span>([\d,]+) requests</.exec(chart([[most, 0]]))?.[1] ?? '';
  assert.deepEqual([0, 1, 3, 10, 11, 59, 601, 8_001].map(topOf), [
    '2',
    '2',
    '4',
    '10',
    '20',
    '60',
    '800',
    '10,000',
  ]);
});

test('bars are stacked to their height, and what happened once is still seen', () => {
  const text = chart([[50, 50]]);
  assert.match(text, /class="bar" x="1" y="50\.00" width="8" height="50\.00"/);
  assert.match(text, /class="failed" x="1" y="0\.00" width="8" height="50\.00"/);
  assert.match(chart([[10_000, 1]]), /class="failed"[^>]* height="1\.50"/);
});

test('the table has the same figures, the newest first, without empty spans', () => {
  const rows = [
    ...chart([
      [1, 0],
      [0, 0],
      [1_200, 3],
    ]).matchAll(/<td class="number">([\d,]+)<\/td>/g),
  ];
  assert.deepEqual(
    rows.map(([, figure]) => figure),
    ['1,200', '3', '1', '0'],
  );
  assert.match(chart([[0, 0]]), /Nothing yet/);
  assert.ok(!chart([[1, 1]], '<b>').includes('<b>'));
});
