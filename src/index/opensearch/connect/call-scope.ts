import { AsyncLocalStorage } from 'node:async_hooks';

/** The abort signal of the current call, passed to its cluster requests through async context. */
const scope = new AsyncLocalStorage<AbortSignal>();

/** Runs the work of a call: once the signal fires, its requests end and no further one begins. */
export function runInCall<Result>(
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  return signal === undefined ? work() : scope.run(signal, work);
}

/** Runs work that several calls wait for: it continues when one of them is aborted. */
export const runOutsideCalls = <Result>(work: () => Promise<Result>): Promise<Result> => scope.exit(work);

/** Returns the signal of the current call; undefined for work outside any call. */
export const findCallSignal = (): AbortSignal | undefined => scope.getStore();
