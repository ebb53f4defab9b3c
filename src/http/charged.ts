import type { FastifyReply } from 'fastify';
import type { Bill, Meter, Payer } from '../billing/meter.ts';
import type { Answer, Call, PricedRoute, Task } from './call.ts';

/** On every answer of a priced route: free requests left today, or credits left on the key. */
export const REMAINING_HEADER = 'X-Credits-Remaining';

type Surroundings = {
  meter: Meter;
  reply: FastifyReply;
  /** Fires when the connection ends before the answer has been sent. */
  hungUp: AbortSignal;
  /** Runs the work within the time of the route. */
  withinTime(work: (signal: AbortSignal) => ReturnType<Task['work']>): ReturnType<Task['work']>;
};

/**
 * The one way a route charges: a keyless request counts, a call holds the most that it can cost, works, and settles what it
 * used. Whatever ends it otherwise gives everything back, an answer that does not reach its caller included.
 */
export async function charged(
  route: PricedRoute,
  call: Omit<Call, 'signal'>,
  { meter, reply, hungUp, withinTime }: Surroundings,
): Promise<Answer> {
  const bill = await meter.start(call.caller, call.requestId);
  try {
    const task = route.prepare(call);
    const credits = await hold(bill, task, route.limit.ms);
    const answer = await withinTime((signal) => task.work(signal, credits));
    await bill.settle(answer.used);
    await tellRemaining(bill, reply);
    hungUp.throwIfAborted();
    hungUp.addEventListener('abort', () => void bill.giveBack(), { once: true });
    return answer;
  } catch (error) {
    await bill.giveBack();
    // When the books do not answer, the failure that led here matters more.
    await tellRemaining(bill, reply).catch(() => {});
    throw error;
  }
}

async function hold(bill: Bill, { most, takesFewer }: Task, ms: number): Promise<number> {
  if (takesFewer) return bill.holdUpTo(most, ms);
  await bill.hold(most, ms);
  return most;
}

/** For a call that failed before anybody could read it: a keyless one counts all the same. */
export async function countUnread(
  payer: Payer,
  { meter, reply, requestId }: { meter: Meter; reply: FastifyReply; requestId: string },
): Promise<void> {
  await tellRemaining(await meter.start(payer, requestId), reply);
}

async function tellRemaining(bill: Bill, reply: FastifyReply): Promise<void> {
  reply.header(REMAINING_HEADER, String(await bill.remaining()));
}
