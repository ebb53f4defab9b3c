import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  CheckoutOrder,
  PaymentProvider,
} from '../../src/billing/payments/providers/payment-provider.ts';
import { createSandbox } from '../../src/billing/payments/providers/sandbox.ts';
import type { SandboxAction, SandboxPage } from '../../src/billing/payments/providers/sandbox-objects.ts';
import { createStripe, type StripeLimits } from '../../src/billing/payments/providers/stripe.ts';
import { openLedgerStore } from '../../src/platform/store/ledger/open-ledger-store.ts';
import { type MovedClock, movedClock } from '../fixtures/moved-clock.ts';
import { type FakeStripe, startStripe } from '../fixtures/stripe/fake-stripe.ts';
import type { CardBehaviour } from '../fixtures/stripe/objects.ts';

/** A provider with the people around it. */
export type Staged = {
  provider: PaymentProvider;
  clock: MovedClock;
  /** The buyer on the payment page; the card is what is charged later, where it is kept. */
  pay(checkoutId: string, card?: CardBehaviour): Promise<void>;
  beDeclined(checkoutId: string): Promise<void>;
  /** Ids of the charges that have really moved money. */
  paid(): Promise<string[]>;
  close(): Promise<void>;
};

export type StagedStripe = Staged & {
  fixture: FakeStripe;
  /** Another client of the same account, with bounds of its own. */
  providerWithin(limits: StripeLimits): PaymentProvider;
};
export type StagedSandbox = Staged & { page: SandboxPage };

export const SECRET = 'whsec_current';
/** A lost connection is tried again once even so. */
export const ONE_TRY: StripeLimits = { timeoutMs: 5_000, retries: 0 };

export async function stageStripe(
  options: { limits?: StripeLimits; secrets?: string[]; live?: boolean } = {},
): Promise<StagedStripe> {
  const { limits = ONE_TRY, secrets = [SECRET], live = false } = options;
  const clock = movedClock();
  const fixture = await startStripe({ clock, live });
  const settings = { secretKey: fixture.secretKey, webhookSecrets: secrets, apiBase: fixture.origin, clock };
  return {
    fixture,
    clock,
    close: fixture.close,
    provider: createStripe(settings, limits),
    providerWithin: (others) => createStripe(settings, others),
    pay: async (id, card) => void fixture.buyer(id, 'pay', card),
    beDeclined: async (id) => void fixture.buyer(id, 'fail'),
    paid: async () => fixture.journal.filter(({ kind }) => kind === 'charge').map(({ intent }) => intent),
  };
}

export async function stageSandbox(databaseUrl: string | null): Promise<StagedSandbox> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-sandbox-'));
  const ledgerStore = await openLedgerStore({ dataDir, databaseUrl });
  const clock = movedClock();
  const { provider, page } = createSandbox({ ledgerStore, clock, siteUrl: () => 'http://127.0.0.1:8080' });
  const act = async (id: string, action: SandboxAction): Promise<void> => void (await page.act(id, action));
  return {
    provider,
    page,
    clock,
    pay: (id, card = 'ok') => act(id, card === 'ok' ? 'pay' : 'pay-later-declined'),
    beDeclined: (id) => act(id, 'decline'),
    async paid() {
      const events = await provider.listEvents(0);
      return events.filter(({ type }) => type === 'sandbox.charge.succeeded').map(({ object }) => object.id);
    },
    async close() {
      await ledgerStore.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

let references = 0;

/** A reference of its own in every test, on a store that they share. */
export function newReference(what: string): string {
  references += 1;
  return `${what}_${process.pid}_${references}`;
}

export function wantedCheckout(parts: Partial<CheckoutOrder> = {}): CheckoutOrder {
  return {
    reference: newReference('co'),
    pack: 'builder',
    cents: 5_000,
    credits: 60_000,
    saveCard: null,
    successUrl: 'https://site.example/success?session_id={CHECKOUT_ID}&n=nonce',
    cancelUrl: 'https://site.example/',
    ...parts,
  };
}

/** A card that was kept when its owner bought a pack. */
export async function keptCard(
  { provider, pay }: Staged,
  behaviour: CardBehaviour = 'ok',
): Promise<{ customer: string; card: string }> {
  const { id } = await provider.openCheckout(wantedCheckout({ saveCard: { terms: 'On these terms.' } }));
  await pay(id, behaviour);
  const { customer, card } = await provider.getCheckout(id);
  assert.ok(customer !== null && card !== null, 'the card was kept');
  return { customer, card };
}
