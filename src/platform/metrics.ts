import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { createLabelledHistogram, type LabelledHistogram } from './labelled-histogram.ts';

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
  overWorkers: WorkerAggregation;
  /** `metricName` is set if it differs from `name`, as for the buckets of a histogram. */
  values: { metricName?: string; labels: Record<string, string | number>; value: number }[];
};

/** Metrics in the text format of Prometheus. */
export type Metrics = {
  counter(name: string, help: string, labels?: readonly string[]): Counter<string>;
  histogram(
    name: string,
    help: string,
    how: { labels?: readonly string[]; buckets: number[] },
  ): Pick<LabelledHistogram, 'of'>;
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
      const read = (await registry.getMetricsAsJSON()) as unknown as Omit<MetricReading, 'overWorkers'>[];
      return read.map(({ name, help, type, values }) => ({
        name,
        help,
        type,
        // Counters are summed; gauges of a process, such as its memory, are kept separate.
        overWorkers: type === 'gauge' ? (gaugesOver.get(name) ?? 'each') : 'sum',
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

/** Formats readings in the text format of Prometheus. */
export function formatReadings(readings: readonly MetricReading[]): Promise<MetricsText> {
  const registry = new Registry();
  for (const reading of readings)
    registry.registerMetric({ ...reading, get: async () => reading } as unknown as Metric);
  return formatRegistry(registry);
}

const formatRegistry = async (registry: Registry): Promise<MetricsText> => ({
  contentType: registry.contentType,
  body: await registry.metrics(),
});
