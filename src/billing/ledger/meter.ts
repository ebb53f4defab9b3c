import { Failure } from '../../contract/errors.ts';
import { DAY_MS } from '../../platform/clock.ts';
import type { KeyLimiter, KeyLimits } from '../limits/key-limits.ts';
import type { Allowance } from './allowance.ts';
import {
  type Charge,
  createKeyCharge,
  createLedgerTimeout,
  type KeyChargeDeps,
  LEASE_MS,
  type Leases,
} from './key-charge.ts';
import { RENEWED_MAX } from './ledger.ts';

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
  hold: async () => {},
  holdUpTo: async (credits) => credits,
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
