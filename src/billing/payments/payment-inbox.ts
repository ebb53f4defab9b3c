import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import {
  defineProcedure,
  type LedgerStore,
  readFirst,
  readRows,
  type Steps,
} from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';
import { forgetCard } from './auto-reload.ts';
import type { FulfillingCheckouts } from './checkouts.ts';
import type { ChargeState, PaymentEvent, PaymentProvider } from './providers/payment-provider.ts';
import type { Purchases } from './purchases.ts';
import { applyReversals, countReversals } from './refund-dispute-procedures.ts';

/**
 * Stores the provider's events before acting on them. An event only signals that an object changed; the object itself is
 * read, so that repeated, late and reordered events lead to the same state.
 */
export type PaymentInbox = {
  /** Stores an event; resolves to false if it is already known. */
  take(event: PaymentEvent): Promise<boolean>;
  /** Applies an event. One that fails stays open. */
  handle(eventId: string): Promise<void>;
  /** Lists unhandled events, oldest first, at most OPEN_MAX. */
  open(): Promise<string[]>;
};

const OPEN_MAX = 100;
const TRIES_MAX = 50;

export const keepEvent = defineProcedure(
  resolveThreadModule('billing/payments/payment-inbox').href,
  'keepEvent',
  { durability: 'flushed', oneStatement: true },
  function* ({ db }, { id, type, createdAt, object }: PaymentEvent): Steps<boolean> {
    const kept = yield* readFirst(
      db
        .insertInto('payment_event')
        .values({ id, type, created_at: createdAt, object_kind: object.kind, object_id: object.id })
        .onConflict((row) => row.column('id').doNothing())
        .returning('id'),
    );
    return kept !== null;
  },
);

export const recordEventTried = defineProcedure(
  resolveThreadModule('billing/payments/payment-inbox').href,
  'recordEventTried',
  { durability: 'kept', oneStatement: true },
  function* ({ db }, { id, handledAt }: { id: string; handledAt: number | null }): Steps<void> {
    yield* readRows(
      db
        .updateTable('payment_event')
        .set({ tries: sql<number>`tries + 1`, handled_at: handledAt })
        .where('id', '=', id),
    );
  },
);

type InboxDeps = {
  ledgerStore: LedgerStore;
  provider: PaymentProvider;
  checkouts: Pick<FulfillingCheckouts, 'fulfil'>;
  purchases: Pick<Purchases, 'settleBy'>;
  clock: Clock;
  log: Log;
};

export function createPaymentInbox(deps: InboxDeps): PaymentInbox {
  const { ledgerStore, clock, log } = deps;
  return {
    take: (event) => ledgerStore.run(keepEvent, event),
    async handle(id) {
      const event = await ledgerStore.db
        .selectFrom('payment_event')
        .select(['object_kind', 'object_id', 'handled_at'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (event === undefined || event.handled_at !== null) return;
      try {
        await act(deps, { kind: event.object_kind, id: event.object_id });
        await ledgerStore.run(recordEventTried, { id, handledAt: clock.now() });
      } catch (error) {
        log.warn({ eventId: id, err: error }, 'a payment event could not be handled and will be retried');
        await ledgerStore.run(recordEventTried, { id, handledAt: null });
      }
    },
    async open() {
      const rows = await ledgerStore.db
        .selectFrom('payment_event')
        .select('id')
        .where('handled_at', 'is', null)
        .where('tries', '<', TRIES_MAX)
        .orderBy('created_at')
        .limit(OPEN_MAX)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

async function act(deps: InboxDeps, object: PaymentEvent['object']): Promise<void> {
  const { ledgerStore, checkouts } = deps;
  if (object.kind === 'checkout') await checkouts.fulfil(object.id);
  else if (object.kind === 'charge') await actOnCharge(deps, object.id);
  else if (object.kind === 'card' || object.kind === 'customer')
    await ledgerStore.run(forgetCard, { by: object.kind, id: object.id });
}

/** Maximum reads of a charge whose sale keeps changing; after that the event stays open. */
const READS_MAX = 3;

async function actOnCharge(deps: InboxDeps, chargeId: string): Promise<void> {
  const { ledgerStore, clock } = deps;
  for (let read = 1; read <= READS_MAX; read++) {
    // Read before the charge: of two handlers, the one with the older state must not write last.
    const seen = await countReversals(ledgerStore, chargeId);
    const charge = await deps.provider.getCharge(chargeId);
    await settleSale(deps, charge);
    const { refundedCents, lostCents, dispute } = charge;
    if (seen === 0 && refundedCents === 0 && lostCents === 0 && dispute === 'none') return;
    const reversals = { charge: charge.id, seen, refundedCents, lostCents, dispute };
    if (await ledgerStore.run(applyReversals, { ...reversals, at: clock.now() })) return;
  }
  throw new Error('the sale of this charge changed again and again');
}

async function settleSale(
  { ledgerStore, checkouts, purchases }: InboxDeps,
  charge: ChargeState,
): Promise<void> {
  const checkout = await ledgerStore.db
    .selectFrom('checkout')
    .select('provider_id')
    .where('id', '=', charge.reference ?? '')
    .executeTakeFirst();
  // A declined charge of a checkout changes nothing: the buyer may try again on the payment page.
  if (checkout?.provider_id != null) await checkouts.fulfil(checkout.provider_id);
  else await purchases.settleBy(charge);
}

/** When an event was created at the provider, and when it was handled here; null: not yet. */
export type EventTimes = { createdAt: number; handledAt: number | null };

/** Lists the last `count` events, newest first. */
export function listLastEvents({ db }: LedgerStore, count: number): Promise<EventTimes[]> {
  return db
    .selectFrom('payment_event')
    .select(['created_at as createdAt', 'handled_at as handledAt'])
    .orderBy('created_at', 'desc')
    .limit(count)
    .execute();
}
