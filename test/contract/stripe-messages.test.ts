import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import {
  BadSignature,
  type PaymentEvent,
  type PaymentProvider,
} from '../../src/billing/payments/providers/payment-provider.ts';
import { createStripe } from '../../src/billing/payments/providers/stripe.ts';
import { movedClock } from '../fixtures/moved-clock.ts';
import { signatureOf } from '../fixtures/stripe/deliveries.ts';
import {
  keptCard,
  newReference,
  SECRET,
  type StagedStripe,
  stageStripe,
  wantedCheckout,
} from './payment-providers.ts';

const OLD_SECRET = 'whsec_rotated';
const MINUTE_MS = 60_000;

/** A provider that is only asked to read. */
function reader(parts: { secretKey?: string; secrets?: string[] } = {}): PaymentProvider {
  const { secretKey = 'sk_test_fake', secrets = [SECRET, OLD_SECRET] } = parts;
  const settings = { secretKey, webhookSecrets: secrets, apiBase: 'http://127.0.0.1:1', clock: movedClock() };
  return createStripe(settings);
}

const event = (type: string, object: object, livemode = false): string =>
  JSON.stringify({
    id: 'evt_1',
    object: 'event',
    api_version: '2026-10-28.endive',
    created: 1_795_000_000,
    livemode,
    type,
    data: { object },
  });

describe('a signature', () => {
  const now = Date.parse('2026-11-21T12:00:00.700Z');
  const body = event('customer.deleted', { id: 'cus_1', object: 'customer', name: 'Zoë' });
  const signed = (at: number, secret = SECRET): string => signatureOf({ body, secret, at });
  const [time = '', good = ''] = signed(now).split(',');
  const rows: { name: string; signature: string | undefined; isGood: boolean; body?: string }[] = [
    { name: 'good', signature: signed(now), isGood: true },
    { name: 'by the secret that is being replaced', signature: signed(now, OLD_SECRET), isGood: true },
    { name: 'by another secret', signature: signed(now, 'whsec_other'), isGood: false },
    { name: 'by an empty secret', signature: signed(now, ''), isGood: false },
    { name: 'of another body', signature: signed(now), isGood: false, body: body.replace('cus_1', 'cus_2') },
    { name: 'of the body with other spaces', signature: signed(now), isGood: false, body: `${body} ` },
    { name: '300 s old', signature: signed(now - 300_000), isGood: true },
    { name: '301 s old', signature: signed(now - 301_000), isGood: false },
    { name: '300 s from the future', signature: signed(now + 299_000), isGood: true },
    { name: '301 s from the future', signature: signed(now + 301_000), isGood: false },
    { name: 'two, the second good', signature: `${time},v1=${'0'.repeat(64)},${good}`, isGood: true },
    { name: 'two, the first good', signature: `${time},${good},v1=${'0'.repeat(64)}`, isGood: true },
    { name: 'empty', signature: `${time},v1=`, isGood: false },
    { name: 'too short', signature: `${time},v1=00`, isGood: false },
    { name: 'not hex', signature: `${time},v1=${'ä'.repeat(64)}`, isGood: false },
    { name: 'two, both bad', signature: `${time},v1=${'0'.repeat(64)},v1=${'1'.repeat(64)}`, isGood: false },
    { name: 'of the test scheme only', signature: `${time},${good.replace('v1', 'v0')}`, isGood: false },
    { name: 'with another time', signature: `t=${Math.floor(now / 1_000) + 1},${good}`, isGood: false },
    { name: 'with a second time', signature: `${time},t=9999999999,${good}`, isGood: false },
    { name: 'without a time', signature: good, isGood: false },
    { name: 'with a time that is none', signature: `t=now,${good}`, isGood: false },
    { name: 'none', signature: undefined, isGood: false },
    { name: 'empty', signature: '', isGood: false },
    { name: 'nonsense', signature: 'nonsense', isGood: false },
  ];
  for (const row of rows) {
    test(`${row.name}: ${row.isGood ? 'taken' : 'refused'}`, () => {
      const delivery = { body: Buffer.from(row.body ?? body), signature: row.signature, now };
      if (row.isGood) assert.equal(reader().readEvent(delivery).object.id, 'cus_1');
      else assert.throws(() => reader().readEvent(delivery), BadSignature);
    });
  }

  test('nothing is taken where no secret is set', () => {
    const delivery = { body: Buffer.from(body), signature: signed(now), now };
    assert.throws(() => reader({ secrets: [] }).readEvent(delivery), BadSignature);
    assert.throws(() => reader({ secrets: [''] }).readEvent(delivery), BadSignature);
  });
});

describe('an event', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const read = (body: string, secretKey?: string): PaymentEvent => {
    const signature = signatureOf({ body, secret: SECRET, at: now });
    return reader(secretKey === undefined ? {} : { secretKey }).readEvent({
      body: Buffer.from(body),
      signature,
      now,
    });
  };

  const ofCharge = { id: 'x_1', payment_intent: 'pi_1' };
  const rows: [type: string, object: object, points: PaymentEvent['object']][] = [
    ['checkout.session.completed', { id: 'cs_1' }, { kind: 'checkout', id: 'cs_1' }],
    ['checkout.session.async_payment_succeeded', { id: 'cs_1' }, { kind: 'checkout', id: 'cs_1' }],
    ['checkout.session.async_payment_failed', { id: 'cs_1' }, { kind: 'checkout', id: 'cs_1' }],
    ['checkout.session.expired', { id: 'cs_1' }, { kind: 'checkout', id: 'cs_1' }],
    ['payment_intent.succeeded', { id: 'pi_1' }, { kind: 'charge', id: 'pi_1' }],
    ['payment_intent.payment_failed', { id: 'pi_1' }, { kind: 'charge', id: 'pi_1' }],
    ['payment_intent.canceled', { id: 'pi_1' }, { kind: 'charge', id: 'pi_1' }],
    ['charge.refunded', ofCharge, { kind: 'charge', id: 'pi_1' }],
    ['charge.refund.updated', ofCharge, { kind: 'charge', id: 'pi_1' }],
    ['refund.updated', ofCharge, { kind: 'charge', id: 'pi_1' }],
    ['refund.failed', ofCharge, { kind: 'charge', id: 'pi_1' }],
    ['charge.dispute.created', ofCharge, { kind: 'charge', id: 'pi_1' }],
    ['charge.dispute.closed', ofCharge, { kind: 'charge', id: 'pi_1' }],
    ['charge.refunded', { id: 'ch_old', payment_intent: null }, { kind: 'other', id: 'ch_old' }],
    ['payment_method.detached', { id: 'pm_1' }, { kind: 'card', id: 'pm_1' }],
    ['payment_method.attached', { id: 'pm_1' }, { kind: 'other', id: 'pm_1' }],
    ['customer.deleted', { id: 'cus_1' }, { kind: 'customer', id: 'cus_1' }],
    ['customer.updated', { id: 'cus_1' }, { kind: 'other', id: 'cus_1' }],
    ['balance.available', { object: 'balance' }, { kind: 'other', id: '' }],
  ];
  for (const [type, object, points] of rows) {
    test(`${type} points to ${points.kind} ${points.id}`, () => {
      const createdAt = 1_795_000_000_000;
      assert.deepEqual(read(event(type, object)), { id: 'evt_1', type, createdAt, object: points });
    });
  }

  test('of play money is not taken for real money, nor the other way round', () => {
    const [played, real] = [
      event('customer.deleted', { id: 'c' }),
      event('customer.deleted', { id: 'c' }, true),
    ];
    for (const secretKey of ['sk_test_x', 'rk_test_x']) {
      assert.ok(read(played, secretKey));
      assert.throws(() => read(real, secretKey), BadSignature);
    }
    for (const secretKey of ['sk_live_x', 'rk_live_x']) {
      assert.ok(read(real, secretKey));
      assert.throws(() => read(played, secretKey), BadSignature);
    }
  });
});

describe('deliveries', () => {
  let stage: StagedStripe;
  let taken: PaymentEvent[] = [];
  let answers: number[] = [];
  const endpoint = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const signature = request.headers['stripe-signature']?.toString();
    try {
      const read = stage.provider.readEvent({
        body: Buffer.concat(chunks),
        signature,
        now: stage.clock.now(),
      });
      const status = answers.shift() ?? 200;
      if (status === 200) taken.push(read);
      response.writeHead(status).end();
    } catch (error) {
      assert.ok(error instanceof BadSignature);
      response.writeHead(400).end();
    }
  });
  before(async () => {
    stage = await stageStripe();
    await new Promise<void>((resolve) => endpoint.listen(0, '127.10.0.8', resolve));
    const url = `http://127.10.0.8:${(endpoint.address() as AddressInfo).port}/webhooks/stripe`;
    stage.fixture.webhooks.register({ url, secret: SECRET });
  });
  after(async () => {
    await stage.close();
    endpoint.close();
  });
  const standard = { drop: () => false, copies: 1, delayMs: 0, order: 'kept' } as const;

  /** A pack that is bought; gives the messages of it that were taken. */
  async function buy(rules: Parameters<typeof stage.fixture.webhooks.rules>[0]): Promise<string[]> {
    const { provider, fixture, pay } = stage;
    fixture.webhooks.rules({ ...standard, ...rules });
    taken = [];
    const { id } = await provider.openCheckout(wantedCheckout());
    await pay(id);
    await fixture.webhooks.deliver();
    return taken.map(({ type }) => type);
  }

  const INORDER = [
    'payment_intent.created',
    'charge.succeeded',
    'payment_intent.succeeded',
    'checkout.session.completed',
  ];

  test('arrive, are signed, and can be read', async () => {
    assert.deepEqual(await buy({}), INORDER);
  });

  test('may come twice, under the same id', async () => {
    assert.deepEqual(
      await buy({ copies: 2 }),
      INORDER.flatMap((type) => [type, type]),
    );
    assert.equal(new Set(taken.map(({ id }) => id)).size, INORDER.length);
  });

  test('may come in any order', async () => {
    assert.deepEqual(await buy({ order: 'reversed' }), INORDER.toReversed());
    const shuffled = await buy({ order: { seed: 7 } });
    assert.notDeepEqual(shuffled, INORDER);
    assert.deepEqual(shuffled.toSorted(), INORDER.toSorted());
  });

  test('may come late', async () => {
    assert.deepEqual(await buy({ delayMs: MINUTE_MS }), []);
    stage.clock.advance(MINUTE_MS);
    await stage.fixture.webhooks.deliver();
    assert.equal(taken.length, INORDER.length);
  });

  test('may never come, and are found by asking', async () => {
    const since = stage.clock.now();
    stage.clock.advance(MINUTE_MS);
    assert.deepEqual(await buy({ drop: () => true }), []);
    const told = (await stage.provider.listEvents(since)).map(({ type }) => type);
    assert.deepEqual(told, ['checkout.session.completed', 'payment_intent.succeeded']);
  });

  test('come again when they were refused', async () => {
    answers = [500, 200, 503, 200];
    assert.equal((await buy({})).length, 2);
    assert.equal(stage.fixture.webhooks.waiting(), 2);
    stage.clock.advance(5 * MINUTE_MS);
    await stage.fixture.webhooks.deliver();
    assert.deepEqual(taken.map(({ type }) => type).toSorted(), INORDER.toSorted());
    assert.equal(stage.fixture.webhooks.waiting(), 0);
  });

  test('that somebody recorded and sends again later, or signs with a guess, are refused', async () => {
    await buy({});
    const { webhooks } = stage.fixture;
    const { id } = taken[0] ?? { id: '' };
    const signedAt = stage.clock.now();
    assert.equal((await webhooks.replay(id, { secret: 'whsec_guess' })).status, 400);
    assert.equal((await webhooks.replay(id, { signedAt })).status, 200);
    stage.clock.advance(301_000);
    assert.equal((await webhooks.replay(id, { signedAt })).status, 400);
    assert.equal((await webhooks.replay(id)).status, 200);
  });

  test('may be sent without being asked for', async () => {
    const { provider, fixture, pay } = stage;
    fixture.webhooks.rules(standard);
    fixture.webhooks.automatic(true);
    taken = [];
    const { id } = await provider.openCheckout(wantedCheckout());
    await pay(id);
    await fixture.webhooks.settled();
    assert.deepEqual(
      taken.map(({ type }) => type),
      INORDER,
    );
    fixture.webhooks.automatic(false);
  });

  test('tell of refunds, disputes and cards that are gone', async () => {
    const { provider, fixture, clock } = stage;
    fixture.webhooks.rules(standard);
    const kept = await keptCard(stage);
    const { id } = await provider.prepareCharge({ reference: newReference('pur'), cents: 5_000, ...kept });
    await provider.confirmCharge(id, 1);
    await fixture.webhooks.deliver();
    taken = [];
    fixture.refund(id, 1_000);
    fixture.closeDispute(fixture.dispute(id), 'lost');
    fixture.detachCard(kept.card);
    fixture.deleteCustomer(kept.customer);
    await fixture.webhooks.deliver();
    const charge = { kind: 'charge', id } as const;
    assert.deepEqual(
      taken.map(({ type, object }) => [type, object]),
      [
        ['refund.created', charge],
        ['charge.refunded', charge],
        ['charge.dispute.created', charge],
        ['charge.dispute.closed', charge],
        ['payment_method.detached', { kind: 'card', id: kept.card }],
        ['customer.deleted', { kind: 'customer', id: kept.customer }],
      ],
    );
    assert.ok(taken.every(({ createdAt }) => createdAt === clock.now()));
  });
});
