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
  withinTime(work: Task['work']): ReturnType<Task['work']>;
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
    // A free call holds nothing: a key without credits may make it, and a keyless one has counted already.
    if (task.most > 0) await bill.hold(task.most, route.limit.ms);
    const answer = await withinTime(task.work);
    if (task.most > 0) await bill.settle(answer.used);
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
