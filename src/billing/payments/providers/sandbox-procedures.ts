import type { SandboxObjectTable } from '../../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  readFirst,
  readRows,
  type Steps,
} from '../../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../../platform/threads/thread-modules.ts';
import type { ChargeOrder, CheckoutOrder } from './payment-provider.ts';
import type { SandboxAction } from './sandbox-objects.ts';
import {
  applyAction,
  type CardBody,
  type ChargeBody,
  type CheckoutBody,
  computePageState,
  createChargeBody,
  createCheckoutBody,
  DECLINED,
  deriveSandboxIds,
} from './sandbox-objects.ts';

type Kind = SandboxObjectTable['kind'];
type BodyByKind = { checkout: CheckoutBody; charge: ChargeBody; card: CardBody };

const here = resolveThreadModule('billing/payments/providers/sandbox-procedures').href;

/** Opens a page, or returns the one that the reference already has. */
export const openSandboxCheckout = defineProcedure(
  here,
  'openSandboxCheckout',
  { durability: 'kept' },
  function* (ledgerStore, { wanted, now }: { wanted: CheckoutOrder; now: number }): Steps<CheckoutBody> {
    const { reference } = wanted;
    const { checkout: id } = deriveSandboxIds(reference);
    return yield* addOnce(ledgerStore, 'checkout', {
      id,
      reference,
      body: createCheckoutBody(wanted, now),
      now,
    });
  },
);

/** Applies the buyer's action to an open page; leaves any other unchanged. Returns the page after it, or null if there is none. */
export const actOnSandboxCheckout = defineProcedure(
  here,
  'actOnSandboxCheckout',
  { durability: 'kept' },
  function* (
    ledgerStore,
    { id, action, now }: { id: string; action: SandboxAction; now: number },
  ): Steps<CheckoutBody | null> {
    const before = yield* lockObject(ledgerStore, 'checkout', id);
    if (before === null || computePageState(before, now) !== 'open') return before;
    const after = applyAction(before, action);
    yield* replace(ledgerStore, { id, body: after, now });
    if (after.state === 'paid') yield* recordPayment(ledgerStore, { checkout: after, action, now });
    return after;
  },
);

function* recordPayment(
  ledgerStore: LedgerQueries,
  { checkout, action, now }: { checkout: CheckoutBody; action: SandboxAction; now: number },
): Steps<void> {
  const { reference, cents, saveCard } = checkout.wanted;
  const ids = deriveSandboxIds(reference);
  const isKept = saveCard !== null;
  const wanted = { cents, customer: isKept ? ids.customer : null, card: isKept ? ids.card : null };
  const charge = createChargeBody(wanted, { state: 'succeeded', now });
  yield* addOnce(ledgerStore, 'charge', { id: ids.charge, reference, body: charge, now });
  if (!isKept) return;
  const laterCharges = action === 'pay-later-declined' ? 'are declined' : 'succeed';
  const card: CardBody = { customer: ids.customer, laterCharges };
  yield* addOnce(ledgerStore, 'card', { id: ids.card, reference, body: card, now });
}

/** Prepares a charge, or returns the one that the reference already has; null if the customer has no such card. */
export const prepareSandboxCharge = defineProcedure(
  here,
  'prepareSandboxCharge',
  { durability: 'kept' },
  function* (ledgerStore, { wanted, now }: { wanted: ChargeOrder; now: number }): Steps<ChargeBody | null> {
    const { reference, cents, customer, card } = wanted;
    const owned = yield* lockObject(ledgerStore, 'card', card);
    if (owned?.customer !== customer) return null;
    const { charge: id } = deriveSandboxIds(reference);
    const body = createChargeBody({ cents, customer, card }, { state: 'prepared', now });
    return yield* addOnce(ledgerStore, 'charge', { id, reference, body, now });
  },
);

/** Confirms or cancels a prepared charge; a declined one can only be canceled. Returns the charge after it, or null if there is none. */
export const endSandboxCharge = defineProcedure(
  here,
  'endSandboxCharge',
  { durability: 'kept' },
  function* (
    ledgerStore,
    { id, how, now }: { id: string; how: 'confirm' | 'cancel'; now: number },
  ): Steps<ChargeBody | null> {
    const before = yield* lockObject(ledgerStore, 'charge', id);
    const isOpen = before?.state === 'prepared' || (before?.state === 'declined' && how === 'cancel');
    if (before === null || !isOpen) return before;
    const after =
      how === 'cancel'
        ? { ...before, state: 'canceled' as const }
        : yield* confirmCharge(ledgerStore, before);
    yield* replace(ledgerStore, { id, body: after, now });
    return after;
  },
);

/** Removes a saved card: later charges of it are declined. */
export const removeSandboxCard = defineProcedure(
  here,
  'removeSandboxCard',
  { durability: 'kept', oneStatement: true },
  function* ({ db }, { id }: { id: string }): Steps<void> {
    yield* readRows(db.deleteFrom('sandbox_object').where('id', '=', id).where('kind', '=', 'card'));
  },
);

function* confirmCharge(ledgerStore: LedgerQueries, charge: ChargeBody): Steps<ChargeBody> {
  const card = yield* lockObject(ledgerStore, 'card', charge.wanted.card ?? '');
  return card?.laterCharges === 'succeed'
    ? { ...charge, state: 'succeeded' }
    : { ...charge, state: 'declined', declineCode: DECLINED };
}

/** Reads an object and locks it until the procedure ends. */
function* lockObject<K extends Kind>(
  { db, dialect }: LedgerQueries,
  kind: K,
  id: string,
): Steps<BodyByKind[K] | null> {
  const stored = db.selectFrom('sandbox_object').select('body').where('id', '=', id).where('kind', '=', kind);
  const row = yield* readFirst(dialect === 'postgres' ? stored.forUpdate() : stored);
  return row === null ? null : parseObjectBody(kind, row.body);
}

type NewObject<Body> = { id: string; reference: string; body: Body; now: number };

function* addOnce<K extends Kind>(
  ledgerStore: LedgerQueries,
  kind: K,
  { id, reference, body, now }: NewObject<BodyByKind[K]>,
): Steps<BodyByKind[K]> {
  yield* readRows(
    ledgerStore.db
      .insertInto('sandbox_object')
      .values({ id, kind, reference, body: JSON.stringify(body), updated_at: now })
      .onConflict((row) => row.columns(['kind', 'reference']).doNothing()),
  );
  return (yield* lockObject(ledgerStore, kind, id)) ?? body;
}

function* replace(
  { db }: LedgerQueries,
  { id, body, now }: { id: string; body: CheckoutBody | ChargeBody; now: number },
): Steps<void> {
  yield* readRows(
    db
      .updateTable('sandbox_object')
      .set({ body: JSON.stringify(body), updated_at: now })
      .where('id', '=', id),
  );
}

/** Parses a row's body. Rows are written only in this file, with a body of their kind. */
export function parseObjectBody<K extends Kind>(_kind: K, text: string): BodyByKind[K] {
  return JSON.parse(text) as BodyByKind[K];
}
