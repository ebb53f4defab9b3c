import type { FoundKey } from '../../../billing/keys/known-keys.ts';
import type { Meter } from '../../../billing/ledger/meter.ts';
import type { QuickCharge } from '../../../billing/ledger/together/quick-charge.ts';
import { type Answer, type Call, madeOnce, type PricedRoute, type Worked } from '../../calls/call.ts';
import { mayKeep, presentedKey, tenantOf } from '../../calls/caller.ts';
import { stating } from '../../calls/charged-call.ts';
import { HungUp } from '../../calls/deadline.ts';
import { type Arrival, bodyOf, type RunRouteDeps } from '../../calls/run-route.ts';

/** What is known of keys and charges without waiting. */
export type AtOnce = {
  /** Null: the key has to be looked up. Throws `Failure('expired_api_key')`. */
  findKey(apiKey: string): FoundKey | null;
  /** Null: the call has to be counted first. */
  beginCharge(
    payer: Parameters<Meter['beginCharge']>[0],
    requestId: string,
    endpoint: string | undefined,
  ): QuickCharge | null;
};

export type QuickDeps = Pick<RunRouteDeps, 'calls' | 'isUnmetered' | 'terms' | 'tracing' | 'events'> & {
  /** Null where nothing is charged. */
  atOnce: AtOnce | null;
};

/** What becomes of a call; exactly one of them is called. */
export type QuickOutcome = {
  answer(answer: Answer): void;
  fail(problem: unknown): void;
  /** There is more to do than to charge: nothing has been charged or counted. */
  otherwise(): void;
};

/**
 * Answers a call from memory as `runRoute` does, step by step, but without a promise: the charge is the only wait, and no answer is given before it is
 * made. Whatever else would have to be waited for is left to `otherwise`.
 */
export function answerQuickly(
  route: PricedRoute,
  arrival: Arrival,
  { deps, outcome }: { deps: QuickDeps; outcome: QuickOutcome },
): void {
  const begun = begin(route, arrival, deps);
  if (begun === null) {
    outcome.otherwise();
    return;
  }
  const { call, charge, release } = begun;
  const fail = (problem: unknown): void => {
    release();
    arrival.setRemaining(charge.left);
    outcome.fail(problem);
  };
  const undo = (problem: unknown): void => {
    const give = (): void => fail(problem);
    charge.refund().then(give, give);
  };
  const charged = (worked: Worked, problem: unknown): void => {
    // A charge that failed may still be made; a caller who has hung up is not charged.
    if (problem !== null || arrival.hungUp.aborted) {
      undo(problem ?? new HungUp());
      return;
    }
    arrival.setRemaining(charge.left);
    if (worked.timingsMs !== undefined) deps.events.stagesTimed(worked.timingsMs);
    outcome.answer(stating(worked, worked.used));
    // A response that is still being compressed may find that its caller has hung up.
    if (!arrival.hasBegun())
      arrival.hungUp.addEventListener('abort', () => void (arrival.hasBegun() || charge.refund()), {
        once: true,
      });
    release();
  };
  const found = (worked: Worked | null): void => {
    if (worked === null || worked.used === 0) {
      release();
      outcome.otherwise();
    } else charge.charge(worked.used, (problem) => attempt(() => charged(worked, problem), undo));
  };
  attempt(() => {
    const { most, atHand } = route.prepare(call);
    // Whether a call is refused does not depend on whether its answer is at hand, so a known refusal need not look for it.
    if (most > 0) charge.refuseIfKnown(1);
    const kept = atHand?.() ?? null;
    if (kept instanceof Promise) kept.then((worked) => attempt(() => found(worked), fail), fail);
    else found(kept);
  }, fail);
}

function attempt(work: () => void, fail: (problem: unknown) => void): void {
  try {
    work();
  } catch (problem) {
    fail(problem);
  }
}

type Begun = { call: Omit<Call, 'signal'>; charge: QuickCharge; release: () => void };

/** Identifies the caller and takes its turn; null: that has to wait. */
function begin(
  route: PricedRoute,
  arrival: Arrival,
  { atOnce, calls, isUnmetered, terms, tracing }: QuickDeps,
): Begun | null {
  const { requestId, headers, address, hungUp, assignLoad } = arrival;
  if (atOnce === null || terms === null || tracing !== null || hungUp.aborted) return null;
  const key = madeOnce(arrival, 'key', () => presentedKey(arrival));
  const found = key === null || isUnmetered(address) ? null : atOnce.findKey(key);
  if (found === null) return null;
  const caller = { kind: 'key' as const, ...found };
  const charge = atOnce.beginCharge(caller, requestId, route.paths[0]);
  if (charge === null) return null;
  const tenant = tenantOf(caller);
  assignLoad(tenant);
  const release = calls.takeNow({ tenant });
  if (release === null) return null;
  const { target, params, query, bytes, once } = arrival;
  const body = madeOnce(arrival, 'body', () => bodyOf(route, bytes));
  const call = {
    ...{ requestId, target, params, query, headers, body, bytes, caller, address, tenant, once },
    keep: mayKeep(caller, headers),
  };
  return { call, charge, release };
}
