import { sql } from 'kysely';
import type { Events } from '../../contract/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { LedgerStore } from '../../platform/store/ledger/ledger-store.ts';
import {
  CardGone,
  type ChargeState,
  type PaymentProvider,
  PaymentThrottled,
  PaymentUncertain,
} from './providers/payment-provider.ts';
import {
  type ClaimedPurchase,
  claimPurchase,
  type PurchaseOutcome,
  recordPurchaseCharge,
  releasePurchase,
  settlePurchase,
} from './purchase-procedures.ts';

/** Carries out what auto-reload decided. */
export type Purchases = {
  /** Takes a purchase as far as it goes now; what stays open is taken up again. Any number of times, from any process. */
  execute(purchaseId: string): Promise<void>;
  /** Ends a purchase by what the provider says of its charge. */
  settleBy(charge: ChargeState): Promise<void>;
  /** Open purchases that nobody works on, oldest first, at most DUE_MAX. */
  due(): Promise<string[]>;
};

const DUE_MAX = 100;
/** Longer than all calls of one execution together may take. */
const LEASE_MS = 240_000;
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
/** When the provider refuses the request itself, somebody has to mend something first. */
const MISUSE_PAUSE_MS = 300_000;

type PurchaseDeps = {
  ledgerStore: LedgerStore;
  provider: PaymentProvider;
  clock: Clock;
  events: Events;
  log: Log;
};

export function createPurchases(parts: PurchaseDeps): Purchases {
  const { ledgerStore, clock } = parts;
  return {
    async execute(id) {
      const now = clock.now();
      const purchase = await ledgerStore.run(claimPurchase, { id, now, leaseUntil: now + LEASE_MS });
      if (purchase !== null) await pay(parts, purchase);
    },
    settleBy: (charge) => settleBy(parts, charge),
    async due() {
      const rows = await ledgerStore.db
        .selectFrom('purchase')
        .select('id')
        // Spelled out: SQLite does not find the partial index behind a parameter.
        .where(sql<boolean>`state in ('created', 'processing')`)
        .where('lease_until', '<=', clock.now())
        .orderBy('created_at')
        .limit(DUE_MAX)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

async function pay(parts: PurchaseDeps, purchase: ClaimedPurchase): Promise<void> {
  const { provider } = parts;
  try {
    const charge = await chargeOf(parts, purchase);
    if (charge === null)
      return await settle(parts, purchase.id, { succeeded: false, error: 'no_payment_method' });
    await settleBy(
      parts,
      charge.state === 'prepared' ? await provider.confirmCharge(charge.id, purchase.attempt) : charge,
    );
  } catch (error) {
    if (error instanceof CardGone)
      return await settle(parts, purchase.id, { succeeded: false, error: 'no_payment_method' });
    await postpone(parts, purchase, error);
  }
}

/** The purchase's charge: the one that is known, one whose id was lost on the way, or a new one. Null when there is no card. */
async function chargeOf(
  { ledgerStore, provider }: PurchaseDeps,
  purchase: ClaimedPurchase,
): Promise<ChargeState | null> {
  const { id, charge_id, attempt, customer, card, cents, created_at } = purchase;
  if (charge_id !== null) return provider.getCharge(charge_id);
  if (customer === null || card === null) return null;
  const lost = attempt > 1 ? await provider.findCharge({ reference: id, customer, since: created_at }) : null;
  const charge = lost ?? (await provider.prepareCharge({ reference: id, cents, customer, card }));
  await ledgerStore.run(recordPurchaseCharge, { id, charge: charge.id });
  return charge;
}

async function settleBy(parts: PurchaseDeps, charge: ChargeState): Promise<void> {
  const { reference, state } = charge;
  if (reference === null) return;
  if (state === 'succeeded') return settle(parts, reference, { succeeded: true });
  if (state !== 'declined' && state !== 'canceled') return;
  // Closed first: a charge that somebody could still confirm must not be told as failed.
  const closed = state === 'canceled' ? charge : await parts.provider.cancelCharge(charge.id);
  if (closed.state === 'succeeded') return settle(parts, reference, { succeeded: true });
  return settle(parts, reference, { succeeded: false, error: charge.declineCode ?? 'canceled' });
}

async function settle(
  { ledgerStore, clock, events }: PurchaseDeps,
  id: string,
  outcome: PurchaseOutcome,
): Promise<void> {
  const now = await ledgerStore.run(settlePurchase, { id, outcome, at: clock.now() });
  if (!now) return;
  if (!outcome.succeeded) return events.autoReloadFailed({ purchaseId: id, error: outcome.error });
  const { pack } = await ledgerStore.db
    .selectFrom('purchase')
    .select('pack')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  events.packSold({ pack, how: 'auto-reload' });
}

/** Whether it was paid is not known, or cannot be asked now: the purchase stays open and is looked at again. */
async function postpone(
  { ledgerStore, clock, log }: PurchaseDeps,
  { id, attempt }: ClaimedPurchase,
  error: unknown,
): Promise<void> {
  const isPassing = error instanceof PaymentUncertain || error instanceof PaymentThrottled;
  if (isPassing) log.warn({ purchaseId: id, err: error }, 'a purchase is looked at again');
  else log.error({ purchaseId: id, err: error }, 'a purchase cannot go on');
  const pause = isPassing ? Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** Math.min(attempt, 10)) : MISUSE_PAUSE_MS;
  const why = error instanceof Error ? error.name : 'failed';
  await ledgerStore.run(releasePurchase, { id, at: clock.now() + pause, error: why });
}
