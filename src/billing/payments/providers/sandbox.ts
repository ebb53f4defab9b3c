import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../platform/clock.ts';
import type { LedgerStore } from '../../../platform/store/ledger/ledger-store.ts';
import {
  BadSignature,
  CardGone,
  type ChargeState,
  EVENTS_MAX,
  type PaymentEvent,
  PaymentMisuse,
  type PaymentProvider,
} from './payment-provider.ts';
import type { SandboxPage } from './sandbox-objects.ts';
import {
  type ChargeBody,
  type CheckoutBody,
  computePageState,
  deriveSandboxIds,
  toChargeState,
  toCheckoutState,
} from './sandbox-objects.ts';
import {
  actOnSandboxCheckout,
  endSandboxCharge,
  openSandboxCheckout,
  parseObjectBody,
  prepareSandboxCharge,
  removeSandboxCard,
} from './sandbox-procedures.ts';

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
