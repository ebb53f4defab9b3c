/** When signals fire for lack of time, by `performance.now()`; a signal that is not in it has no known end. */
const ends = new WeakMap<AbortSignal, number>();

/** Notes that a signal fires in `ms` milliseconds at the latest, so that work under it can plan its time. */
export function noteEnd(signal: AbortSignal, ms: number): void {
  ends.set(signal, performance.now() + ms);
}

/** Milliseconds until a signal fires for lack of time, by the monotonic clock; Infinity where that is not known. Negative after it. */
export function msLeft(signal: AbortSignal): number {
  return Math.floor((ends.get(signal) ?? Number.POSITIVE_INFINITY) - performance.now());
}

/** A signal that fires with `signal`, or after `ms`; `msLeft` knows when. For work that outlives the function that starts it. */
export function endingIn(ms: number, signal?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  noteEnd(either, signal === undefined ? ms : Math.min(ms, msLeft(signal)));
  return either;
}

/**
 * Runs work with a signal that fires with `signal`, or after `ms` with a TimeoutError; an infinite `ms` is no limit. Once the work has
 * ended nothing is left of it: a signal of `AbortSignal.timeout` would still fire when nobody waits any more, and make an error with
 * its stack.
 */
export async function withinTime<Result>(
  { signal, ms }: { signal: AbortSignal; ms: number },
  work: (inTime: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  noteEnd(ended.signal, Math.min(ms, msLeft(signal)));
  const late = (): void => ended.abort(new DOMException(`took over ${ms} ms`, 'TimeoutError'));
  const follow = (): void => ended.abort(signal.reason);
  const timer = Number.isFinite(ms) ? setTimeout(late, ms) : undefined;
  signal.addEventListener('abort', follow, { once: true });
  if (signal.aborted) follow();
  try {
    return await work(ended.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}
