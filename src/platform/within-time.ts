/**
 * Runs work with a signal that fires with `signal`, or after `ms` with a TimeoutError. Once the work has ended nothing is left of it:
 * a signal of `AbortSignal.timeout` would still fire when nobody waits any more, and make an error with its stack.
 */
export async function withinTime<Result>(
  { signal, ms }: { signal: AbortSignal; ms: number },
  work: (inTime: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const late = (): void => ended.abort(new DOMException(`took over ${ms} ms`, 'TimeoutError'));
  const follow = (): void => ended.abort(signal.reason);
  const timer = setTimeout(late, ms);
  signal.addEventListener('abort', follow, { once: true });
  if (signal.aborted) follow();
  try {
    return await work(ended.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}
