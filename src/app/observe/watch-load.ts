import type { LocalIndex } from '../../index/local-index-types.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { QueueLoad } from '../../platform/sharing/fair-queue.ts';

type Load = {
  calls(): QueueLoad;
  threads(): QueueLoad;
  index: Pick<LocalIndex, 'size'>;
  isDraining(): boolean;
};

/** Adds gauges of what a server is doing now, read on each scrape. */
export function watchLoad(metrics: Metrics, { calls, threads, index, isDraining }: Load): void {
  const figure = (name: string, help: string, of: () => number): void =>
    metrics.gauge(name, help, { read: (gauge) => gauge.set(of()) });
  figure('calls_running', 'Calls at work', () => calls().taken);
  figure('calls_waiting', 'Calls that wait for their turn', () => calls().waiting);
  figure('threads_busy', 'Threads of the pool at work', () => threads().taken);
  figure('tasks_waiting', 'Tasks that wait for a thread of the pool', () => threads().waiting);
  figure('draining', 'Whether the server finishes its calls and takes no new ones', () =>
    isDraining() ? 1 : 0,
  );
  metrics.gauge('index_pages', 'Pages in the local index', {
    async read(gauge) {
      // Without an answer the figure is absent; calls that fail log why.
      gauge.set(
        await index.size().then(
          ({ pages }) => pages,
          () => Number.NaN,
        ),
      );
    },
  });
}
