import assert from 'node:assert/strict';
import { Failure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { Background } from '../../platform/background.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Refusals } from '../limits/refusals.ts';
import type { Charged } from './charge-procedures.ts';
import { assertSome, assertWhole } from './credits.ts';
import type { Placed } from './hold-procedures.ts';
import type { HoldArgs } from './hold-queries.ts';
import type { Ledger } from './ledger.ts';
import { createLedgerPatience, type WithinLedgerTime } from './ledger-patience.ts';

/** The charge for one call: hold, then settle when the work is done, or refund when the call fails. */
export type Charge = {
  /** Throws `Failure('insufficient_credits')` if the key was refused so few credits a moment ago. Asks and takes nothing. */
  refuseIfKnown(credits: number): void;
  /** Holds the most that the call can cost, for a call of at most `ms` milliseconds. Throws `Failure('insufficient_credits')`. */
  hold(credits: number, ms: number): Promise<void>;
  /** Like `hold`, for a call that can make do with less: resolves to the credits held, at least one. */
  holdUpTo(credits: number, ms: number): Promise<number>;
  /** Holds and settles at once, for an answer that is at hand. Throws as both do. */
  charge(credits: number): Promise<void>;
  /** Charges what was used and releases the rest. Throws `Failure('overloaded')`, and charges nothing, if the ledger store does not answer. */
  settle(used: number): Promise<void>;
  /** Undoes the hold and the charge. Resolves when that is done, or after a time limit: the refund then continues in the background. */
  refund(): Promise<void>;
  /** What the payer could spend: credits left on the key, or keyless requests left, including this one. */
  spendable(): Promise<number>;
  /** Keyless requests left today, or credits left on the key, as of the last step; null: there are no credits. */
  remaining(): Promise<number | null>;
  /** The credits that the response states for a call that used `used`; null: it states none. */
  stated(used: number): number | null;
};

/** Open holds by id: when each was placed, and until when it is renewed. */
export type Leases = Map<string, { since: number; until: number }>;

export type KeyChargeDeps = {
  ledger: Ledger;
  background: Background;
  clock: Clock;
  events: Events;
  refusals: Refusals;
  /** Called when a charge triggered a purchase; must not throw. */
  onPurchase(purchaseId: string): void;
};

/** A hold that is not renewed expires after this time, so that the holds of a killed process are released within seconds. */
export const LEASE_MS = 20_000;
/** Holds are renewed until this long after their call should have ended. */
const HOLD_GRACE_MS = 30_000;
const CHARGE_TRIES = 2;
const REFUND_TRIES = 6;
const REFUND_PAUSE_MS = 250;

export type KeyCall = Pick<HoldArgs, 'keyId' | 'id' | 'endpoint'>;

/** How far a call has got. */
type Progress = {
  /** The credits held; once settled, the credits charged. */
  amount: number;
  /** The credits left on the key, as of the last step. */
  left: number | null;
  /** Resolves when nothing more can be placed or charged for the call; then `undo` returns its credits. */
  placing(): Promise<unknown>;
  /** An earlier question for the same charge, which may still be answered. */
  late: Promise<unknown> | null;
  undo(): Promise<number>;
  withinLedgerTime: WithinLedgerTime;
};

type Deps = KeyChargeDeps & { leases: Leases };

/** How far a call has got before. */
type Begun = Partial<Pick<Progress, 'amount' | 'left' | 'late'>>;

/** The charge for one call of a key. */
export function keyCharge(
  deps: Deps,
  call: KeyCall,
  { amount = 0, left = null, late = null }: Begun = {},
): Charge {
  const { ledger, events, clock, leases } = deps;
  const { id, keyId } = call;
  const withinLedgerTime = createLedgerPatience({ wasLate: late !== null });
  const progress: Progress = {
    ...{ amount, left, late },
    placing: () => Promise.resolve(),
    undo: () => ledger.refund({ id, at: clock.now() }),
    withinLedgerTime,
  };
  return {
    refuseIfKnown: (credits) => refuseIfKnown(deps, { call, needed: credits }, progress),
    async hold(credits, ms) {
      await place(deps, { call, credits, needed: credits, ms, ask: ledger.hold }, progress);
    },
    holdUpTo: (credits, ms) => place(deps, { call, credits, needed: 1, ms, ask: ledger.holdUpTo }, progress),
    charge: (credits) => chargeAtOnce(deps, { call, credits }, progress),
    async settle(used) {
      assertWhole(used, 'a call is charged a whole number of credits');
      assert(used <= progress.amount, 'a call uses no more than it held');
      progress.left = await settleWithRetry({ ...deps, withinLedgerTime }, { id, used, keyId });
      leases.delete(id);
      events.creditsSettled({ used, unused: progress.amount - used });
      progress.amount = used;
    },
    async refund() {
      leases.delete(id);
      const { amount, left, placing } = progress;
      if (amount === 0) return;
      if (left !== null) progress.left = left + amount;
      progress.amount = 0;
      // Waits for a hold that is still being placed.
      const undone = placing()
        .catch(() => {})
        .then(() => undoWithRetry(deps, progress.undo));
      deps.background.run('refund credits', () => undone);
      await withinLedgerTime(undone).catch(() => {});
    },
    spendable: () => withinLedgerTime(ledger.available(keyId)),
    remaining: async () => progress.left ?? withinLedgerTime(ledger.available(keyId)),
    stated: (used) => used,
  };
}

/** `needed`: with fewer credits the ledger refuses. */
type Needed = { call: KeyCall; needed: number };

type Placing = Needed & {
  credits: number;
  ms: number;
  ask(wanted: HoldArgs): Promise<Placed>;
};

/** Places a hold, which is renewed while the call may run; resolves to the credits held. */
async function place(
  deps: Deps,
  { call, credits, needed, ms, ask }: Placing,
  progress: Progress,
): Promise<number> {
  const took = begin(deps, { call, credits, needed }, progress);
  const since = deps.clock.now();
  const holding = ask({ ...call, amount: credits, expiresAt: since + LEASE_MS });
  progress.placing = () => holding;
  took(await progress.withinLedgerTime(holding));
  deps.leases.set(call.id, { since, until: since + ms + HOLD_GRACE_MS });
  return progress.amount;
}

async function chargeAtOnce(
  deps: Deps,
  { call, credits }: { call: KeyCall; credits: number },
  progress: Progress,
): Promise<void> {
  const { ledger, clock } = deps;
  const took = begin(deps, { call, credits, needed: credits }, progress);
  const wanted = { ...call, amount: credits, at: clock.now() };
  const asked: Promise<unknown>[] = progress.late === null ? [] : [progress.late];
  progress.placing = () => Promise.allSettled(asked);
  const ask = (): Promise<Charged> => {
    const charging = ledger.charge(wanted);
    asked.push(charging);
    return charging;
  };
  // Until the ledger has replied, the charge may have been made or may still be.
  const undoCharged = progress.undo;
  progress.undo = () => ledger.cancel({ ...wanted, at: clock.now() });
  const { charged, available, purchase } = await chargeWithRetry(ask, progress.withinLedgerTime);
  progress.undo = undoCharged;
  took({ amount: charged, available });
  deps.events.creditsSettled({ used: charged, unused: 0 });
  if (purchase !== null) deps.onPurchase(purchase);
}

function refuseIfKnown(deps: Deps, { call: { keyId }, needed }: Needed, progress: Progress): void {
  const available = deps.refusals.known(keyId, needed);
  if (available !== null) refuse(deps, { keyId, available }, progress);
}

function refuse(
  { events }: Deps,
  { keyId, available }: { keyId: string; available: number },
  progress: Progress,
): never {
  progress.amount = 0;
  progress.left = available;
  events.paymentRequired('insufficient_credits');
  throw tooFewCredits(keyId);
}

/**
 * Begins to take credits; the function it returns notes what the ledger took. Both throw `Failure('insufficient_credits')`: this one if
 * it is known that the ledger would refuse, the other if it did.
 */
function begin(
  deps: Deps,
  { call, credits, needed }: Needed & { credits: number },
  progress: Progress,
): (placed: Placed) => void {
  assertSome(credits, 'a call holds at least one whole credit');
  assert(progress.amount === 0, 'a call holds credits once');
  refuseIfKnown(deps, { call, needed }, progress);
  const note = deps.refusals.asking();
  progress.amount = credits;
  return ({ amount, available }) => {
    if (amount === 0) {
      note(call.keyId, available);
      refuse(deps, { keyId: call.keyId, available }, progress);
    }
    progress.amount = amount;
    progress.left = available;
    deps.events.creditsHeld(amount);
  };
}

export function tooFewCredits(keyId: string): Failure {
  return new Failure('insufficient_credits', 'The key does not have enough credits for this call.', {
    keyId,
  });
}

/** Asks again for a charge whose reply was lost; the ledger counts it once. */
async function chargeWithRetry(
  ask: () => Promise<Charged>,
  withinLedgerTime: WithinLedgerTime,
): Promise<Charged> {
  for (let tries = 1; ; tries++) {
    try {
      return await withinLedgerTime(ask());
    } catch (error) {
      if (tries >= CHARGE_TRIES) throw error;
    }
  }
}

/** Retries a settlement whose reply was lost; the ledger counts it once. */
async function settleWithRetry(
  { ledger, clock, onPurchase, withinLedgerTime }: KeyChargeDeps & { withinLedgerTime: WithinLedgerTime },
  { id, used, keyId }: { id: string; used: number; keyId: string },
): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      const settled = await withinLedgerTime(ledger.settle({ id, used, at: clock.now() }));
      if (settled !== null) {
        if (settled.purchase !== null) onPurchase(settled.purchase);
        return settled.available;
      }
      const hold = await withinLedgerTime(ledger.holdState(id));
      if (hold?.used === used && (hold.state === 'captured' || hold.state === 'voided'))
        return await withinLedgerTime(ledger.available(keyId));
      throw new Failure('overloaded', 'The call took longer than its credits were held.');
    } catch (error) {
      if (tries >= CHARGE_TRIES || (error instanceof Failure && error.code !== 'overloaded')) throw error;
    }
  }
}

/** Retries a refund; if every try fails, a hold is voided when it expires. */
async function undoWithRetry({ events }: KeyChargeDeps, undo: () => Promise<number>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return events.creditsRefunded(await undo());
    } catch (error) {
      if (tries >= REFUND_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, REFUND_PAUSE_MS * 2 ** tries));
    }
  }
}
