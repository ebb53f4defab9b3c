import { performance } from 'node:perf_hooks';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type Metric,
  Registry,
} from 'prom-client';

export const SAMPLE_MS = 100;
/** Weight of the newest sample: small enough to discount a single pause, large enough to notice a busy loop. */
const NEWEST_WEIGHT = 0.25;

/** Maximum series; further combinations of labels are not counted. */
const SERIES_MAX = 10_000;

/**
 * Aggregation of the values of several worker processes. `sum`: each counts its own work; `first`: a shared store, the same in all;
 * `each`: kept separate by a label.
 */
export type WorkerAggregation = 'sum' | 'max' | 'min' | 'first' | 'each';

/** One metric with its current samples, as plain data. */
export type MetricReading = {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  aggregator: WorkerAggregation;
  /** `metricName` is set if it differs from `name`, as for the buckets of a histogram. */
  values: { metricName?: string; labels: Record<string, string | number>; value: number }[];
};

/** The readings of one process; `worker` labels the values that are kept separate for each process. */
export type WorkerReadings = { worker: string; readings: readonly MetricReading[] };

/** Metrics in the text format of Prometheus. */
export type Metrics = {
  counter(name: string, help: string, labels?: readonly string[]): Counter<string>;
  histogram(
    name: string,
    help: string,
    how: { labels?: readonly string[]; buckets: number[] },
  ): Pick<LabelledHistogram, 'observe'>;
  /** A value that is read on scrape. */
  gauge(
    name: string,
    help: string,
    how: {
      labels?: readonly string[];
      overWorkers: WorkerAggregation;
      read(gauge: Gauge<string>): void | Promise<void>;
    },
  ): void;
  /** Returns all metrics as text, with its content type. */
  text(): Promise<MetricsText>;
  /** Returns all metrics as data. */
  readings(): Promise<MetricReading[]>;
  close(): void;
};

export type MetricsText = { contentType: string; body: string };

const PREFIX = 'sanderling_';

/** Also collects metrics of the process: memory, processor time, event loop lag, garbage collection. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const gaugesOver = new Map<string, WorkerAggregation>();
  return {
    counter: (name, help, labelNames = []) =>
      new Counter({ name: PREFIX + name, help, labelNames: [...labelNames], registers }),
    histogram(name, help, { labels = [], buckets }) {
      const histogram = createLabelledHistogram(PREFIX + name, { labels, buckets });
      const metric = { name: PREFIX + name, help, type: 'histogram', aggregator: 'sum' };
      // The registry uses only the name and the values of a metric.
      registry.registerMetric({
        ...metric,
        get: async () => ({ ...metric, values: histogram.values() }),
      } as unknown as Metric);
      return histogram;
    },
    gauge(name, help, { labels = [], overWorkers, read }) {
      gaugesOver.set(PREFIX + name, overWorkers);
      const gauge: Gauge<string> = new Gauge({
        name: PREFIX + name,
        help,
        labelNames: [...labels],
        registers,
        collect: () => read(gauge),
      });
    },
    text: () => formatRegistry(registry),
    async readings() {
      const read = (await registry.getMetricsAsJSON()) as unknown as Omit<MetricReading, 'aggregator'>[];
      return read.map(({ name, help, type, values }) => ({
        name,
        help,
        type,
        // Counters are summed; gauges of a process, such as its memory, are kept separate.
        aggregator: type === 'gauge' ? (gaugesOver.get(name) ?? 'each') : 'sum',
        values: values.map(({ metricName, labels, value }) => ({
          ...(metricName === undefined ? {} : { metricName }),
          labels,
          value,
        })),
      }));
    },
    close: () => registry.clear(),
  };
}

/** Merges the readings of several processes into those of one server. Values that are not finite numbers are left out. */
export async function mergeReadings(all: readonly WorkerReadings[]): Promise<MetricReading[]> {
  const labelled = all.map(({ worker, readings }) =>
    readings.map((reading) => labelReading(reading, worker)),
  );
  const merged: unknown = await AggregatorRegistry.aggregate(labelled).getMetricsAsJSON();
  // The registry returns what it was given, with other values.
  return merged as MetricReading[];
}

function labelReading({ values, aggregator, ...metric }: MetricReading, worker: string): MetricReading {
  const isPerWorker = aggregator === 'each';
  return {
    ...metric,
    // Only two processes with the same label meet here, one of which succeeds the other.
    aggregator: isPerWorker ? 'first' : aggregator,
    values: values
      .filter(({ value }) => Number.isFinite(value))
      .map(({ labels, ...sample }) => ({ ...sample, labels: isPerWorker ? { ...labels, worker } : labels })),
  };
}

/** Formats readings in the text format of Prometheus. */
export function formatReadings(readings: readonly MetricReading[]): Promise<MetricsText> {
  return formatRegistry(AggregatorRegistry.aggregate([[...readings]]));
}

const formatRegistry = async (registry: Registry): Promise<MetricsText> => ({
  contentType: registry.contentType,
  body: await registry.metrics(),
});

/** A histogram by the values of its labels. Written for speed: a request costs a lookup and an addition, not a hash of its labels. */
type LabelledHistogram = {
  /** Counts a value in the series of these label values, given in the order of the labels. */
  observe(value: number, ...labels: string[]): void;
  /** Returns all series as in the text format of Prometheus: cumulative buckets, sum and count. */
  values(): SeriesValue[];
};

type SeriesValue = { metricName: string; labels: Record<string, string | number>; value: number };

/** Counts of observed values in buckets, for one combination of labels. */
type Series = { labels: Record<string, string>; counts: Float64Array; sum: number };

function createLabelledHistogram(
  name: string,
  { labels, buckets }: { labels: readonly string[]; buckets: readonly number[] },
): LabelledHistogram {
  const known = new Map<string, Series>();
  const create = (values: string[]): Series => {
    const named = labels.map((label, place): [string, string] => [label, values[place] ?? '']);
    return { labels: Object.fromEntries(named), counts: new Float64Array(buckets.length + 1), sum: 0 };
  };
  return {
    observe(value, ...values) {
      const key = values.join('\n');
      const series = known.get(key) ?? (known.size < SERIES_MAX ? create(values) : null);
      if (series === null) return;
      known.set(key, series);
      let place = 0;
      while (place < buckets.length && value > (buckets[place] ?? 0)) place += 1;
      series.counts[place] = (series.counts[place] ?? 0) + 1;
      series.sum += value;
    },
    values: () => [...known.values()].flatMap((series) => buildSeriesValues(name, buckets, series)),
  };
}

function buildSeriesValues(
  name: string,
  buckets: readonly number[],
  { labels, counts, sum }: Series,
): SeriesValue[] {
  let count = 0;
  const cumulative = [...buckets, '+Inf'].map((le, place): SeriesValue => {
    count += counts[place] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...cumulative,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** The delay of the event loop, averaged over recent samples. */
export type LoopDelay = { ms(): number; end(): void };

/** Measures how late a timer fires. `now` is in milliseconds. */
export function watchLoopDelay(now: () => number = () => performance.now()): LoopDelay {
  let average = 0;
  let last = now();
  const computeAverage = (): number =>
    average + NEWEST_WEIGHT * (Math.max(0, now() - last - SAMPLE_MS) - average);
  const timer = setInterval(() => {
    average = computeAverage();
    last = now();
  }, SAMPLE_MS);
  timer.unref();
  return {
    // Includes a pause that has not ended yet.
    ms: () => Math.max(average, computeAverage()),
    end: () => clearInterval(timer),
  };
}
