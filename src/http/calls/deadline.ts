import type { Failure } from '../../contract/errors.ts';

/** The caller is gone: nobody is there to be answered. */
export class HungUp extends Error {
  override name = 'HungUp';
}

/** Work is told to end this long before its limit, so that what it has by then can still be answered. */
const NOTICE_MS = 500;

type Bounds = { ms: number; late: () => Failure; hungUp: AbortSignal; lastCall: AbortSignal };

/**
 * Runs work under the limit of its route. The signal fires when the caller hangs up (rejects with HungUp), shortly before
 * the limit and on the last call of a draining process (rejects with `late()` unless the work ends by itself in time).
 */
export async function withinDeadline<T>(
  bounds: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { ms, late, hungUp, lastCall } = bounds;
  const notice = new AbortController();
  const ended = Promise.withResolvers<never>();
  const timers: NodeJS.Timeout[] = [];
  const giveNotice = (): void => {
    notice.abort(late());
    timers.push(setTimeout(() => ended.reject(late()), NOTICE_MS));
  };
  const hangUp = (): void => {
    notice.abort(new HungUp());
    ended.reject(new HungUp());
  };
  timers.push(setTimeout(giveNotice, Math.max(0, ms - NOTICE_MS)));
  lastCall.addEventListener('abort', giveNotice);
  hungUp.addEventListener('abort', hangUp);
  if (hungUp.aborted) hangUp();
  if (lastCall.aborted) giveNotice();
  try {
    return await Promise.race([ended.promise, work(notice.signal)]);
  } catch (error) {
    throw notice.signal.aborted ? notice.signal.reason : error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    lastCall.removeEventListener('abort', giveNotice);
    hungUp.removeEventListener('abort', hangUp);
  }
}
