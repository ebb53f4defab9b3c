import assert from 'node:assert/strict';
import { Failure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { Background } from '../../platform/background.ts';
import type { Clock } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/utc.ts';
import type { KeyLimiter, KeyLimits } from '../limits/key-limits.ts';
import type { Allowance } from './allowance.ts';
import { assertSome, assertWhole } from './credits.ts';
import type { PartialHold } from './hold-procedures.ts';
import type { HoldArgs } from './hold-queries.ts';
import { type Ledger, RENEWED_MAX } from './ledger.ts';
import { createLedgerPatience, type WithinLedgerTime } from './ledger-patience.ts';

/** Who can pay: a key, or the allowance of an address. */
type MeteredPayer = { kind: 'key'; keyId: string; limits?: KeyLimits } | { kind: 'keyless'; address: string };

/** Who pays for a call; nobody does where the caller's network is unmetered. */
export type Payer = MeteredPayer | { kind: 'unmetered'; payer: MeteredPayer };

/** The charge for one call: hold, then settle when the work is done, or refund when the call fails. */
export type Charge = {
  /** Holds the most that the call can cost, for a call of at most `ms` milliseconds. Throws `Failure('insufficient_credits')`. */
  hold(credits: number, ms: number): Promise<void>;
  /** Like `hold`, for a call that can make do with less: resolves to the credits held, at least one. */
  holdUpTo(credits: number, ms: number): Promise<number>;
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

/** The only place that charges. */
export type Meter = {
  /**
   * `requestId` identifies the charge and must be unique; `endpoint` is the route that the owner of a key is shown beside it. Counts a keyless request, and one of a key with limits; throws
   * `Failure('keyless_limit' | 'rate_limited')`, or `invalid_api_key` if a key is required.
   */
  beginCharge(payer: Payer, requestId: string, endpoint?: string): Promise<Charge>;
  remaining(payer: Payer): Promise<number | null>;
};

export type RenewingMeter = Omit<Meter, 'remaining'> & {
  remaining(payer: Payer): Promise<number>;
  /** Extends the holds of running calls; called every RENEW_EVERY_MS while the process lives. */
  renewHolds(): Promise<void>;
};

type MeterDeps = {
  ledger: Ledger;
  allowance: Allowance;
  limiter: KeyLimiter;
  background: Background;
  clock: Clock;
  events: Events;
  /** Called when a settlement triggered a purchase; must not throw. */
  onPurchase(purchaseId: string): void;
};

const SETTLE_TRIES = 2;
const REFUND_TRIES = 6;
const REFUND_PAUSE_MS = 250;
/** Holds are renewed until this long after their call should have ended. */
const HOLD_GRACE_MS = 30_000;
/** A hold that is not renewed expires after this time, so that the holds of a killed process are released within seconds. */
const LEASE_MS = 20_000;
/** How often `renewHolds` runs. */
export const RENEW_EVERY_MS = 5_000;

export function createMeter(deps: MeterDeps): RenewingMeter {
  const leases: Leases = new Map();
  const remaining = (payer: Payer): Promise<number> => {
    if (payer.kind === 'unmetered') return remaining(payer.payer);
    const { ledger, allowance } = deps;
    return createLedgerPatience()(
      payer.kind === 'key' ? ledger.available(payer.keyId) : allowance.left(payer.address),
    );
  };
  return {
    renewHolds: () => renewLeases(leases, deps),
    async beginCharge(payer, requestId, endpoint) {
      switch (payer.kind) {
        case 'key': {
          const { keyId, limits } = payer;
          if (limits !== undefined) await createLedgerPatience()(deps.limiter.count(keyId, limits));
          return keyCharge({ ...deps, leases }, { keyId, id: requestId, endpoint: endpoint ?? null });
        }
        case 'keyless':
          return keylessCharge(await countKeyless(deps, payer.address));
        case 'unmetered':
          return { ...NO_CHARGE, remaining: () => remaining(payer), stated: () => 0 };
      }
    },
    remaining,
  };
}

/** A charge of nothing: every hold succeeds. */
const NO_CHARGE: Charge = {
  hold: async () => {},
  holdUpTo: async (credits) => credits,
  settle: async () => {},
  refund: async () => {},
  spendable: async () => Number.MAX_SAFE_INTEGER,
  remaining: async () => null,
  stated: () => null,
};

/** The meter of a service without metering: it counts and charges nothing, and knows no credits. */
export const NO_METER: Meter = { beginCharge: async () => NO_CHARGE, remaining: async () => null };

/** Counts a request of an address; returns the number left today. Throws `Failure`. */
async function countKeyless({ allowance, events, clock }: MeterDeps, address: string): Promise<number> {
  if (allowance.perDay === 0)
    throw new Failure('invalid_api_key', 'This service requires an API key.', { keyMissing: true });
  const left = await createLedgerPatience()(allowance.count(address));
  if (left !== null) return left;
  events.paymentRequired('keyless_limit');
  throw keylessLimit(clock.now(), allowance.perDay);
}

function keylessCharge(left: number): Charge {
  return {
    ...NO_CHARGE,
    spendable: async () => left + 1,
    remaining: async () => left,
    stated: (used) => used,
  };
}

/** The failure of a used-up allowance; its message says when the UTC day ends. */
function keylessLimit(now: number, perDay: number): Failure {
  const resetsAt = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  const instant = new Date(resetsAt).toISOString().replace('.000', '');
  return new Failure(
    'keyless_limit',
    `Today's ${perDay} free requests are used up; the count resets at ${instant}.`,
    { retryAfterSeconds: Math.ceil((resetsAt - now) / 1_000) },
  );
}

/** Open holds by id: when each was placed, and until when it is renewed. */
type Leases = Map<string, { since: number; until: number }>;

async function renewLeases(
  leases: Leases,
  { ledger, clock }: Pick<MeterDeps, 'ledger' | 'clock'>,
): Promise<void> {
  const now = clock.now();
  const ids: string[] = [];
  for (const [id, { since, until }] of leases) {
    if (until <= now) leases.delete(id);
    else if (now - since >= RENEW_EVERY_MS) ids.push(id);
  }
  for (let from = 0; from < ids.length; from += RENEWED_MAX)
    await ledger.renew({ ids: ids.slice(from, from + RENEWED_MAX), expiresAt: now + LEASE_MS });
}

type KeyCall = Pick<HoldArgs, 'keyId' | 'id' | 'endpoint'>;

function keyCharge(deps: MeterDeps & { leases: Leases }, { keyId, id, endpoint }: KeyCall): Charge {
  const { ledger, events, clock, leases } = deps;
  const withinLedgerTime = createLedgerPatience();
  /** The credits held; once settled, the credits charged. */
  let amount = 0;
  let left: number | null = null;
  let placing: Promise<unknown> = Promise.resolve();
  const place = async (
    credits: number,
    ms: number,
    ask: (wanted: HoldArgs) => Promise<PartialHold | null>,
  ): Promise<number> => {
    assertSome(credits, 'a call holds at least one whole credit');
    assert(amount === 0, 'a call holds credits once');
    amount = credits;
    const since = clock.now();
    const holding = ask({ id, keyId, endpoint, amount, expiresAt: since + LEASE_MS });
    placing = holding;
    const placed = await withinLedgerTime(holding);
    amount = placed?.amount ?? 0;
    left = placed?.available ?? null;
    if (placed === null) {
      events.paymentRequired('insufficient_credits');
      throw tooFewCredits(keyId);
    }
    leases.set(id, { since, until: since + ms + HOLD_GRACE_MS });
    events.creditsHeld(amount);
    return amount;
  };
  return {
    async hold(credits, ms) {
      await place(credits, ms, (wanted) => holdWhole(ledger, wanted));
    },
    holdUpTo: (credits, ms) => place(credits, ms, (wanted) => ledger.holdUpTo(wanted)),
    async settle(used) {
      assertWhole(used, 'a call is charged a whole number of credits');
      assert(used <= amount, 'a call uses no more than it held');
      left = await settleWithRetry({ ...deps, withinLedgerTime }, { id, used, keyId });
      leases.delete(id);
      events.creditsSettled({ used, unused: amount - used });
      amount = used;
    },
    async refund() {
      leases.delete(id);
      if (amount === 0) return;
      if (left !== null) left += amount;
      amount = 0;
      // Waits for a hold that is still being placed.
      const undone = placing.catch(() => {}).then(() => undo(deps, id));
      deps.background.run('refund credits', () => undone);
      await withinLedgerTime(undone).catch(() => {});
    },
    spendable: () => withinLedgerTime(ledger.available(keyId)),
    remaining: async () => left ?? withinLedgerTime(ledger.available(keyId)),
    stated: (used) => used,
  };
}

async function holdWhole(ledger: Ledger, wanted: HoldArgs): Promise<PartialHold | null> {
  const available = await ledger.hold(wanted);
  return available === null ? null : { available, amount: wanted.amount };
}

function tooFewCredits(keyId: string): Failure {
  return new Failure('insufficient_credits', 'The key does not have enough credits for this call.', {
    keyId,
  });
}

/** Retries a settlement whose reply was lost; the ledger counts it once. */
async function settleWithRetry(
  { ledger, clock, onPurchase, withinLedgerTime }: MeterDeps & { withinLedgerTime: WithinLedgerTime },
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

/** Retries a refund; if every try fails, the hold is voided when it expires. */
async function undo({ ledger, clock, events }: MeterDeps, id: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return events.creditsRefunded(await ledger.refund({ id, at: clock.now() }));
    } catch (error) {
      if (tries >= REFUND_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, REFUND_PAUSE_MS * 2 ** tries));
    }
  }
}
