import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';
import type { CheckoutRequest, CheckoutView } from '../../../src/billing/payments/checkouts.ts';
import type { PaymentEvent } from '../../../src/billing/payments/providers/payment-provider.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { type Answered, searchAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../../http/calls/charged-service.ts';

/** The service of the suite that is running. */
export let fixture: ChargedFixture;
export const NOON = '2026-11-21T12:00:00Z';

/** Describes sales on each ledger store, over a service of its own. */
export async function describeSales(suite: () => void): Promise<void> {
  await describeOnStores('buying', (databaseUrl) => {
    before(async () => {
      fixture = await openChargedFixture(databaseUrl, { search: async () => searchAnswer() });
    });
    after(() => fixture.close());
    beforeEach(() => fixture.clock.set(NOON));
    suite();
  });
}

type Fulfilled = CheckoutView & { kind: 'fulfilled' };
/** What the buyer proves the purchase with. */
export type Opened = { checkoutId: string; nonce: string };

/** A payment page that was opened. */
export async function opened(wanted: Partial<CheckoutRequest>): Promise<Opened> {
  // The secret is known to the buyer's address only: it is read off where the provider would send the browser.
  const landing = Promise.withResolvers<string>();
  const { openCheckout } = fixture.payments;
  fixture.payments.openCheckout = (asked) => {
    landing.resolve(asked.successUrl);
    fixture.payments.openCheckout = openCheckout;
    return openCheckout(asked);
  };
  const { url } = await fixture.billing.checkouts.open({
    pack: 'instant',
    topUp: null,
    autoReload: null,
    ...wanted,
  });
  const nonce = new URL(await landing.promise).searchParams.get('n') ?? '';
  return { checkoutId: url.split('/').at(-1) ?? '', nonce };
}

/** A payment page that was paid. */
export async function paid(wanted: Partial<CheckoutRequest>): Promise<Opened> {
  const proof = await opened(wanted);
  fixture.payments.pay(proof.checkoutId);
  return proof;
}

/** What the buyer sees of a purchase that was paid. */
export async function sold(wanted: Partial<CheckoutRequest>): Promise<Fulfilled & Opened> {
  const proof = await paid(wanted);
  const seen = await fixture.billing.checkouts.view(proof);
  if (seen.kind !== 'fulfilled') assert.fail(seen.kind);
  return { ...seen, ...proof };
}

let events = 0;
/** What the provider tells of an object. */
export function eventOf(kind: PaymentEvent['object']['kind'], id: string): PaymentEvent {
  events += 1;
  return {
    id: `evt_${events}`,
    type: 'something.happened',
    createdAt: Date.parse(NOON),
    object: { kind, id },
  };
}

/** Delivers an event as the provider does. */
export const deliver = (event: PaymentEvent, signature = 'good'): Promise<Answered> =>
  fixture.served.post('/webhooks/stripe', event, { 'stripe-signature': signature });
