import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { createLabelledHistogram, type LabelledHistogram } from './labelled-histogram.ts';

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
    how: { labels?: readonly string[]; read(gauge: Gauge<string>): void | Promise<void> },
  ): void;
  /** All metrics as text, and its content type. */
  text(): Promise<{ contentType: string; body: string }>;
  close(): void;
};

const PREFIX = 'sanderling_';

/** Also collects metrics of the process: memory, processor time, event loop lag, garbage collection. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    counter: (name, help, labelNames = []) =>
      new Counter({ name: PREFIX + name, help, labelNames: [...labelNames], registers }),
    histogram(name, help, { labels = [], buckets }) {
      const histogram = createLabelledHistogram(PREFIX + name, { labels, buckets });
      const metric = { name: PREFIX + name, help, type: 'histogram', aggregator: 'sum' };
      // The registry asks a metric only for its name and its values.
      registry.registerMetric({
        ...metric,
        get: async () => ({ ...metric, values: histogram.values() }),
      } as unknown as Metric);
      return histogram;
    },
    gauge(name, help, { labels = [], read }) {
      const gauge: Gauge<string> = new Gauge({
        name: PREFIX + name,
        help,
        labelNames: [...labels],
        registers,
        collect: () => read(gauge),
      });
    },
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
    close: () => registry.clear(),
  };
}
