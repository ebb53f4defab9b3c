import assert from 'node:assert/strict';
import { LRUCache } from 'lru-cache';
import { Failure, StoreUnavailable } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { Background } from '../../platform/background.ts';
import { type Clock, DAY_MS } from '../../platform/clock.ts';
import type { KeyLimiter, KeyLimits } from '../limits/key-limits.ts';
import type { Allowance } from './allowance.ts';
import type { HoldArgs } from './charge-procedures.ts';
import { type Ledger, RENEWED_MAX } from './ledger.ts';
import { assertSome, assertWhole } from './prices.ts';

/** Time for which a refusal is remembered. Credits that another process grants meanwhile are noticed this much later. */
const REMEMBERED_MS = 100;
const REMEMBERED_MAX = 1_000;

/** Time limit for a reply from the ledger store. A write that completes later is undone. */
const LEDGER_MS = 10_000;
/** Time limit for each further reply once one was late. */
const AFTER_LATE_MS = 250;
/** Time after which a hold expires unless renewed, so that the holds of a killed process are released within seconds. */
export const LEASE_MS = 20_000;
/** Time for which holds are renewed after their call should have ended. */
const HOLD_GRACE_MS = 30_000;
const SETTLE_TRIES = 2;
const REFUND_TRIES = 6;
const REFUND_PAUSE_MS = 250;

/** A payer that is metered: a key, or the allowance of an address. */
type MeteredPayer = { kind: 'key'; keyId: string; limits?: KeyLimits } | { kind: 'keyless'; address: string };

/** The payer of a call. Callers from unmetered networks pay nothing. */
export type Payer = MeteredPayer | { kind: 'unmetered'; payer: MeteredPayer };

/** The only place that charges. */
export type Meter = {
  /**
   * Starts the charge of a call. `requestId` identifies the charge and must be unique; `endpoint` is the route shown to the key's owner.
   * Counts keyless requests, and requests of keys with limits. Throws `Failure('keyless_limit' | 'rate_limited')`, or `invalid_api_key`
   * if a key is required.
   */
  beginCharge(payer: Payer, requestId: string, endpoint?: string): Promise<Charge>;
  remaining(payer: Payer): Promise<number | null>;
};

export type RenewingMeter = Omit<Meter, 'remaining'> & {
  remaining(payer: Payer): Promise<number>;
  /** Extends the holds of running calls; called every RENEW_EVERY_MS while the process lives. */
  renewHolds(): Promise<void>;
};

type MeterDeps = KeyChargeDeps & { allowance: Allowance; limiter: KeyLimiter };

/** Interval of `renewHolds`. */
export const RENEW_EVERY_MS = 5_000;

export function createMeter(deps: MeterDeps): RenewingMeter {
  const leases: Leases = new Map();
  const keyDeps = { ...deps, leases };
  const readRemaining = (payer: Payer): Promise<number> => {
    if (payer.kind === 'unmetered') return readRemaining(payer.payer);
    const { ledger, allowance } = deps;
    return createLedgerTimeout()(
      payer.kind === 'key' ? ledger.available(payer.keyId) : allowance.left(payer.address),
    );
  };
  return {
    renewHolds: () => renewLeases(leases, deps),
    async beginCharge(payer, requestId, endpoint) {
      switch (payer.kind) {
        case 'key': {
          const { keyId, limits } = payer;
          if (limits !== undefined) await createLedgerTimeout()(deps.limiter.count(keyId, limits));
          return createKeyCharge(keyDeps, { keyId, id: requestId, endpoint: endpoint ?? null });
        }
        case 'keyless':
          return createKeylessCharge(await countKeyless(deps, payer.address));
        case 'unmetered':
          return { ...NO_CHARGE, remaining: () => readRemaining(payer), stated: () => 0 };
      }
    },
    remaining: readRemaining,
  };
}

/** A charge of nothing: every hold succeeds. */
const NO_CHARGE: Charge = {
  refuseIfKnown() {},
  hold: async ({ credits }) => credits,
  settle: async () => {},
  refund: async () => {},
  spendable: async () => Number.MAX_SAFE_INTEGER,
  remaining: async () => null,
  stated: () => null,
};

/** The meter of a service without metering: it counts and charges nothing. */
export const NO_METER: Meter = { beginCharge: async () => NO_CHARGE, remaining: async () => null };

/** Counts a request of an address; returns the number left today. Throws `Failure`. */
async function countKeyless({ allowance, events, clock }: MeterDeps, address: string): Promise<number> {
  if (allowance.perDay === 0)
    throw new Failure('invalid_api_key', 'This service requires an API key.', { keyMissing: true });
  const left = await createLedgerTimeout()(allowance.count(address));
  if (left !== null) return left;
  events.paymentRequired('keyless_limit');
  throw createKeylessLimitFailure(clock.now(), allowance.perDay);
}

function createKeylessCharge(left: number): Charge {
  return {
    ...NO_CHARGE,
    spendable: async () => left + 1,
    remaining: async () => left,
    stated: (used) => used,
  };
}

/** Creates the failure for a used-up allowance; its message says when the UTC day ends. */
function createKeylessLimitFailure(now: number, perDay: number): Failure {
  const resetsAt = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  const instant = new Date(resetsAt).toISOString().replace('.000', '');
  return new Failure(
    'keyless_limit',
    `Today's ${perDay} free requests are used up; the count resets at ${instant}.`,
    { retryAfterSeconds: Math.ceil((resetsAt - now) / 1_000) },
  );
}

async function renewLeases(
  leases: Leases,
  { ledger, clock, steady }: Pick<MeterDeps, 'ledger' | 'clock' | 'steady'>,
): Promise<void> {
  const now = steady.now();
  const ids: string[] = [];
  for (const [id, { since, until }] of leases) {
    if (until <= now) leases.delete(id);
    else if (now - since >= RENEW_EVERY_MS) ids.push(id);
  }
  for (let from = 0; from < ids.length; from += RENEWED_MAX)
    await ledger.renew({ ids: ids.slice(from, from + RENEWED_MAX), expiresAt: clock.now() + LEASE_MS });
}

/** The charge for one call: hold, then settle when the work is done, or refund when the call fails. */
export type Charge = {
  /** Throws `Failure('insufficient_credits')` if the key was refused this many credits a moment ago. Does not touch the ledger. */
  refuseIfKnown(credits: number): void;
  /** Holds the maximum cost of a call; resolves to the credits held. Throws `Failure('insufficient_credits')`. */
  hold(wanted: WantedHold): Promise<number>;
  /** Charges the used credits and releases the rest. Throws `Failure('overloaded')`, charging nothing, if the store does not answer. */
  settle(used: number): Promise<void>;
  /** Undoes the hold and the charge. Resolves when done, or after a time limit; the refund then continues in the background. */
  refund(): Promise<void>;
  /** Returns what the payer can spend: credits left on the key, or keyless requests left, including this one. */
  spendable(): Promise<number>;
  /** Returns the keyless requests left today, or the credits left on the key after the last step; null: the service has no credits. */
  remaining(): Promise<number | null>;
  /** Returns the credits that the response reports for a call that used `used`; null: it reports none. */
  stated(used: number): number | null;
};

/** `least`: the fewest credits with which the call can be made; all of them if not given. `ms`: the most milliseconds that it takes. */
type WantedHold = { credits: number; least?: number; ms: number };

/** Open holds by id: when each was placed and when renewal stops, both by the steady clock. */
type Leases = Map<string, { since: number; until: number }>;

type KeyChargeDeps = {
  ledger: Ledger;
  background: Background;
  clock: Clock;
  /** Monotonic, so that changing the wall clock ends no call. */
  steady: Clock;
  events: Events;
  refusals: Refusals;
  /** Called when a charge triggered a purchase; must not throw. */
  onPurchase(purchaseId: string): void;
};

type KeyCall = Pick<HoldArgs, 'keyId' | 'id' | 'endpoint'>;

/** The progress of a call. */
type Progress = {
  /** Credits held; once settled, credits charged. */
  amount: number;
  /** Credits left on the key after the last step. */
  left: number | null;
  /** Resolves when no hold is being placed for the call any more, so that its credits can be returned. */
  placing(): Promise<unknown>;
  withinLedgerTime: LedgerTimeout;
};

type Deps = KeyChargeDeps & { leases: Leases };

/** Creates the charge for one call of a key. */
function createKeyCharge(deps: Deps, call: KeyCall): Charge {
  const { ledger, events, clock, leases } = deps;
  const { id, keyId } = call;
  const withinLedgerTime = createLedgerTimeout();
  const progress: Progress = { amount: 0, left: null, placing: () => Promise.resolve(), withinLedgerTime };
  return {
    refuseIfKnown: (credits) => refuseIfKnown(deps, { call, needed: credits }, progress),
    hold: ({ credits, least = credits, ms }) =>
      placeHold(deps, { call, credits, needed: least, ms }, progress),
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
        .then(() => undoWithRetry(deps, () => ledger.refund({ id, at: clock.now() })));
      deps.background.run('refund credits', () => undone);
      await withinLedgerTime(undone).catch(() => {});
    },
    spendable: () => withinLedgerTime(ledger.available(keyId)),
    remaining: async () => progress.left ?? withinLedgerTime(ledger.available(keyId)),
    stated: (used) => used,
  };
}

/** `needed`: the number of credits below which the ledger refuses. */
type CreditNeed = { call: KeyCall; needed: number };

type HoldPlacement = CreditNeed & { credits: number; ms: number };

/**
 * Places a hold and registers it for renewal while the call may run. Resolves to the credits held. Throws
 * `Failure('insufficient_credits')`, before the ledger is asked if it is known to refuse.
 */
async function placeHold(
  deps: Deps,
  { call, credits, needed, ms }: HoldPlacement,
  progress: Progress,
): Promise<number> {
  assertSome(credits, 'a call holds at least one whole credit');
  assert(progress.amount === 0, 'a call holds credits once');
  refuseIfKnown(deps, { call, needed }, progress);
  const noteRefusal = deps.refusals.asking();
  progress.amount = credits;
  const since = deps.steady.now();
  const expiresAt = deps.clock.now() + LEASE_MS;
  const holding = deps.ledger.hold({ ...call, amount: credits, least: needed, expiresAt });
  progress.placing = () => holding;
  const { amount, available, disputed } = await progress.withinLedgerTime(holding);
  if (amount === 0) {
    const refusal = { available, disputed };
    noteRefusal(call.keyId, refusal);
    refuse(deps, { keyId: call.keyId, refusal }, progress);
  }
  progress.amount = amount;
  progress.left = available;
  deps.events.creditsHeld(amount);
  deps.leases.set(call.id, { since, until: since + ms + HOLD_GRACE_MS });
  return amount;
}

function refuseIfKnown(deps: Deps, { call: { keyId }, needed }: CreditNeed, progress: Progress): void {
  const refusal = deps.refusals.known(keyId, needed);
  if (refusal !== null) refuse(deps, { keyId, refusal }, progress);
}

function refuse(
  { events }: Deps,
  { keyId, refusal }: { keyId: string; refusal: Refusal },
  progress: Progress,
): never {
  progress.amount = 0;
  progress.left = refusal.available;
  events.paymentRequired('insufficient_credits');
  if (refusal.disputed > 0)
    throw new Failure(
      'insufficient_credits',
      'A payment of this key is disputed. The credits that it gave cannot be used until the dispute is settled.',
      { keyId, isDisputed: true },
    );
  throw new Failure('insufficient_credits', 'The key does not have enough credits for this call.', { keyId });
}

/** Retries a settlement whose reply was lost; the ledger counts it once. */
async function settleWithRetry(
  { ledger, clock, onPurchase, withinLedgerTime }: KeyChargeDeps & { withinLedgerTime: LedgerTimeout },
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
      if (tries >= SETTLE_TRIES || (error instanceof Failure && error.code !== 'overloaded')) throw error;
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

/** Awaits work on the ledger store; throws `StoreUnavailable` when it fails or does not finish in time. */
type LedgerTimeout = <T>(work: Promise<T>) => Promise<T>;

/** Creates the time limit of one call: after one late reply from the ledger store, the call waits only briefly. */
export function createLedgerTimeout(): LedgerTimeout {
  let ms = LEDGER_MS;
  return (work) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        ms = AFTER_LATE_MS;
        reject(new StoreUnavailable('The account database did not answer in time; try again in a moment.'));
      }, ms);
      const fail = (cause: unknown): void => {
        clearTimeout(timer);
        reject(cause instanceof Failure ? cause : createUnreachableFailure(cause));
      };
      work.then((value) => {
        clearTimeout(timer);
        resolve(value);
      }, fail);
    });
}

function createUnreachableFailure(cause: unknown): StoreUnavailable {
  return new StoreUnavailable('The account database cannot be reached; try again in a moment.', { cause });
}

/**
 * Charges a key for work that outlives its request, once per reference. Resolves to the credits charged: all, or as many as the
 * key has. Repeated calls resolve to the same number. Throws `Failure('overloaded')` if the ledger store does not answer.
 */
export type ChargeOnce = (charge: {
  keyId: string;
  reference: string;
  credits: number;
  /** The route that began the work. */
  endpoint?: string;
}) => Promise<number>;

export function createChargeOnce(deps: {
  ledger: Pick<Ledger, 'hold'>;
  clock: Clock;
  events: Pick<Events, 'creditsHeld' | 'creditsSettled' | 'paymentRequired'>;
  /** Called when the charge triggered a purchase; must not throw. */
  onPurchase(purchaseId: string): void;
}): ChargeOnce {
  const { ledger, clock, events, onPurchase } = deps;
  return async ({ keyId, reference, credits, endpoint = null }) => {
    assertSome(credits, 'a charge takes at least one whole credit');
    const { amount: charged, purchase } = await ledger.hold({
      id: reference,
      keyId,
      amount: credits,
      least: 1,
      endpoint,
      settledAt: clock.now(),
    });
    if (charged > 0) {
      events.creditsHeld(charged);
      events.creditsSettled({ used: charged, unused: 0 });
    }
    if (charged < credits) events.paymentRequired('insufficient_credits');
    if (purchase !== null) onPurchase(purchase);
    return charged;
  };
}

/** Remembers for a moment which keys have too few credits, so that a flood of refused calls does not load the ledger. */
type Refusals = {
  /** Returns why the ledger would refuse a key that needs this many credits; null: the ledger has to be asked. */
  known(keyId: string, needed: number): Refusal | null;
  /** Call this before asking the ledger; the returned function records a refusal. */
  asking(): (keyId: string, refusal: Refusal) => void;
  /** Forgets all refusals, because a key may have received credits. */
  clear(): void;
};

/** The credits that a refused key has, and how many of them it cannot use because the payment that gave them is disputed. */
type Refusal = { available: number; disputed: number };

export function createRefusals(clock: Clock): Refusals {
  const refused = new LRUCache<string, Refusal & { at: number }>({ max: REMEMBERED_MAX });
  let clearings = 0;
  return {
    known(keyId, needed) {
      const last = refused.get(keyId);
      if (last === undefined || last.available - last.disputed >= needed) return null;
      const age = clock.now() - last.at;
      return age >= 0 && age < REMEMBERED_MS ? last : null;
    },
    asking() {
      const before = clearings;
      return (keyId, refusal) => {
        // The ledger may have refused before credits were granted, although its reply arrived after.
        if (before === clearings) refused.set(keyId, { ...refusal, at: clock.now() });
      };
    },
    clear() {
      clearings += 1;
      refused.clear();
    },
  };
}
