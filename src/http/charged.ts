import type { Meter, Payer } from '../billing/meter.ts';
import type { Answer, Call, PricedRoute, Task } from './call.ts';

/** On every answer of a priced route: free requests left today, or credits left on the key. */
export const REMAINING_HEADER = 'X-Credits-Remaining';

/** Is told the free requests left today, or the credits left on the key. */
type TellRemaining = (credits: number) => void;

type Surroundings = {
  meter: Meter;
  tellRemaining: TellRemaining;
  /** Fires when the connection ends before the answer has been sent. */
  hungUp: AbortSignal;
  /** Runs the work within the time of the route. */
  withinTime(work: Task['work']): ReturnType<Task['work']>;
};

/**
 * The one way a route charges: a keyless request counts, a call holds the most that it can cost, works, and settles what it
 * used. Whatever ends it otherwise gives everything back, an answer that does not reach its caller included.
 */
export async function charged(
  route: PricedRoute,
  call: Omit<Call, 'signal'>,
  { meter, tellRemaining, hungUp, withinTime }: Surroundings,
): Promise<Answer> {
  const bill = await meter.start(call.caller, call.requestId);
  try {
    const task = route.prepare(call);
    // A free call holds nothing: a key without credits may make it, and a keyless one has counted already.
    if (task.most > 0) await bill.hold(task.most, route.limit.ms);
    const answer = await withinTime(task.work);
    if (task.most > 0) await bill.settle(answer.used);
    tellRemaining(await bill.remaining());
    hungUp.throwIfAborted();
    hungUp.addEventListener('abort', () => void bill.giveBack(), { once: true });
    return answer;
  } catch (error) {
    await bill.giveBack();
    // When the books do not answer, the failure that led here matters more.
    await bill.remaining().then(tellRemaining, () => {});
    throw error;
  }
}

/** For a call that failed before anybody could read it: a keyless one counts all the same. */
export async function countUnread(
  payer: Payer,
  { meter, tellRemaining, requestId }: { meter: Meter; tellRemaining: TellRemaining; requestId: string },
): Promise<void> {
  const bill = await meter.start(payer, requestId);
  tellRemaining(await bill.remaining());
}
