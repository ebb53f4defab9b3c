import { AsyncLocalStorage } from 'node:async_hooks';

/** The signal of the call that requests to the cluster are made for; it reaches them past all that lies between. */
const scope = new AsyncLocalStorage<AbortSignal>();

/** Does work of a call: its requests end, and no further one begins, once the signal has fired. */
export function withinCall<Result>(
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  return signal === undefined ? work() : scope.run(signal, work);
}

/** Does work that several calls wait for: it goes on when one of them is given up. */
export const forAllCalls = <Result>(work: () => Promise<Result>): Promise<Result> => scope.exit(work);

/** The signal of the call at work; undefined for work that no call waits for. */
export const callSignal = (): AbortSignal | undefined => scope.getStore();
