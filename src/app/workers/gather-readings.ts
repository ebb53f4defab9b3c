import type { Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatReadings, type MetricReading, type MetricsText } from '../../platform/metrics.ts';
import { filterCounters, mergeReadings, type WorkerReadings } from './merge-readings.ts';

/** What a worker sends: its readings, when it is asked and when it ends; or the question for the metrics of all. */
export type MessageFromWorker = { readings: MetricReading[] } | { wantsMetrics: true };
/** What a worker is sent: the question for its readings, or the metrics of all. */
export type MessageToWorker = { wantsReadings: true } | { metrics: MetricsText };

type Pause = (ms: number, value?: undefined, options?: { signal: AbortSignal }) => Promise<void>;

type KnownWorker = {
  /** Tells its figures from those of other workers; of the numbers in use the lowest that was free. */
  place: number;
  last: MetricReading[];
  /** Null unless it was asked and has not answered; it is not asked again meanwhile. */
  asked: PromiseWithResolvers<void> | null;
};

/**
 * A worker that has not answered by then hangs or has too much to do; what it had counted before still counts. Figures that a worker
 * reads from stores take it 2 s at most.
 */
const ANSWER_MS = 2_500;

/**
 * Answers each worker that asks with the metrics of all. Counts of workers that have ended are kept, so that no total shrinks; of one
 * that is killed, those since it was last asked are lost.
 */
export function createMetricsGatherer({ pause = sleep }: { pause?: Pause } = {}): {
  add(worker: Worker): void;
} {
  const workers = createWorkerRegistry();
  let gathering: Promise<MetricsText> | null = null;
  const gather = async (): Promise<MetricsText> => {
    const inTime = new AbortController();
    await Promise.race([
      workers.askAll(),
      pause(ANSWER_MS, undefined, { signal: inTime.signal }).catch(() => {}),
    ]);
    inTime.abort();
    return formatReadings(workers.readings());
  };
  const answer = async (worker: Worker): Promise<void> => {
    gathering ??= gather().finally(() => {
      gathering = null;
    });
    send(worker, { metrics: await gathering });
  };
  return {
    add(worker) {
      worker.once('listening', () => workers.enter(worker));
      worker.on('message', (message: MessageFromWorker) => {
        if ('readings' in message) workers.take(worker, message.readings);
        else void answer(worker);
      });
      // By both, all that it has sent has arrived.
      void Promise.all([awaitEvent(worker, 'exit'), awaitEvent(worker, 'disconnect')]).then(() =>
        workers.forget(worker),
      );
    },
  };
}

/** The workers that serve, and what those before them have counted. */
function createWorkerRegistry() {
  const known = new Map<Worker, KnownWorker>();
  let ended: MetricReading[] = [];
  const ask = (worker: Worker, one: KnownWorker): Promise<void> => {
    if (!worker.isConnected()) return Promise.resolve();
    if (one.asked === null) {
      one.asked = Promise.withResolvers();
      send(worker, { wantsReadings: true });
    }
    return one.asked.promise;
  };
  return {
    enter(worker: Worker): void {
      known.set(worker, { place: findFreePlace(known), last: [], asked: null });
    },
    take(worker: Worker, readings: MetricReading[]): void {
      const one = known.get(worker);
      if (one === undefined) return;
      one.asked?.resolve();
      known.set(worker, { ...one, last: readings, asked: null });
    },
    forget(worker: Worker): void {
      const { last = [], asked = null } = known.get(worker) ?? {};
      known.delete(worker);
      ended = mergeReadings([
        { worker: '', readings: ended },
        { worker: '', readings: filterCounters(last) },
      ]);
      asked?.resolve();
    },
    /** Resolves once all have answered, or ended. */
    askAll: () => Promise.all([...known].map(([worker, one]) => ask(worker, one))),
    readings(): MetricReading[] {
      const workers = [...known.values()].sort((one, other) => one.place - other.place);
      const told = workers.map(({ place, last, asked }): WorkerReadings => {
        return { worker: String(place), readings: asked === null ? last : filterCounters(last) };
      });
      const silent = workers.filter(({ asked }) => asked !== null).length;
      const states = { answering: workers.length - silent, silent };
      return [...mergeReadings([...told, { worker: '', readings: ended }]), buildWorkersReading(states)];
    },
  };
}

function findFreePlace(known: ReadonlyMap<Worker, KnownWorker>): number {
  const taken = new Set([...known.values()].map(({ place }) => place));
  let place = 1;
  while (taken.has(place)) place += 1;
  return place;
}

/** Whoever is gone by now is not told. */
function send(worker: Worker, message: MessageToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

const awaitEvent = (worker: Worker, event: 'exit' | 'disconnect'): Promise<void> =>
  new Promise((resolve) => worker.once(event, () => resolve()));

const buildWorkersReading = (states: Record<string, number>): MetricReading => ({
  name: 'sanderling_workers',
  help: 'Worker processes, by whether they answered in time when the metrics were gathered',
  type: 'gauge',
  overWorkers: 'first',
  values: Object.entries(states).map(([state, value]) => ({ labels: { state }, value })),
});
