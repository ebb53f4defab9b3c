import type { Charge, Meter, Payer } from '../../billing/ledger/meter.ts';
import type { Answer, Call, PricedRoute, Task } from './call.ts';
import { HungUp } from './deadline.ts';

/** On every answer of a priced route: free requests left today, or credits left on the key. */
export const REMAINING_HEADER = 'X-Credits-Remaining';

/** Is told the free requests left today, or the credits left on the key. */
type SetRemaining = (credits: number) => void;

type Surroundings = {
  meter: Meter;
  setRemaining: SetRemaining;
  /** Fires when the connection ends before the answer has been sent. */
  hungUp: AbortSignal;
  /** Whether the answer has begun to leave. */
  hasBegun(): boolean;
  /** Runs the work within the time of the route. */
  withinTime(work: (signal: AbortSignal) => ReturnType<Task['work']>): ReturnType<Task['work']>;
};

/**
 * The one way a route charges: a keyless request counts, a call holds the most that it can cost, works, and settles what it
 * used. The charge stands once the answer has begun to leave; whatever ends the call before that gives everything back.
 */
export async function charged(
  route: PricedRoute,
  call: Omit<Call, 'signal'>,
  { meter, setRemaining, hungUp, hasBegun, withinTime }: Surroundings,
): Promise<Answer> {
  const charge = await meter.beginCharge(call.caller, call.requestId);
  try {
    const task = route.prepare(call);
    // A free call holds nothing, but what it does may depend on what its caller could spend.
    const credits = task.most > 0 ? await hold(charge, task, route.limit.ms) : await charge.spendable();
    const answer = await withinTime((signal) => task.work(signal, credits));
    if (task.most > 0) await charge.settle(answer.used);
    setRemaining(await charge.remaining());
    if (hungUp.aborted) throw new HungUp();
    // An answer that was not handed to its connection at once, such as that of a tool, may find its caller gone.
    hungUp.addEventListener('abort', () => void (hasBegun() || charge.refund()), { once: true });
    return answer;
  } catch (error) {
    await charge.refund();
    // When the books do not answer, the failure that led here matters more.
    await charge.remaining().then(setRemaining, () => {});
    throw error;
  }
}

async function hold(charge: Charge, { most, takesFewer }: Task, ms: number): Promise<number> {
  if (takesFewer) return charge.holdUpTo(most, ms);
  await charge.hold(most, ms);
  return most;
}

/** For a call that failed before anybody could read it: a keyless one counts all the same. */
export async function countUnread(
  payer: Payer,
  { meter, setRemaining, requestId }: { meter: Meter; setRemaining: SetRemaining; requestId: string },
): Promise<void> {
  const charge = await meter.beginCharge(payer, requestId);
  setRemaining(await charge.remaining());
}
