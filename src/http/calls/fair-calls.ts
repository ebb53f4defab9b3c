import { Failure } from '../../contract/errors.ts';
import { CALL_WAIT_MS_MAX, CALLS_AT_ONCE_MAX, CALLS_WAITING_MAX } from '../../contract/limits.ts';
import { createFairQueue, type FairQueue } from '../../platform/sharing/fair-queue.ts';
import type { Tenant } from '../../platform/sharing/fair-shares.ts';
import { HungUp } from './deadline.ts';

/** The queue of priced calls, shared fairly between callers. */
export function createFairCalls(): FairQueue {
  return createFairQueue({
    slots: CALLS_AT_ONCE_MAX,
    waitingMax: CALLS_WAITING_MAX,
    overloaded: () => new Failure('overloaded', 'Too many calls are under way; try again in a moment.'),
  });
}

type Waiting = { tenant: Tenant; hungUp: AbortSignal; lastCall: AbortSignal };

/**
 * Runs a call when its caller gets a turn. Throws HungUp if the caller hangs up first, `Failure('overloaded')` if the queue is
 * full, the wait exceeds `CALL_WAIT_MS_MAX` or the service shuts down.
 */
export async function inTurn<T>(
  calls: Omit<FairQueue, 'load'>,
  waiting: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  if (waiting.hungUp.aborted) throw new HungUp();
  const release = calls.takeNow(waiting) ?? (await turnOf(calls, waiting));
  try {
    return await work();
  } finally {
    release();
  }
}

async function turnOf(
  calls: Omit<FairQueue, 'load'>,
  { tenant, hungUp, lastCall }: Waiting,
): Promise<() => void> {
  const end = new AbortController();
  const leave = (): void => end.abort(new HungUp());
  const shutDown = (): void => end.abort(new Failure('overloaded', 'The service is shutting down.'));
  const timer = setTimeout(
    () =>
      end.abort(new Failure('overloaded', 'Your earlier calls still use up your share; try again later.')),
    CALL_WAIT_MS_MAX,
  );
  hungUp.addEventListener('abort', leave);
  lastCall.addEventListener('abort', shutDown);
  try {
    return await calls.take({ tenant, signal: end.signal });
  } finally {
    clearTimeout(timer);
    hungUp.removeEventListener('abort', leave);
    lastCall.removeEventListener('abort', shutDown);
  }
}
