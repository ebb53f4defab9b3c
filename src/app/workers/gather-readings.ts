import type { Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  formatReadings,
  type MetricReading,
  type MetricsText,
  mergeReadings,
  type WorkerReadings,
} from '../../platform/metrics.ts';

/** A message from a worker: its readings, sent on request and when it ends, or a request for the metrics of all workers. */
export type MessageFromWorker = { readings: MetricReading[] } | { wantsMetrics: true };
/** A message to a worker: a request for its readings, or the metrics of all workers. */
export type MessageToWorker = { wantsReadings: true } | { metrics: MetricsText };

type Pause = (ms: number, value?: undefined, options?: { signal: AbortSignal }) => Promise<void>;

type KnownWorker = {
  /** Label of the worker's own values: the lowest number that was free. */
  place: number;
  last: MetricReading[];
  /** Pending request for readings; null if there is none. Only one is pending at a time. */
  asked: PromiseWithResolvers<void> | null;
};

/**
 * Timeout of a worker's answer. A later worker hangs or is overloaded; its earlier counts still count. Values that a worker reads from
 * stores take 2 s at most.
 */
const ANSWER_MS = 2_500;

/**
 * Answers requests of workers with the metrics of all. Counts of ended workers are kept, so that no total shrinks; if a worker is
 * killed, its counts since the last request are lost.
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
    return formatReadings(await workers.readings());
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
      // After both events, all its messages have arrived.
      void Promise.all([awaitEvent(worker, 'exit'), awaitEvent(worker, 'disconnect')]).then(() =>
        workers.forget(worker),
      );
    },
  };
}

/** Creates the registry of serving workers, with the counts of workers that have ended. */
function createWorkerRegistry() {
  const known = new Map<Worker, KnownWorker>();
  let ended: Promise<MetricReading[]> = Promise.resolve([]);
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
      ended = ended.then((before) =>
        mergeReadings([
          { worker: '', readings: before },
          { worker: '', readings: filterCounters(last) },
        ]),
      );
      asked?.resolve();
    },
    /** Resolves once all workers have answered or ended. */
    askAll: () => Promise.all([...known].map(([worker, one]) => ask(worker, one))),
    async readings(): Promise<MetricReading[]> {
      const workers = [...known.values()].sort((one, other) => one.place - other.place);
      const told = workers.map(({ place, last, asked }): WorkerReadings => {
        return { worker: String(place), readings: asked === null ? last : filterCounters(last) };
      });
      const silent = workers.filter(({ asked }) => asked !== null).length;
      const states = { answering: workers.length - silent, silent };
      const before = { worker: '', readings: await ended };
      return [...(await mergeReadings([...told, before])), buildWorkersReading(states)];
    },
  };
}

/** Keeps the readings that only grow, which still count when their process does not answer or is gone. */
const filterCounters = (readings: readonly MetricReading[]): MetricReading[] =>
  readings.filter(({ type }) => type !== 'gauge');

function findFreePlace(known: ReadonlyMap<Worker, KnownWorker>): number {
  const taken = new Set([...known.values()].map(({ place }) => place));
  let place = 1;
  while (taken.has(place)) place += 1;
  return place;
}

/** Sends a message; ignores a worker that is gone. */
function send(worker: Worker, message: MessageToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

const awaitEvent = (worker: Worker, event: 'exit' | 'disconnect'): Promise<void> =>
  new Promise((resolve) => worker.once(event, () => resolve()));

const buildWorkersReading = (states: Record<string, number>): MetricReading => ({
  name: 'sanderling_workers',
  help: 'Worker processes, by whether they answered in time when the metrics were gathered',
  type: 'gauge',
  aggregator: 'first',
  values: Object.entries(states).map(([state, value]) => ({ labels: { state }, value })),
});
