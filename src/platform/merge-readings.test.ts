import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type MetricReading, mergeReadings, type WorkerAggregation } from './metrics.ts';

const gauge = (aggregator: WorkerAggregation, value: number, labels = {}): MetricReading => ({
  name: 'a_gauge',
  help: 'A gauge',
  type: 'gauge',
  aggregator,
  values: [{ labels, value }],
});

const merged = async (one: MetricReading, other: MetricReading) => {
  const [reading] = await mergeReadings([
    { worker: '1', readings: [one] },
    { worker: '2', readings: [other] },
  ]);
  return reading?.values;
};

describe('readings of several processes become one', async () => {
  for (const [rule, expected] of [
    ['sum', 7],
    ['max', 5],
    ['min', 2],
    ['first', 5],
  ] as const)
    test(`a gauge by its rule: ${rule}`, async () => {
      assert.deepEqual(await merged(gauge(rule, 5), gauge(rule, 2)), [{ labels: {}, value: expected }]);
    });

  test('what says something of one process alone is kept apart', async () => {
    assert.deepEqual(await merged(gauge('each', 5), gauge('each', 2)), [
      { labels: { worker: '1' }, value: 5 },
      { labels: { worker: '2' }, value: 2 },
    ]);
  });

  test('by its labels', async () => {
    assert.deepEqual(await merged(gauge('sum', 5, { kind: 'a' }), gauge('sum', 2, { kind: 'b' })), [
      { labels: { kind: 'a' }, value: 5 },
      { labels: { kind: 'b' }, value: 2 },
    ]);
  });

  test('what one does not know is the other’s', async () => {
    assert.deepEqual(await merged(gauge('first', Number.NaN), gauge('first', 2)), [{ labels: {}, value: 2 }]);
    // As the channel between processes carries what is no number.
    const unknown = JSON.parse(JSON.stringify(gauge('min', Number.NaN)));
    assert.deepEqual(await merged(unknown, gauge('min', 2)), [{ labels: {}, value: 2 }]);
  });

  test('buckets of a histogram are not added to its count', async () => {
    const histogram = (low: number, all: number): MetricReading => ({
      name: 'a_time',
      help: 'A time',
      type: 'histogram',
      aggregator: 'sum',
      values: [
        { metricName: 'a_time_bucket', labels: { le: 0.1 }, value: low },
        { metricName: 'a_time_bucket', labels: { le: '+Inf' }, value: all },
        { metricName: 'a_time_count', labels: {}, value: all },
      ],
    });
    assert.deepEqual(await merged(histogram(1, 3), histogram(10, 20)), histogram(11, 23).values);
  });

  test('what was read is left as it is', async () => {
    const one = gauge('sum', 5);
    await merged(one, gauge('sum', 2));
    assert.deepEqual(one, gauge('sum', 5));
  });
});
