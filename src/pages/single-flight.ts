import { createFetchFailure } from '../contract/errors.ts';

type Flight<T> = { waiters: number; work: Promise<T>; abort(): void };

/** Makes one request per key at a time. Callers that ask for the same key meanwhile share its result if sharing is allowed. */
type SingleFlight<T> = {
  /**
   * Joins the request for `key`, or starts it. A waiter whose signal aborts gets `fetch_failed` 'aborted'; the request is aborted
   * when the last waiter has left. A failure goes to all waiters and is not kept. A waiter that joined a request whose result
   * may not be shared repeats it alone.
   */
  join(key: string, signal: AbortSignal, start: Start<T>): Promise<T>;
  /** Makes the request for one caller; others cannot join it. */
  alone(signal: AbortSignal, start: Start<T>): Promise<T>;
};

type Start<T> = (signal: AbortSignal) => Promise<T>;

/** `mayBeShared`: whether a result may go to every waiter. */
export function createSingleFlight<T>(mayBeShared: (result: T) => boolean): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  const launch = (key: string, start: Start<T>): Flight<T> => {
    const controller = new AbortController();
    const flight: Flight<T> = { waiters: 0, work: start(controller.signal), abort: () => controller.abort() };
    const forget = (): void => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.work.then(forget, forget);
    flights.set(key, flight);
    return flight;
  };

  return {
    async join(key, signal, start) {
      if (signal.aborted) throw createAbortedFailure(signal);
      const known = flights.get(key);
      const flight = known ?? launch(key, start);
      flight.waiters += 1;
      try {
        const result = await waitOrAbort(flight.work, signal);
        if (known === undefined || mayBeShared(result)) return result;
      } finally {
        flight.waiters -= 1;
        if (flight.waiters === 0) {
          if (flights.get(key) === flight) flights.delete(key);
          flight.abort();
        }
      }
      return runAlone(signal, start);
    },
    alone: runAlone,
  };
}

async function runAlone<T>(signal: AbortSignal, start: Start<T>): Promise<T> {
  if (signal.aborted) throw createAbortedFailure(signal);
  return waitOrAbort(start(signal), signal);
}

function waitOrAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(createAbortedFailure(signal));
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

const createAbortedFailure = (signal: AbortSignal): Error =>
  createFetchFailure('aborted', 'the caller stopped waiting for the page', { cause: signal.reason });
