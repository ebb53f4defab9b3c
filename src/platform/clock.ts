/** Deadlines of signals by `performance.now()`; a signal that is missing has no known deadline. */
const ends = new WeakMap<AbortSignal, number>();

export const DAY_MS = 86_400_000;

/** The source of time, which tests replace. Milliseconds since the epoch. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/**
 * A monotonic clock, for deadlines and leases within the process; its instants mean nothing by themselves. Whole milliseconds, as timers
 * and abort signals need them.
 */
export const steadyClock: Clock = { now: () => Math.floor(performance.now()) };

/** Returns the UTC day of an instant (milliseconds since the epoch) as `YYYY-MM-DD`. */
export function toUtcDay(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** Returns the UTC month of an instant as `YYYY-MM`. */
export function toUtcMonth(instant: number): string {
  return new Date(instant).toISOString().slice(0, 7);
}

/** Records that a signal fires in `ms` milliseconds at the latest, so that work under it can plan its time. */
export function recordDeadline(signal: AbortSignal, ms: number): void {
  ends.set(signal, performance.now() + ms);
}

/** Returns the milliseconds until a signal's deadline, by the monotonic clock; Infinity if unknown, negative after the deadline. */
export function computeMsLeft(signal: AbortSignal): number {
  return Math.floor((ends.get(signal) ?? Number.POSITIVE_INFINITY) - performance.now());
}

/** Creates a signal that fires with `signal` or after `ms`, with a recorded deadline. For work that outlives its starting function. */
export function createDeadlineSignal(ms: number, signal?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  recordDeadline(either, signal === undefined ? ms : Math.min(ms, computeMsLeft(signal)));
  return either;
}

/**
 * Runs work with a signal that fires with `signal`, or after `ms` with a TimeoutError; an infinite `ms` is no limit. The timer is cleared
 * when the work ends; `AbortSignal.timeout` would still fire and create an error with its stack.
 */
export async function runWithTimeout<Result>(
  { signal, ms }: { signal: AbortSignal; ms: number },
  work: (inTime: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  recordDeadline(ended.signal, Math.min(ms, computeMsLeft(signal)));
  const abortLate = (): void => ended.abort(new DOMException(`took over ${ms} ms`, 'TimeoutError'));
  const follow = (): void => ended.abort(signal.reason);
  const timer = Number.isFinite(ms) ? setTimeout(abortLate, ms) : undefined;
  signal.addEventListener('abort', follow, { once: true });
  if (signal.aborted) follow();
  try {
    return await work(ended.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}
