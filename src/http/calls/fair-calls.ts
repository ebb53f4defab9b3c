import { Failure } from '../../contract/errors.ts';
import { CALL_WAIT_MS_MAX, CALLS_AT_ONCE_MAX, CALLS_WAITING_MAX } from '../../contract/limits.ts';
import type { Tenant } from '../../platform/sharing/fair-queue.ts';
import { createFairQueue, type FairQueue } from '../../platform/sharing/fair-queue.ts';
import { createWorkQueue, type Stage, type WorkQueue } from '../../platform/sharing/work-queue.ts';
import { HungUp, type HungUpSignal } from './deadline.ts';

/** Creates the queue of priced calls, shared fairly between callers. */
export function createFairCalls(): FairQueue {
  return createFairQueue({
    slots: CALLS_AT_ONCE_MAX,
    waitingMax: CALLS_WAITING_MAX,
    overloaded: () => new Failure('overloaded', 'Too many calls are under way; try again in a moment.'),
  });
}

/** Below what a lone caller may have at work, so that its excess calls are refused here instead of waiting in the first queue. */
const CALLS_WAITING_FREELY = 48;

/** Creates the queue in front of the stages of this process that do the work of calls. */
export function createCallWork(stages: readonly Stage[], now?: () => number): WorkQueue {
  return createWorkQueue({
    slots: CALLS_AT_ONCE_MAX,
    waitingMax: CALLS_AT_ONCE_MAX,
    waitingFreely: CALLS_WAITING_FREELY,
    overloaded: () => new Failure('overloaded', 'The service is busy; try again in a moment.'),
    stages,
    ...(now === undefined ? {} : { now }),
  });
}

type WaitingCall = { tenant: Tenant; hungUp: HungUpSignal; lastCall: AbortSignal };

/**
 * Runs a call when its caller gets a turn; `work` is told whether the call had to wait. Throws HungUp if the caller hangs up first,
 * `Failure('overloaded')` if the queue is full, the wait exceeds `CALL_WAIT_MS_MAX` or the service shuts down.
 */
export async function runInTurn<T>(
  calls: Pick<FairQueue, 'takeNow' | 'take'>,
  waiting: WaitingCall,
  work: (hasWaited: boolean) => Promise<T>,
): Promise<T> {
  const { tenant, hungUp } = waiting;
  if (hungUp.aborted) throw new HungUp();
  const atOnce = calls.takeNow(waiting);
  const release = atOnce ?? (await waitForTurn(waiting, (signal) => calls.take({ tenant, signal })));
  try {
    return await work(atOnce === null);
  } finally {
    release();
  }
}

/** Waits for a turn, at most `CALL_WAIT_MS_MAX`. Throws as `runInTurn` does. */
export async function waitForTurn(
  { hungUp, lastCall }: Omit<WaitingCall, 'tenant'>,
  take: (signal: AbortSignal) => Promise<() => void>,
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
    return await take(end.signal);
  } finally {
    clearTimeout(timer);
    hungUp.removeEventListener('abort', leave);
    lastCall.removeEventListener('abort', shutDown);
  }
}
