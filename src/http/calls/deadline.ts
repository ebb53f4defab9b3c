import type { Failure } from '../../contract/errors.ts';
import { recordDeadline } from '../../platform/clock.ts';

/** The caller hung up, so there is no one to respond to. */
export class HungUp extends Error {
  override name = 'HungUp';
}

/** Fires when a caller hangs up; an AbortSignal is one. */
export type HungUpSignal = Pick<AbortSignal, 'aborted'> & {
  addEventListener(event: 'abort', listener: () => void, how?: { once: true }): void;
  removeEventListener(event: 'abort', listener: () => void): void;
};

/** Returns true if a call ended because its caller hung up: with HungUp, or with the AbortError of work that was aborted for it. */
export function isHangUp(error: unknown, hungUp: Pick<HungUpSignal, 'aborted'>): boolean {
  if (error instanceof HungUp) return true;
  return hungUp.aborted && error instanceof Error && error.name === 'AbortError';
}

/** Time before the limit at which work is signalled to stop, so that partial results can still be returned. */
const NOTICE_MS = 500;

type Bounds = { ms: number; late: () => Failure; hungUp: HungUpSignal; lastCall: AbortSignal };

/**
 * Runs work under its route's time limit. The signal fires when the caller hangs up (rejects with HungUp), and shortly before the limit or
 * on a draining process's last call (rejects with `late()` unless the work returns in time). Work reads the remaining time with `computeMsLeft`.
 */
export async function runWithinDeadline<T>(
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
  recordDeadline(notice.signal, ms - NOTICE_MS);
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
