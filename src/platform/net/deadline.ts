import { createFetchFailure } from '../../contract/errors.ts';

/** One signal for all waits of a fetch. It aborts with the `Failure` that the fetch then throws. */
type Deadline = { readonly signal: AbortSignal; end(): void };

/** Aborts after `timeoutMs` ('timeout') or with the caller's own signal ('aborted'), whichever is first. */
export function startDeadline(timeoutMs: number, caller?: AbortSignal): Deadline {
  const controller = new AbortController();
  const hangUp = (): void => controller.abort(createFetchFailure('aborted', 'the fetch was cancelled'));
  const timer = setTimeout(
    () =>
      controller.abort(
        createFetchFailure('timeout', `the page did not arrive within ${Math.round(timeoutMs / 10) / 100} s`),
      ),
    timeoutMs,
  );
  if (caller?.aborted) hangUp();
  else caller?.addEventListener('abort', hangUp, { once: true });
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', hangUp);
    },
  };
}

/** Awaits `work`, or rejects with the signal's reason as soon as it aborts; later results and failures of `work` are dropped. */
export async function awaitUnlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
