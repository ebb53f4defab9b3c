import type { MetricReading, WorkerAggregation } from '../../platform/metrics.ts';

/** The readings of one process; `worker` labels the values that are kept separate for each process. */
export type WorkerReadings = { worker: string; readings: readonly MetricReading[] };

type Sample = MetricReading['values'][number];

const RULES: Record<WorkerAggregation, (one: number, other: number) => number> = {
  sum: (one, other) => one + other,
  max: Math.max,
  min: Math.min,
  first: (one) => one,
  // Only two processes with the same label meet here, one of which succeeds the other.
  each: (one) => one,
};

/** Pure: merges the readings of several processes into those of one server. Values that are not finite numbers are left out. */
export function mergeReadings(all: readonly WorkerReadings[]): MetricReading[] {
  const merged = new Map<string, { reading: MetricReading; samples: Map<string, Sample> }>();
  for (const { worker, readings } of all)
    for (const { values, ...metric } of readings) {
      const { reading, samples } = merged.get(metric.name) ?? {
        reading: { ...metric, values: [] },
        samples: new Map<string, Sample>(),
      };
      merged.set(metric.name, { reading, samples });
      for (const { metricName, labels, value } of values) {
        if (!Number.isFinite(value)) continue;
        const named = metric.overWorkers === 'each' ? { ...labels, worker } : labels;
        const key = JSON.stringify([metricName, named]);
        const known = samples.get(key);
        if (known !== undefined) known.value = RULES[metric.overWorkers](known.value, value);
        else samples.set(key, { ...(metricName === undefined ? {} : { metricName }), labels: named, value });
      }
    }
  return [...merged.values()].map(({ reading, samples }) => ({ ...reading, values: [...samples.values()] }));
}

/** Pure: keeps the readings that only grow, which still count when their process does not answer or is gone. */
export const filterCounters = (readings: readonly MetricReading[]): MetricReading[] =>
  readings.filter(({ type }) => type !== 'gauge');
