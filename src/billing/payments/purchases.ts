import assert from 'node:assert/strict';
import { type Selectable, sql } from 'kysely';
import type { Events } from '../../contract/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { PurchaseTable } from '../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  type LedgerStore,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { createRowLeases } from '../../platform/store/row-leases.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { addPurchasedCredits, lockAccount } from '../ledger/account-queries.ts';
import { assertSome, assertWhole } from '../ledger/prices.ts';
import {
  CardGone,
  type ChargeState,
  type PaymentProvider,
  PaymentThrottled,
  PaymentUncertain,
} from './providers/payment-provider.ts';

const leases = createRowLeases('purchase', { token: 'attempt', until: 'lease_until' });

const here = resolveThreadModule('billing/payments/purchases').href;

/** Leases an open purchase to one executor. Returns null if another executor holds it or it has ended. */
export const claimPurchase = defineProcedure(
  here,
  'claimPurchase',
  { durability: 'flushed' },
  function* ({ db }, args: { id: string; now: number; leaseUntil: number }): Steps<ClaimedPurchase | null> {
    const claimed = yield* readFirst(
      db
        .updateTable('purchase')
        .set(leases.claim(args.leaseUntil))
        .set({ state: 'processing' })
        .where('id', '=', args.id)
        .where('state', 'in', ['created', 'processing'])
        .where(leases.isFree(args.now))
        .returningAll(),
    );
    if (claimed === null) return null;
    const account = yield* readFirst(
      db.selectFrom('account').select(['customer', 'card']).where('key_id', '=', claimed.key_id),
    );
    return { ...claimed, customer: account?.customer ?? null, card: account?.card ?? null };
  },
);

/** Stores the provider's id before anything is charged, so that the charge can be looked up later. */
export const recordPurchaseCharge = defineProcedure(
  here,
  'recordPurchaseCharge',
  { durability: 'flushed' },
  function* ({ db }, { id, charge }: { id: string; charge: string }): Steps<void> {
    yield* readRows(db.updateTable('purchase').set({ charge_id: charge }).where('id', '=', id));
  },
);

/** Ends the lease of an attempt, unless a later attempt has it: the next one may begin at `at`. */
export const releasePurchase = defineProcedure(
  here,
  'releasePurchase',
  { durability: 'kept' },
  function* (
    { db },
    { id, attempt, at, error }: { id: string; attempt: number; at: number; error: string },
  ): Steps<void> {
    yield* readRows(
      db
        .updateTable('purchase')
        .set({ lease_until: at, error })
        .where(leases.isHeld({ id, token: attempt }))
        .where('state', '=', 'processing'),
    );
  },
);

/** Ends a purchase once; idempotent. Returns whether this call ended it. */
export const settlePurchase = defineProcedure(
  here,
  'settlePurchase',
  { durability: 'flushed' },
  function* (ledgerStore, args: { id: string; outcome: PurchaseOutcome; at: number }): Steps<boolean> {
    const { id, outcome, at } = args;
    const known = yield* readFirst(
      ledgerStore.db.selectFrom('purchase').select('key_id').where('id', '=', id),
    );
    if (known === null) return false;
    const account = yield* lockAccount(ledgerStore, known.key_id);
    const purchase = yield* endPurchase(ledgerStore, args);
    if (purchase === null) return false;
    const { key_id: keyId, credits, cents, month } = purchase;
    assertSome(cents, 'a purchase costs at least one whole cent');
    if (outcome.succeeded) {
      const spentBefore = account.reload_month === month ? account.reload_spent_cents : 0;
      assertWhole(spentBefore, "a month's spending is a whole number of cents");
      yield* readRows(
        ledgerStore.db
          .updateTable('account')
          .set({ reload_purchase: null, reload_month: month, reload_spent_cents: spentBefore + cents })
          .where('key_id', '=', keyId),
      );
      yield* addPurchasedCredits(ledgerStore, { keyId, credits, kind: 'reload', ref: id, at });
    } else
      yield* readRows(
        ledgerStore.db
          .updateTable('account')
          .set({ reload_purchase: null, reload_enabled: 0, reload_error: outcome.error })
          .where('key_id', '=', keyId),
      );
    return true;
  },
);

/** Executes the purchases that auto-reload decided on. */
export type Purchases = {
  /** Advances a purchase as far as possible; one that stays open is resumed later. Idempotent, in any process. */
  execute(purchaseId: string): Promise<void>;
  /** Ends the purchase of a charge if the charge has ended. */
  settleBy(charge: ChargeState): Promise<void>;
  /** Lists open purchases without a current lease, oldest first, at most DUE_MAX. */
  due(): Promise<string[]>;
};

const DUE_MAX = 100;
/** Lease of an execution; longer than all its calls to the provider can take. */
const LEASE_MS = 240_000;
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
/** Pause after the provider rejected the request itself: the operator has to fix something first. */
const MISUSE_PAUSE_MS = 300_000;

type PurchaseDeps = {
  ledgerStore: LedgerStore;
  provider: PaymentProvider;
  clock: Clock;
  events: Events;
  log: Log;
};

export function createPurchases(deps: PurchaseDeps): Purchases {
  const { ledgerStore, clock } = deps;
  return {
    async execute(id) {
      const now = clock.now();
      const purchase = await ledgerStore.run(claimPurchase, { id, now, leaseUntil: now + LEASE_MS });
      if (purchase !== null) await pay(deps, purchase);
    },
    settleBy: (charge) => settleBy(deps, charge),
    async due() {
      const rows = await ledgerStore.db
        .selectFrom('purchase')
        .select('id')
        // A literal: SQLite does not use a partial index for a parameter.
        .where(sql<boolean>`state in ('created', 'processing')`)
        .where(leases.isFree(clock.now()))
        .orderBy('created_at')
        .limit(DUE_MAX)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

async function pay(deps: PurchaseDeps, purchase: ClaimedPurchase): Promise<void> {
  const { provider } = deps;
  try {
    const charge = await ensureCharge(deps, purchase);
    if (charge === null)
      return await settle(deps, purchase.id, { succeeded: false, error: 'no_payment_method' });
    await settleBy(
      deps,
      charge.state === 'prepared' ? await provider.confirmCharge(charge.id, purchase.attempt) : charge,
    );
  } catch (error) {
    if (error instanceof CardGone)
      return await settle(deps, purchase.id, { succeeded: false, error: 'no_payment_method' });
    await postpone(deps, purchase, error);
  }
}

/** Returns the purchase's charge: a known one, one whose id was lost, or a new one. Null if there is no card. */
async function ensureCharge(
  { ledgerStore, provider }: PurchaseDeps,
  purchase: ClaimedPurchase,
): Promise<ChargeState | null> {
  const { id, charge_id, attempt, customer, card, cents, created_at } = purchase;
  if (charge_id !== null) return assertPrice(cents, await provider.getCharge(charge_id));
  if (customer === null || card === null) return null;
  const lost = attempt > 1 ? await provider.findCharge({ reference: id, customer, since: created_at }) : null;
  const charge = lost ?? (await provider.prepareCharge({ reference: id, cents, customer, card }));
  await ledgerStore.run(recordPurchaseCharge, { id, charge: charge.id });
  return assertPrice(cents, charge);
}

/** Asserts that a charge has the purchase's price, and returns it. */
function assertPrice(cents: number, charge: ChargeState): ChargeState {
  assert(charge.cents === cents, 'a charge is of the price of its purchase');
  return charge;
}

async function settleBy(deps: PurchaseDeps, charge: ChargeState): Promise<void> {
  const { reference, state } = charge;
  if (reference === null) return;
  if (state === 'succeeded') return settle(deps, reference, { succeeded: true });
  if (state !== 'declined' && state !== 'canceled') return;
  // Canceled first: a purchase must not fail while its charge could still be confirmed.
  const closed = state === 'canceled' ? charge : await deps.provider.cancelCharge(charge.id);
  if (closed.state === 'succeeded') return settle(deps, reference, { succeeded: true });
  return settle(deps, reference, { succeeded: false, error: charge.declineCode ?? 'canceled' });
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

/** Leaves a purchase open for a later attempt, because its charge's state is unknown. */
async function postpone(
  { ledgerStore, clock, log }: PurchaseDeps,
  { id, attempt }: ClaimedPurchase,
  error: unknown,
): Promise<void> {
  const isPassing = error instanceof PaymentUncertain || error instanceof PaymentThrottled;
  if (isPassing) log.warn({ purchaseId: id, err: error }, 'a purchase did not finish and will be retried');
  else log.error({ purchaseId: id, err: error }, 'a purchase cannot proceed and will be retried later');
  const pause = isPassing ? Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** Math.min(attempt, 10)) : MISUSE_PAUSE_MS;
  const why = error instanceof Error ? error.name : 'failed';
  await ledgerStore.run(releasePurchase, { id, attempt, at: clock.now() + pause, error: why });
}

type ClaimedPurchase = Selectable<PurchaseTable> & { customer: string | null; card: string | null };

type PurchaseOutcome = { succeeded: true } | { succeeded: false; error: string };

function* endPurchase(
  { db }: LedgerQueries,
  { id, outcome }: { id: string; outcome: PurchaseOutcome },
): Steps<Selectable<PurchaseTable> | null> {
  return yield* readFirst(
    db
      .updateTable('purchase')
      .set(
        outcome.succeeded ? { state: 'succeeded', error: null } : { state: 'failed', error: outcome.error },
      )
      .where('id', '=', id)
      .where('state', 'in', ['created', 'processing'])
      .returningAll(),
  );
}
