import { type Clock, DAY_MS } from '../../platform/clock.ts';
import type { CheckoutTable, PurchaseTable } from '../../platform/store/ledger/ledger-tables.ts';
import type { LedgerStore } from '../../platform/store/ledger/procedure.ts';

/** A provider event that is not handled yet. */
type OpenEvent = { id: string; type: string; createdAt: number; tries: number };
/** A payment page that the provider reported on, but that gave no credits. */
type UnmatchedCheckout = Pick<CheckoutTable, 'id' | 'pack' | 'cents' | 'state'> & { createdAt: number };
/** A payment that the provider reported, but that matches no sale here. */
type StrayCharge = { event: string; charge: string; createdAt: number };
type TroubledReload = Pick<PurchaseTable, 'id' | 'pack' | 'cents' | 'state' | 'error'> & {
  keyId: string;
  createdAt: number;
};

type Dispute = { id: string; keyId: string | null; cents: number };

/** Overview of payments for the operator. Lists are newest first, with at most LISTED_MAX items. */
export type PaymentOverview = {
  /** Sales of the last 30 days. */
  sold: { how: 'checkout' | 'auto-reload'; pack: string; count: number; cents: number }[];
  openEvents: OpenEvent[];
  unmatched: UnmatchedCheckout[];
  stray: StrayCharge[];
  reloads: TroubledReload[];
  disputes: Dispute[];
};

const LISTED_MAX = 50;
const SOLD_DAYS = 30;
/** Age below which payment pages and reloads may still be in progress. */
const SETTLED_MS = 600_000;

/** Reads the state of payments from the ledger, without asking the provider. */
export async function readPaymentOverview({
  ledgerStore,
  clock,
}: {
  ledgerStore: Pick<LedgerStore, 'snapshot'>;
  clock: Clock;
}): Promise<PaymentOverview> {
  const now = clock.now();
  return ledgerStore.snapshot(async (db) => ({
    sold: await readSalesSince(db, now - SOLD_DAYS * DAY_MS),
    openEvents: await listOpenEvents(db),
    unmatched: await listUnmatchedCheckouts(db, now - SETTLED_MS),
    stray: await listStrayCharges(db),
    reloads: await listTroubledReloads(db, now - SETTLED_MS),
    disputes: await listOpenDisputes(db),
  }));
}

type Db = LedgerStore['db'];

async function readSalesSince(db: Db, since: number): Promise<PaymentOverview['sold']> {
  const checkouts = await db
    .selectFrom('checkout')
    .select(({ fn }) => ['pack', fn.countAll<number>().as('count'), fn.sum<number>('cents').as('cents')])
    .where('state', '=', 'fulfilled')
    .where('created_at', '>=', since)
    .groupBy('pack')
    .orderBy('pack')
    .execute();
  const reloads = await db
    .selectFrom('purchase')
    .select(({ fn }) => ['pack', fn.countAll<number>().as('count'), fn.sum<number>('cents').as('cents')])
    .where('state', '=', 'succeeded')
    .where('created_at', '>=', since)
    .groupBy('pack')
    .orderBy('pack')
    .execute();
  const createSaleMapper = (how: 'checkout' | 'auto-reload') => (row: (typeof checkouts)[number]) => ({
    how,
    pack: row.pack,
    count: Number(row.count),
    cents: Number(row.cents),
  });
  return [...checkouts.map(createSaleMapper('checkout')), ...reloads.map(createSaleMapper('auto-reload'))];
}

function listOpenEvents(db: Db): Promise<OpenEvent[]> {
  return db
    .selectFrom('payment_event')
    .select(['id', 'type', 'created_at as createdAt', 'tries'])
    .where('handled_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(LISTED_MAX)
    .execute();
}

function listUnmatchedCheckouts(db: Db, before: number): Promise<UnmatchedCheckout[]> {
  return db
    .selectFrom('checkout')
    .select(['id', 'pack', 'cents', 'state', 'created_at as createdAt'])
    .where('state', 'not in', ['fulfilled', 'expired'])
    .where('created_at', '<', before)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('payment_event')
          .select('payment_event.id')
          .where('object_kind', '=', 'checkout')
          .where('handled_at', 'is not', null)
          .whereRef('object_id', '=', 'checkout.provider_id'),
      ),
    )
    .orderBy('created_at', 'desc')
    .limit(LISTED_MAX)
    .execute();
}

function listStrayCharges(db: Db): Promise<StrayCharge[]> {
  return db
    .selectFrom('payment_event')
    .select(['type as event', 'object_id as charge', 'created_at as createdAt'])
    .where('object_kind', '=', 'charge')
    .where('handled_at', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('checkout').select('id').whereRef('charge_id', '=', 'payment_event.object_id'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('purchase').select('id').whereRef('charge_id', '=', 'payment_event.object_id'))),
    )
    .orderBy('created_at', 'desc')
    .limit(LISTED_MAX)
    .execute();
}

function listTroubledReloads(db: Db, before: number): Promise<TroubledReload[]> {
  return db
    .selectFrom('purchase')
    .select(['id', 'key_id as keyId', 'pack', 'cents', 'state', 'error', 'created_at as createdAt'])
    .where(({ or, and, eb }) =>
      or([
        eb('state', '=', 'failed'),
        and([eb('state', 'in', ['created', 'processing']), eb('created_at', '<', before)]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .limit(LISTED_MAX)
    .execute();
}

async function listOpenDisputes(db: Db): Promise<Dispute[]> {
  const checkouts = await db
    .selectFrom('checkout')
    .select(['id', 'key_id as keyId', 'cents'])
    .where('dispute', '=', 'open')
    .limit(LISTED_MAX)
    .execute();
  const purchases = await db
    .selectFrom('purchase')
    .select(['id', 'key_id as keyId', 'cents'])
    .where('dispute', '=', 'open')
    .limit(LISTED_MAX)
    .execute();
  return [...checkouts, ...purchases].slice(0, LISTED_MAX);
}
