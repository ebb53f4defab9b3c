import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CardGone,
  type ChargeState,
  PaymentMisuse,
  PaymentThrottled,
  PaymentUncertain,
} from '../../src/billing/payments/providers/payment-provider.ts';
import { createStripe, STRIPE_LIMITS } from '../../src/billing/payments/providers/stripe.ts';
import type { Fault } from '../fixtures/stripe/faults.ts';
import {
  newReference,
  ONE_TRY,
  type StagedStripe,
  stageStripe,
  wantedCheckout,
} from './payment-providers.ts';

/** What goes wrong between Stripe and us, and what can be found out afterwards. */
const CREATE = /^POST \/v1\/payment_intents$/;
const CONFIRM = /^POST .*\/confirm$/;
const SESSION = /^POST \/v1\/checkout\/sessions$/;
/** As often as a lost connection is tried, and once more. */
const ALWAYS = 3;

async function staged(
  work: (stage: StagedStripe) => Promise<void>,
  options: Parameters<typeof stageStripe>[0] = {},
): Promise<void> {
  const stage = await stageStripe(options);
  try {
    await work(stage);
  } finally {
    await stage.close();
  }
}

function wantedOf({ fixture }: StagedStripe, behaviour: Parameters<typeof fixture.saveCard>[0] = 'ok') {
  return { reference: newReference('pur'), cents: 5_000, ...fixture.saveCard(behaviour) };
}

const charges = ({ fixture }: StagedStripe): number =>
  fixture.journal.filter(({ kind }) => kind === 'charge').length;

describe('a confirmation whose answer is lost is uncertain, and the charge tells the truth', {
  concurrency: true,
}, () => {
  const rows: { fault: Fault; truth: ChargeState['state'] }[] = [
    { fault: 'refuse', truth: 'prepared' },
    { fault: 'drop', truth: 'succeeded' },
    { fault: 'truncate', truth: 'succeeded' },
    { fault: 'fail', truth: 'prepared' },
    { fault: 'fail-after', truth: 'succeeded' },
  ];
  for (const { fault, truth } of rows) {
    test(`${fault}: ${truth}`, () =>
      staged(async (stage) => {
        const { provider, fixture } = stage;
        const { id } = await provider.prepareCharge(wantedOf(stage));
        fixture.faults.inject(CONFIRM, fault, ALWAYS);
        await assert.rejects(provider.confirmCharge(id, 1), PaymentUncertain);
        assert.equal((await provider.getCharge(id)).state, truth);
        fixture.faults.clear();
        assert.equal((await provider.confirmCharge(id, 2)).state, 'succeeded');
        assert.equal(charges(stage), 1);
      }));
  }

  test('an answer that takes too long: it happens all the same', () =>
    staged(async (stage) => {
      const { provider, fixture } = stage;
      const { id } = await provider.prepareCharge(wantedOf(stage));
      const stall = Promise.withResolvers<void>();
      fixture.faults.inject(CONFIRM, { stall: stall.promise });
      const impatient = stage.providerWithin({ timeoutMs: 150, retries: 0 });
      await assert.rejects(impatient.confirmCharge(id, 1), PaymentUncertain);
      assert.equal((await provider.getCharge(id)).state, 'prepared');
      stall.resolve();
      assert.equal((await provider.confirmCharge(id, 2)).state, 'succeeded');
      assert.equal((await provider.confirmCharge(id, 1)).state, 'succeeded');
      assert.equal(charges(stage), 1);
    }));

  test('the same request still under way', () =>
    staged(async (stage) => {
      const { provider, fixture } = stage;
      const { id } = await provider.prepareCharge(wantedOf(stage));
      const stall = Promise.withResolvers<void>();
      fixture.faults.inject(CONFIRM, { stall: stall.promise });
      const first = provider.confirmCharge(id, 1);
      await reached(() => fixture.calls.some(({ call }) => CONFIRM.test(call)));
      await assert.rejects(provider.confirmCharge(id, 1), PaymentUncertain);
      stall.resolve();
      assert.equal((await first).state, 'succeeded');
      assert.equal(charges(stage), 1);
    }));

  test('a decline whose answer is lost is a decline', () =>
    staged(async (stage) => {
      const { provider, fixture } = stage;
      const { id } = await provider.prepareCharge(wantedOf(stage, 'expired_card'));
      fixture.faults.inject(CONFIRM, 'drop', ALWAYS);
      await assert.rejects(provider.confirmCharge(id, 1), PaymentUncertain);
      const { state, declineCode } = await provider.getCharge(id);
      assert.deepEqual({ state, declineCode }, { state: 'declined', declineCode: 'expired_card' });
    }));

  test('one lost answer is made good by the client itself, under the same key', () =>
    staged(
      async (stage) => {
        const { provider, fixture } = stage;
        const { id } = await provider.prepareCharge(wantedOf(stage));
        fixture.faults.inject(CONFIRM, 'drop');
        assert.equal((await provider.confirmCharge(id, 1)).state, 'succeeded');
        const confirms = fixture.calls.filter(({ call }) => CONFIRM.test(call));
        assert.deepEqual(
          confirms.map(({ replayed }) => replayed),
          [false, true],
        );
        assert.equal(charges(stage), 1);
      },
      { limits: STRIPE_LIMITS },
    ));
});

describe('a charge whose preparation is lost', { concurrency: true }, () => {
  const rows: { fault: Fault; isThere: boolean }[] = [
    { fault: 'refuse', isThere: false },
    { fault: 'drop', isThere: true },
    { fault: 'truncate', isThere: true },
    { fault: 'fail', isThere: false },
    { fault: 'fail-after', isThere: true },
  ];
  for (const { fault, isThere } of rows) {
    test(`${fault}: it is found if it is there, and the next try has one charge either way`, () =>
      staged(async (stage) => {
        const { provider, fixture, clock } = stage;
        const wanted = wantedOf(stage);
        const place = { reference: wanted.reference, customer: wanted.customer, since: clock.now() };
        fixture.faults.inject(CREATE, fault, ALWAYS);
        await assert.rejects(provider.prepareCharge(wanted), PaymentUncertain);
        fixture.faults.clear();
        const found = await provider.findCharge(place);
        assert.equal(found !== null, isThere);
        const charge = await provider.prepareCharge(wanted);
        assert.equal(charge.id, (await provider.findCharge(place))?.id);
        assert.equal(fixture.account.intents.size, 1);
      }));
  }

  test('a failure that is repeated for a day does not stand in the way', () =>
    staged(async (stage) => {
      const { provider, fixture } = stage;
      const wanted = wantedOf(stage);
      fixture.faults.inject(CREATE, 'fail');
      await assert.rejects(provider.prepareCharge(wanted), PaymentUncertain);
      const charge = await provider.prepareCharge(wanted);
      assert.deepEqual(await provider.prepareCharge(wanted), charge);
      assert.equal(fixture.account.intents.size, 1);
    }));

  test('after a day its key is forgotten, and looking for it still finds it', () =>
    staged(async (stage) => {
      const { provider, clock } = stage;
      const wanted = wantedOf(stage);
      const since = clock.now();
      const first = await provider.prepareCharge(wanted);
      clock.advance(86_400_000);
      const found = await provider.findCharge({ ...wanted, since });
      assert.deepEqual(found, first);
      assert.notEqual((await provider.prepareCharge(wanted)).id, first.id, 'so it has to be looked for');
    }));

  test('among many others it is found on a later page', () =>
    staged(async (stage) => {
      const { provider, fixture, clock } = stage;
      const kept = fixture.saveCard('ok');
      const since = clock.now();
      const first = await provider.prepareCharge({ reference: 'pur_first', cents: 5_000, ...kept });
      for (let number = 0; number < 120; number++)
        await provider.prepareCharge({ reference: `pur_${number}`, cents: 5_000, ...kept });
      const { customer } = kept;
      assert.deepEqual(await provider.findCharge({ reference: 'pur_first', customer, since }), first);
    }));
});

test('a confirmation that failed under one key goes through under the next', () =>
  staged(async (stage) => {
    const { provider, fixture } = stage;
    const { id } = await provider.prepareCharge(wantedOf(stage));
    fixture.faults.inject(CONFIRM, 'fail');
    await assert.rejects(provider.confirmCharge(id, 1), PaymentUncertain);
    await assert.rejects(provider.confirmCharge(id, 1), PaymentUncertain);
    assert.equal(fixture.calls.at(-1)?.replayed, true);
    assert.equal((await provider.confirmCharge(id, 2)).state, 'succeeded');
  }));

test('a page whose opening was lost is the same page when it is asked for again', () =>
  staged(async ({ provider, fixture }) => {
    const wanted = wantedCheckout();
    fixture.faults.inject(SESSION, 'drop', ALWAYS);
    await assert.rejects(provider.openCheckout(wanted), PaymentUncertain);
    fixture.faults.clear();
    await provider.openCheckout(wanted);
    assert.equal(fixture.account.sessions.size, 1);
  }));

test('a pause that is asked for is passed on, and nothing has happened', () =>
  staged(async (stage) => {
    const { provider, fixture } = stage;
    const wanted = wantedOf(stage);
    fixture.faults.inject(/./, 'throttle', 2);
    await assert.rejects(provider.prepareCharge(wanted), PaymentThrottled);
    await assert.rejects(provider.openCheckout(wantedCheckout()), PaymentThrottled);
    assert.equal(fixture.calls.length, 2, 'the client does not try again by itself');
    assert.equal(fixture.account.intents.size, 0);
    assert.equal((await provider.prepareCharge(wanted)).state, 'prepared');
  }));

test('a wrong secret is our mistake', () =>
  staged(async ({ fixture, clock }) => {
    const settings = { secretKey: 'sk_test_wrong', webhookSecrets: [], apiBase: fixture.origin, clock };
    await assert.rejects(createStripe(settings, ONE_TRY).openCheckout(wantedCheckout()), PaymentMisuse);
  }));

test('a card that was taken off, or whose customer is gone, is told apart', () =>
  staged(async (stage) => {
    const { provider, fixture } = stage;
    for (const leave of ['detachCard', 'deleteCustomer'] as const) {
      const wanted = wantedOf(stage);
      const prepared = await provider.prepareCharge(wanted);
      fixture[leave](leave === 'detachCard' ? wanted.card : wanted.customer);
      await assert.rejects(provider.confirmCharge(prepared.id, 1), CardGone);
      const again = { ...wanted, reference: newReference('pur') };
      await assert.rejects(provider.prepareCharge(again), CardGone);
      assert.equal((await provider.cancelCharge(prepared.id)).state, 'canceled');
    }
    assert.equal(charges(stage), 0);
  }));

/** Lets the loop turn until something has arrived. */
async function reached(isThere: () => boolean): Promise<void> {
  const TURNS_MAX = 100_000;
  for (let turn = 0; !isThere(); turn++) {
    assert.ok(turn < TURNS_MAX, 'it never arrived');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
