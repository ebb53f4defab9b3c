import { fetchFailed } from '../../errors.ts';

type Flight<T> = { waiters: number; work: Promise<T>; abort(): void };

/** One piece of work per key at a time: those who ask for the same thing meanwhile share it. */
export type Flights<T> = {
  /**
   * Joins the work for `key`, or starts it. A waiter whose signal ends leaves with `fetch_failed` 'aborted'; the work is
   * aborted when the last one has left. A failure is told to the waiters and not kept.
   */
  join(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
};

export function createFlights<T>(): Flights<T> {
  const flights = new Map<string, Flight<T>>();

  const take = (key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const known = flights.get(key);
    if (known !== undefined) return known;
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
      if (signal.aborted) throw left(signal);
      const flight = take(key, start);
      flight.waiters += 1;
      try {
        return await orLeave(flight.work, signal);
      } finally {
        flight.waiters -= 1;
        if (flight.waiters === 0) {
          if (flights.get(key) === flight) flights.delete(key);
          flight.abort();
        }
      }
    },
  };
}

function orLeave<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(left(signal));
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

const left = (signal: AbortSignal): Error =>
  fetchFailed('aborted', 'the caller did not wait for the page', { cause: signal.reason });
