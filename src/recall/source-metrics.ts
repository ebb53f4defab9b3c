import type { Metrics, WorkerAggregation } from '../platform/metrics.ts';
import type { SourceReading } from './upstream/upstream-types.ts';

const BREAKER_STATES = ['closed', 'half_open', 'open'] as const;

/** Adds gauges for the sources that are on, read on each scrape. Unknown figures are absent. */
export function watchSources(metrics: Metrics, readings: () => readonly SourceReading[]): void {
  const figure = (
    name: string,
    help: string,
    overWorkers: WorkerAggregation,
    of: (reading: SourceReading) => number | null,
  ): void =>
    metrics.gauge(name, help, {
      labels: ['source'],
      overWorkers,
      read(gauge) {
        gauge.reset();
        for (const reading of running(readings())) {
          const value = of(reading);
          if (value !== null) gauge.set({ source: reading.name }, value);
        }
      },
    });
  figure('source_calls', 'Calls of a source since the start', 'sum', ({ calls }) => calls);
  figure(
    'source_success_share',
    'Share of the last calls that succeeded',
    'min',
    ({ successShare }) => successShare,
  );
  figure('source_p50_seconds', 'Median of the last calls', 'max', ({ p50Ms }) => inSeconds(p50Ms));
  figure('source_p95_seconds', 'Slowest twentieth of the last calls', 'max', ({ p95Ms }) => inSeconds(p95Ms));
  figure('source_quota_left', 'Calls left, where the source tells', 'min', ({ quotaLeft }) => quotaLeft);
  metrics.gauge('source_breaker', 'State of the breaker of a source: 1 for the one it is in', {
    labels: ['source', 'state'],
    overWorkers: 'max',
    read(gauge) {
      gauge.reset();
      for (const { name, breaker } of running(readings()))
        for (const state of BREAKER_STATES) gauge.set({ source: name, state }, state === breaker ? 1 : 0);
    },
  });
}

const running = (readings: readonly SourceReading[]): SourceReading[] =>
  readings.filter(({ state }) => state === 'on');

const inSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);
