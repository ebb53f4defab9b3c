/**
 * Charging of priced calls. Every priced route charges through `chargeCall` and nowhere else; a call that ends before its response begins
 * to be sent costs nothing.
 */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { Charge, Meter, Payer } from '../../billing/ledger/meter.ts';
import type { Answer, Call, PricedRoute, Task, WorkResult } from './call.ts';
import { HungUp } from './call.ts';

/** On every response of a priced route: free requests left today, or credits left on the key. */
export const REMAINING_HEADER = 'X-Credits-Remaining';

/** Receives the free requests left today, or the credits left on the key; null: there are no credits. */
export type SetRemaining = (credits: number | null) => void;

/** An answer and the credits that it used. */
export type ChargedAnswer = Answer & { used: number };

type ChargeContext = {
  meter: Meter;
  setRemaining: SetRemaining;
  /** Fires when the connection closes before the response has been sent. */
  hungUp: AbortSignal;
  /** True once the response has begun to be sent. */
  hasBegun(): boolean;
  /** Waits for a turn to work; resolves to the function that ends the turn. Throws `Failure('overloaded')`, or HungUp. */
  workTurn(): Promise<() => void>;
  /** Runs the work within the route's time limit. */
  withinTime(work: (signal: AbortSignal) => ReturnType<Task['work']>): ReturnType<Task['work']>;
};

/**
 * The only way a route charges: counts a keyless request, holds the most that the call can cost, runs the work and settles what it used.
 * The charge is final once the response begins to be sent; a call that ends before that is refunded in full.
 */
export async function chargeCall(
  route: PricedRoute,
  call: Omit<Call, 'signal'>,
  surroundings: ChargeContext,
): Promise<ChargedAnswer> {
  if (!isCountedAtOnce(call.caller)) return chargeInTurn(route, call, surroundings);
  // A call refused for lack of capacity must not be counted, so it takes its turn before the charge begins.
  const end = await surroundings.workTurn();
  try {
    return await chargeInTurn(route, call, { ...surroundings, workTurn: async () => () => {} });
  } finally {
    end();
  }
}

/** Returns true if beginning a charge already counts the call, towards the allowance of an address or the limits of a key. */
function isCountedAtOnce(caller: Call['caller']): boolean {
  return caller.kind === 'keyless' || (caller.kind === 'key' && caller.limits !== undefined);
}

async function chargeInTurn(
  route: PricedRoute,
  call: Omit<Call, 'signal'>,
  { meter, setRemaining, hungUp, hasBegun, workTurn, withinTime }: ChargeContext,
): Promise<ChargedAnswer> {
  const charge = await meter.beginCharge(call.caller, call.requestId, route.paths[0]);
  let isRefused = false;
  const waitForWorkTurn = (): Promise<() => void> =>
    workTurn().catch((error: unknown) => {
      isRefused = true;
      throw error;
    });
  try {
    const task = route.prepare(call);
    // A call that would be refused for lack of credits does not wait for its turn.
    if (task.most > 0) charge.refuseIfKnown(1);
    const answer = await runTask(charge, task, { ms: route.limit.ms, workTurn: waitForWorkTurn, withinTime });
    setRemaining(await charge.remaining());
    if (hungUp.aborted) throw new HungUp();
    // A response that is not sent at once, such as a tool's, may find that its caller has hung up.
    hungUp.addEventListener('abort', () => void (hasBegun() || charge.refund()), { once: true });
    return addCostFields(answer, charge.stated(answer.used));
  } catch (error) {
    await charge.refund();
    // Nothing was charged, and an overloaded service does not query the ledger just to report the balance.
    if (isRefused) throw error;
    // If the ledger does not respond either, the original failure matters more.
    await charge.remaining().then(setRemaining, () => {});
    throw error;
  }
}

/** Holds the most that the call can cost, runs the work in its turn and settles what it used. */
async function runTask(
  charge: Charge,
  task: Task,
  { ms, workTurn, withinTime }: Pick<ChargeContext, 'workTurn' | 'withinTime'> & { ms: number },
): Promise<WorkResult> {
  // A free call holds nothing, but its work may depend on the credits the caller could spend.
  if (task.most === 0) {
    const credits = await charge.spendable();
    return withinTime((signal) => task.work(signal, credits));
  }
  const end = await workTurn();
  try {
    const credits = await charge.hold({ credits: task.most, least: task.least ?? task.most, ms });
    const answer = await withinTime((signal) => task.work(signal, credits));
    await charge.settle(answer.used);
    return answer;
  } finally {
    end();
  }
}

/** Adds the fields that state the cost; `credits` null: no fields are added. */
function addCostFields({ cost, ...answer }: WorkResult, credits: number | null): ChargedAnswer {
  if (isText(answer.body)) {
    assert(cost === undefined, 'only JSON states a cost');
    return answer;
  }
  const stated = credits === null || cost === undefined ? {} : cost(credits);
  return { ...answer, body: { ...answer.body, ...stated } };
}

const isText = (body: Answer['body']): body is string | Uint8Array | Readable =>
  typeof body === 'string' || body instanceof Uint8Array || body instanceof Readable;

/** Counts a call that failed before it was parsed: without a key it uses the allowance; with a key it counts towards no limit. */
export async function countUnread(
  payer: Payer,
  { meter, setRemaining, requestId }: { meter: Meter; setRemaining: SetRemaining; requestId: string },
): Promise<void> {
  if (payer.kind === 'key') return setRemaining(await meter.remaining(payer));
  const charge = await meter.beginCharge(payer, requestId);
  setRemaining(await charge.remaining());
}
