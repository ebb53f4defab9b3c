import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CardGone, PaymentMisuse } from '../../src/billing/payments/providers/payment-provider.ts';
import {
  keptCard,
  newReference,
  type StagedStripe,
  stageStripe,
  wantedCheckout,
} from './payment-providers.ts';

/** What Stripe is asked for, and what only Stripe can tell. */
let stage: StagedStripe;
before(async () => {
  stage = await stageStripe();
});
after(() => stage.close());

async function paidCharge(): Promise<string> {
  const { provider } = stage;
  const kept = await keptCard(stage);
  const { id } = await provider.prepareCharge({ reference: newReference('pur'), cents: 5_000, ...kept });
  await provider.confirmCharge(id, 1);
  return id;
}

/** The parameters of the last call that matches, and its idempotency key. */
function lastCall(where: RegExp): { params: Record<string, string>; key: string | undefined } {
  const call = stage.fixture.calls.findLast(({ call }) => where.test(call));
  return { params: Object.fromEntries(new URLSearchParams(call?.body)), key: call?.key };
}

describe('what is sent', () => {
  test('a page for one pack, without keeping the card', async () => {
    const wanted = wantedCheckout();
    const { id, url } = await stage.provider.openCheckout(wanted);
    assert.equal(url, `${stage.fixture.origin}/c/pay/${id}`);
    const { reference } = wanted;
    const { params, key } = lastCall(/^POST .*sessions$/);
    assert.equal(key, `checkout:${reference}`);
    assert.deepEqual(params, {
      mode: 'payment',
      'allowed_payment_method_types[0]': 'card',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '5000',
      'line_items[0][price_data][product_data][name]': '60,000 credits',
      client_reference_id: reference,
      'metadata[sanderling_reference]': reference,
      'metadata[pack]': 'builder',
      'metadata[credits]': '60000',
      'payment_intent_data[metadata][sanderling_reference]': reference,
      'payment_intent_data[metadata][pack]': 'builder',
      'payment_intent_data[metadata][credits]': '60000',
      success_url: 'https://site.example/success?session_id={CHECKOUT_SESSION_ID}&n=nonce',
      cancel_url: 'https://site.example/',
    });
    const goesTo = stage.fixture.buyer(id, 'pay');
    assert.equal(goesTo, `https://site.example/success?session_id=${id}&n=nonce`);
  });

  test('a page that keeps the card, on terms that the buyer is shown', async () => {
    await stage.provider.openCheckout(wantedCheckout({ saveCard: { terms: 'We charge 50 USD.' } }));
    const { params } = lastCall(/^POST .*sessions$/);
    assert.equal(params['payment_intent_data[setup_future_usage]'], 'off_session');
    assert.equal(params.customer_creation, 'always');
    assert.equal(params['custom_text[submit][message]'], 'We charge 50 USD.');
  });

  test('a charge, made and confirmed in two steps', async () => {
    const kept = await keptCard(stage);
    const reference = newReference('pur');
    const { id } = await stage.provider.prepareCharge({ reference, cents: 1_500, ...kept });
    const made = lastCall(/^POST .*payment_intents$/);
    assert.equal(made.key, `charge:${reference}`);
    assert.deepEqual(made.params, {
      amount: '1500',
      currency: 'usd',
      customer: kept.customer,
      payment_method: kept.card,
      'allowed_payment_method_types[0]': 'card',
      'metadata[sanderling_reference]': reference,
    });
    await stage.provider.confirmCharge(id, 7);
    const confirmed = lastCall(/confirm$/);
    assert.equal(confirmed.key, `confirm:${id}:7`);
    assert.deepEqual(confirmed.params, { off_session: 'true' });
  });

  test('terms that are too long are refused before anybody sees them', async () => {
    const saveCard = { terms: 'x'.repeat(1_201) };
    await assert.rejects(stage.provider.openCheckout(wantedCheckout({ saveCard })), PaymentMisuse);
  });
});

describe('a payment that takes its time', () => {
  for (const [outcome, state] of [
    ['succeeded', 'paid'],
    ['failed', 'expired'],
  ] as const) {
    test(`on the page, which then ${outcome}`, async () => {
      const { provider, fixture } = stage;
      const { id } = await provider.openCheckout(wantedCheckout());
      fixture.buyer(id, 'pay_delayed');
      const { state: before, charge } = await provider.getCheckout(id);
      assert.equal(before, 'awaiting');
      fixture.settle(charge ?? '', outcome);
      assert.equal((await provider.getCheckout(id)).state, state);
    });
  }

  for (const [outcome, state] of [
    ['succeeded', 'succeeded'],
    ['failed', 'declined'],
  ] as const) {
    test(`with the kept card, which then ${outcome}`, async () => {
      const { provider, fixture } = stage;
      const kept = fixture.saveCard('processing');
      const { id } = await provider.prepareCharge({ reference: newReference('pur'), cents: 5_000, ...kept });
      for (const attempt of [1, 1, 2])
        assert.equal((await provider.confirmCharge(id, attempt)).state, 'processing');
      assert.equal((await provider.cancelCharge(id)).state, 'processing');
      fixture.settle(id, outcome);
      assert.equal((await provider.getCharge(id)).state, state);
    });
  }
});

describe('after the payment', () => {
  const readReversals = async (id: string) => {
    const { state, refundedCents, dispute } = await stage.provider.getCharge(id);
    assert.equal(state, 'succeeded');
    return { refundedCents, dispute };
  };

  test('a refund in parts, and one that fails', async () => {
    const { fixture } = stage;
    const id = await paidCharge();
    assert.deepEqual(await readReversals(id), { refundedCents: 0, dispute: 'none' });
    fixture.refund(id, 1_200);
    assert.deepEqual(await readReversals(id), { refundedCents: 1_200, dispute: 'none' });
    const rest = fixture.refund(id);
    assert.deepEqual(await readReversals(id), { refundedCents: 5_000, dispute: 'none' });
    fixture.failRefund(rest);
    assert.deepEqual(await readReversals(id), { refundedCents: 1_200, dispute: 'none' });
  });

  for (const outcome of ['won', 'lost'] as const) {
    test(`a dispute that is ${outcome}`, async () => {
      const { fixture } = stage;
      const id = await paidCharge();
      const dispute = fixture.dispute(id);
      assert.equal((await readReversals(id)).dispute, 'open');
      fixture.closeDispute(dispute, outcome);
      assert.equal((await readReversals(id)).dispute, outcome);
    });
  }

  test('lost disputes about parts are summed; those that are open or won take nothing', async () => {
    const { fixture, provider } = stage;
    const id = await paidCharge();
    const lostCents = async (): Promise<number> => (await provider.getCharge(id)).lostCents;
    const disputes = [700, 300, 900].map((cents) => fixture.dispute(id, 'needs_response', cents));
    assert.equal(await lostCents(), 0);
    for (const [at, [outcome, cents]] of (
      [
        ['lost', 700],
        ['won', 700],
        ['lost', 1_600],
      ] as const
    ).entries()) {
      fixture.closeDispute(disputes[at] ?? '', outcome);
      assert.equal(await lostCents(), cents);
    }
  });

  test('an inquiry is no dispute yet', async () => {
    const id = await paidCharge();
    stage.fixture.dispute(id, 'warning_needs_response');
    assert.equal((await readReversals(id)).dispute, 'none');
    stage.fixture.dispute(id);
    assert.equal((await readReversals(id)).dispute, 'open');
  });

  test('a card whose charges are disputed at once', async () => {
    const { provider, fixture } = stage;
    const kept = fixture.saveCard('ok_then_disputed');
    const { id } = await provider.prepareCharge({ reference: newReference('pur'), cents: 5_000, ...kept });
    assert.equal((await provider.confirmCharge(id, 1)).state, 'succeeded');
    assert.equal((await readReversals(id)).dispute, 'open');
  });
});

test('a card that was used without being kept cannot be charged', async () => {
  const { provider, fixture, pay } = stage;
  const { id } = await provider.openCheckout(wantedCheckout());
  await pay(id);
  const [card] = [...fixture.account.cards.keys()].slice(-1);
  const { customer } = fixture.saveCard('ok');
  const wanted = { reference: newReference('pur'), cents: 5_000, customer, card: card ?? '' };
  await assert.rejects(provider.prepareCharge(wanted), CardGone);
});
