import type { Metrics, WorkerAggregation } from '../platform/metrics.ts';
import type { SourceReading } from './upstream/upstream-types.ts';

const BREAKER_STATES = ['closed', 'half_open', 'open'] as const;

/** Adds gauges for the sources that are on, read on each scrape. Unknown values are absent. */
export function watchSources(metrics: Metrics, readings: () => readonly SourceReading[]): void {
  const registerFigure = (
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
        for (const reading of filterRunning(readings())) {
          const value = of(reading);
          if (value !== null) gauge.set({ source: reading.name }, value);
        }
      },
    });
  registerFigure('source_calls', 'Calls of a source since the start', 'sum', ({ calls }) => calls);
  registerFigure(
    'source_success_share',
    'Share of the last calls that succeeded',
    'min',
    ({ successShare }) => successShare,
  );
  registerFigure('source_p50_seconds', 'Median of the last calls', 'max', ({ p50Ms }) => toSeconds(p50Ms));
  registerFigure('source_p95_seconds', 'Slowest twentieth of the last calls', 'max', ({ p95Ms }) =>
    toSeconds(p95Ms),
  );
  registerFigure(
    'source_quota_left',
    'Calls left, where the source tells',
    'min',
    ({ quotaLeft }) => quotaLeft,
  );
  metrics.gauge('source_breaker', 'State of the breaker of a source: 1 for the one it is in', {
    labels: ['source', 'state'],
    overWorkers: 'max',
    read(gauge) {
      gauge.reset();
      for (const { name, breaker } of filterRunning(readings()))
        for (const state of BREAKER_STATES) gauge.set({ source: name, state }, state === breaker ? 1 : 0);
    },
  });
}

const filterRunning = (readings: readonly SourceReading[]): SourceReading[] =>
  readings.filter(({ state }) => state === 'on');

const toSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);
