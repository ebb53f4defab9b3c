import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../platform/clock.ts';
import type { SandboxObjectTable } from '../../../platform/store/ledger/ledger-tables.ts';
import {
  defineProcedure,
  type LedgerQueries,
  type LedgerStore,
  readFirst,
  readRows,
  type Steps,
} from '../../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../../platform/threads/thread-modules.ts';
import {
  BadSignature,
  CardGone,
  type ChargeOrder,
  type ChargeState,
  type CheckoutOrder,
  EVENTS_MAX,
  type PaymentEvent,
  PaymentMisuse,
  type PaymentProvider,
} from './payment-provider.ts';
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
  type SandboxAction,
  type SandboxPage,
  toChargeState,
  toCheckoutState,
} from './sandbox-objects.ts';

const here = resolveThreadModule('billing/payments/providers/sandbox').href;

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

type SandboxDeps = {
  ledgerStore: LedgerStore;
  clock: Clock;
  /** Base URL of the pages, without a trailing slash. */
  siteUrl(): string;
};

type Sandbox = { provider: PaymentProvider; page: SandboxPage };

/** The built-in stand-in for a payment provider: buying and auto-reload work from end to end, but no money moves. */
export function createSandbox(deps: SandboxDeps): Sandbox {
  return { provider: createSandboxProvider(deps), page: createSandboxPage(deps) };
}

function createSandboxProvider({ ledgerStore, clock, siteUrl }: SandboxDeps): PaymentProvider {
  const end = async (id: string, how: 'confirm' | 'cancel'): Promise<ChargeState> => {
    const { reference } = await readChargeRow(ledgerStore, id);
    const charge = await ledgerStore.run(endSandboxCharge, { id, how, now: clock.now() });
    if (charge === null) throw createUnknownError('charge', id);
    return toChargeState(reference, charge);
  };
  return {
    name: 'sandbox',
    async openCheckout(wanted) {
      const opened = await ledgerStore.run(openSandboxCheckout, { wanted, now: clock.now() });
      checkSame(opened.wanted, wanted);
      const { checkout: id } = deriveSandboxIds(wanted.reference);
      return { id, url: `${siteUrl()}/sandbox/pay/${id}` };
    },
    async getCheckout(id) {
      const checkout = await findCheckout(ledgerStore, id);
      if (checkout === null) throw createUnknownError('checkout', id);
      return toCheckoutState(checkout, clock.now());
    },
    async prepareCharge(wanted) {
      const charge = await ledgerStore.run(prepareSandboxCharge, { wanted, now: clock.now() });
      if (charge === null) throw new CardGone(`the customer has no card ${wanted.card}`);
      const { reference, ...rest } = wanted;
      checkSame(charge.wanted, rest);
      return toChargeState(reference, charge);
    },
    // Idempotent through the charge's own state, so the attempt does not matter.
    confirmCharge: (id, _attempt) => end(id, 'confirm'),
    cancelCharge: (id) => end(id, 'cancel'),
    async getCharge(id) {
      const { reference, body } = await readChargeRow(ledgerStore, id);
      return toChargeState(reference, body);
    },
    removeCard: (id) => ledgerStore.run(removeSandboxCard, { id }),
    receiptOf: async () => null,
    async findCharge({ reference, customer, since }) {
      const row = await findRow(ledgerStore, deriveSandboxIds(reference).charge);
      const charge = row === null ? null : parseObjectBody('charge', row.body);
      const isMeant = charge?.wanted.customer === customer && charge.createdAt >= since;
      return charge !== null && isMeant ? toChargeState(reference, charge) : null;
    },
    readEvent() {
      throw new BadSignature('the sandbox sends no events');
    },
    listEvents: (since) => listEvents(ledgerStore, since),
  };
}

function createSandboxPage({ ledgerStore, clock }: SandboxDeps): SandboxPage {
  return {
    async get(id) {
      const checkout = await findCheckout(ledgerStore, id);
      if (checkout === null) return null;
      const { wanted, description, lastError } = checkout;
      const state = computePageState(checkout, clock.now());
      return {
        id,
        state,
        cents: wanted.cents,
        description,
        terms: wanted.saveCard?.terms ?? null,
        lastError,
      };
    },
    async act(id, action) {
      const checkout = await ledgerStore.run(actOnSandboxCheckout, { id, action, now: clock.now() });
      if (checkout === null) return { goTo: null };
      const { successUrl, cancelUrl } = checkout.wanted;
      if (checkout.state === 'paid') return { goTo: successUrl.replaceAll('{CHECKOUT_ID}', id) };
      return { goTo: action === 'leave' ? cancelUrl : null };
    },
  };
}

/** Lists one event for each object that changed since then, in its current state. */
async function listEvents({ db }: LedgerStore, since: number): Promise<PaymentEvent[]> {
  const rows = await db
    .selectFrom('sandbox_object')
    .selectAll()
    .where('kind', 'in', ['checkout', 'charge'])
    .where('updated_at', '>=', since)
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(EVENTS_MAX)
    .execute();
  return rows.map(({ id, kind, body, updated_at }): PaymentEvent => {
    const changed = kind === 'checkout' ? 'checkout' : 'charge';
    const { state } = parseObjectBody(changed, body);
    return {
      id: `sbx_evt_${id}_${state}`,
      type: `sandbox.${changed}.${state}`,
      createdAt: updated_at,
      object: { kind: changed, id },
    };
  });
}

async function findCheckout(ledgerStore: LedgerStore, id: string): Promise<CheckoutBody | null> {
  const row = await findRow(ledgerStore, id);
  return row?.kind === 'checkout' ? parseObjectBody('checkout', row.body) : null;
}

async function readChargeRow(
  ledgerStore: LedgerStore,
  id: string,
): Promise<{ reference: string; body: ChargeBody }> {
  const row = await findRow(ledgerStore, id);
  if (row?.kind !== 'charge') throw createUnknownError('charge', id);
  return { reference: row.reference, body: parseObjectBody('charge', row.body) };
}

async function findRow({ db }: LedgerStore, id: string) {
  return (await db.selectFrom('sandbox_object').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Throws if a reference is used again for something else. */
function checkSame(stored: object, wanted: object): void {
  if (!isDeepStrictEqual(stored, wanted))
    throw new PaymentMisuse('the reference was already used for something else');
}

function createUnknownError(what: string, id: string): PaymentMisuse {
  return new PaymentMisuse(`there is no ${what} ${id}`);
}

type Kind = SandboxObjectTable['kind'];

type BodyByKind = { checkout: CheckoutBody; charge: ChargeBody; card: CardBody };

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
function parseObjectBody<K extends Kind>(_kind: K, text: string): BodyByKind[K] {
  return JSON.parse(text) as BodyByKind[K];
}
