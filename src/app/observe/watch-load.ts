/**
 * Metrics, logs and traces: events of the service become counters and log lines, and gauges read its load when they are scraped. Nothing
 * else in the service depends on these.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { LocalIndex } from '../../index/local-index-types.ts';
import type { QueueLoad } from '../../platform/fairness/fair-queue.ts';
import type { MemoryRoom } from '../../platform/memory-room.ts';
import type { Metrics, WorkerAggregation } from '../../platform/metrics.ts';

/** Time limit for the index, so that it does not delay the other metrics. */
const INDEX_WAIT_MS = 2_000;

type Load = {
  requests(): { limit: number; taken: number };
  calls(): QueueLoad;
  work(): QueueLoad;
  searches(): QueueLoad;
  threads(): QueueLoad;
  memory: Pick<MemoryRoom, 'share'>;
  index: Pick<LocalIndex, 'size'>;
  isDraining(): boolean;
};

/** Adds gauges of the server's current load, read on each scrape. */
export function watchLoad(metrics: Metrics, load: Load): void {
  const { requests, calls, work, searches, threads, memory, index, isDraining } = load;
  const registerFigure = (
    name: string,
    help: string,
    of: () => number,
    overWorkers: WorkerAggregation = 'sum',
  ): void => metrics.gauge(name, help, { overWorkers, read: (gauge) => gauge.set(of()) });
  registerFigure('calls_running', 'Calls at work', () => calls().taken);
  registerFigure('calls_waiting', 'Calls that wait for their turn', () => calls().waiting);
  registerFigure('requests_in_flight', 'Requests whose answers are not ready', () => requests().taken);
  registerFigure(
    'requests_limit',
    'Requests that may be in flight, fewer under pressure',
    () => requests().limit,
  );
  registerFigure(
    'work_waiting',
    'Calls that wait until the index and the threads have room',
    () => work().waiting,
  );
  registerFigure(
    'searches_waiting',
    'Searches that wait for a reader of the index',
    () => searches().waiting,
  );
  registerFigure('memory_share', 'Memory in use, as a share of its limit', memory.share, 'max');
  registerFigure('threads_busy', 'Threads of the pool at work', () => threads().taken);
  registerFigure('tasks_waiting', 'Tasks that wait for a thread of the pool', () => threads().waiting);
  registerFigure(
    'draining',
    'Whether the server finishes its calls and takes no new ones',
    () => (isDraining() ? 1 : 0),
    'min',
  );
  metrics.gauge('index_pages', 'Pages in the local index', {
    overWorkers: 'first',
    async read(gauge) {
      // Without an answer the gauge is absent; failing calls log the reason.
      gauge.set(
        await Promise.race([waitForTimeout(), index.size().then(({ pages }) => pages)]).catch(
          () => Number.NaN,
        ),
      );
    },
  });
}

const waitForTimeout = (): Promise<number> => pause(INDEX_WAIT_MS, Number.NaN, { ref: false });
