import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SHOWN_MS } from '../../../src/billing/payments/checkouts.ts';
import {
  deliver,
  describeSales,
  eventOf,
  fixture,
  NOON,
  type Opened,
  opened,
  paid,
  sold,
} from './sales-fixture.ts';

await describeSales(() => {
  describe('the three ways in which a payment is learnt, in every order and number', () => {
    const ways = ['page', 'session event', 'charge event'] as const;
    const orders = ways.flatMap((first) =>
      ways
        .filter((way) => way !== first)
        .map((second) => [first, second, ...ways.filter((way) => way !== first && way !== second)]),
    );
    for (const order of orders) {
      for (const times of [1, 3]) {
        test(`${order.join(', ')}, ${times} times each`, async () => {
          const { checkoutId, nonce } = await paid({ pack: 'builder' });
          for (const way of order)
            for (let time = 0; time < times; time++) await learn(way, { checkoutId, nonce });
          await assertSoldOnce(checkoutId, 60_000);
        });
      }
    }

    test('all at once', async () => {
      const { checkoutId, nonce } = await paid({ pack: 'scale' });
      await Promise.all([...ways, ...ways, ...ways].map((way) => learn(way, { checkoutId, nonce })));
      await assertSoldOnce(checkoutId, 200_000);
    });

    test('one event delivered ten times is kept once', async () => {
      const { checkoutId } = await paid({ pack: 'instant' });
      const event = eventOf('checkout', checkoutId);
      for (let time = 0; time < 10; time++) assert.equal((await deliver(event)).status, 200);
      await fixture.billing.background.drain();
      const kept = await fixture.billing.ledgerStore.db
        .selectFrom('payment_event')
        .select(['tries'])
        .where('id', '=', event.id)
        .execute();
      assert.deepEqual(
        kept.map(({ tries }) => tries),
        [1],
      );
      await assertSoldOnce(checkoutId, 15_000);
    });

    test('a delivery with a bad signature is refused and not kept', async () => {
      const event = eventOf('checkout', 'cs_1');
      const { status, json } = await deliver(event, 'bad');
      assert.deepEqual([status, json.error], [400, 'bad_signature']);
      assert.equal(await keptEvent(event.id), false);
    });

    test('an event of an unknown kind is kept and done', async () => {
      const event = eventOf('other', 'whatever');
      assert.equal((await deliver(event)).status, 200);
      await fixture.billing.background.drain();
      assert.equal(await keptEvent(event.id), true);
      assert.deepEqual(await fixture.billing.inbox.open(), []);
    });
  });

  describe('what is not paid gets nothing', () => {
    for (const state of ['open', 'awaiting', 'expired'] as const) {
      test(state, async () => {
        const { checkoutId, nonce } = await opened({ pack: 'instant' });
        if (state !== 'open') fixture.payments.pay(checkoutId, state);
        const { kind } = await fixture.billing.checkouts.view({ checkoutId, nonce });
        assert.equal(kind, state === 'expired' ? 'expired' : 'pending');
        assert.equal(await purchasesOf(checkoutId), 0);
      });
    }

    test('paid late', async () => {
      const { checkoutId, nonce } = await opened({ pack: 'instant' });
      fixture.payments.pay(checkoutId, 'awaiting');
      await fixture.billing.checkouts.view({ checkoutId, nonce });
      fixture.payments.pay(checkoutId);
      assert.equal((await fixture.billing.checkouts.view({ checkoutId, nonce })).kind, 'fulfilled');
    });

    test('another amount or currency than was asked for', async () => {
      for (const wrong of [{ cents: 100 }, { currency: 'eur' }, { reference: 'co_other' }]) {
        const { checkoutId, nonce } = await paid({ pack: 'scale' });
        Object.assign(fixture.payments.checkouts.get(checkoutId) ?? {}, wrong);
        assert.equal((await fixture.billing.checkouts.view({ checkoutId, nonce })).kind, 'pending');
        assert.equal(await purchasesOf(checkoutId), 0);
      }
    });
  });

  describe('the new key', () => {
    test('is shown to the buyer for a while after the first time, then never again', async () => {
      const { checkoutId, nonce } = await paid({ pack: 'instant' });
      const view = async (): Promise<string | null> => {
        const seen = await fixture.billing.checkouts.view({ checkoutId, nonce });
        return seen.kind === 'fulfilled' ? seen.apiKey : assert.fail(seen.kind);
      };
      const key = await view();
      assert.match(key ?? '', /^sdl_/);
      const search = await fixture.served.post('/v1/search', { query: 'q' }, { 'x-api-key': key ?? '' });
      assert.equal(search.headers.get('x-credits-remaining'), '14999');
      fixture.clock.set(new Date(Date.parse(NOON) + SHOWN_MS).toISOString());
      assert.equal(await view(), key);
      fixture.clock.set(new Date(Date.parse(NOON) + SHOWN_MS + 1).toISOString());
      assert.equal(await view(), null);
    });

    test('is not shown for a wrong secret', async () => {
      const { checkoutId, nonce } = await paid({ pack: 'instant' });
      for (const wrong of ['', 'x', `${nonce}x`, nonce.slice(1)])
        assert.deepEqual(await fixture.billing.checkouts.view({ checkoutId, nonce: wrong }), {
          kind: 'unknown',
        });
      assert.equal((await fixture.billing.checkouts.view({ checkoutId, nonce })).kind, 'fulfilled');
    });

    test('is the same in two tabs at once', async () => {
      const proof = await paid({ pack: 'instant' });
      const views = await Promise.all([1, 2, 3, 4].map(() => fixture.billing.checkouts.view(proof)));
      const keys = new Set(views.map((seen) => (seen.kind === 'fulfilled' ? seen.apiKey : seen.kind)));
      assert.equal(keys.size, 1);
    });

    test('is nowhere in plain text', async () => {
      const proof = await paid({ pack: 'instant' });
      const seen = await fixture.billing.checkouts.view(proof);
      const { db } = fixture.billing.ledgerStore;
      const rows = [
        await db.selectFrom('checkout').selectAll().execute(),
        await db.selectFrom('api_key').selectAll().execute(),
      ];
      assert.ok(seen.kind === 'fulfilled' && seen.apiKey !== null);
      assert.ok(!JSON.stringify(rows).includes(seen.apiKey));
    });
  });

  describe('a top-up', () => {
    test('adds the credits to the key that ran out, by the link of its 402', async () => {
      const { keyId, apiKey } = await fixture.billing.keys.create({ credits: 0, label: null });
      const { json } = await fixture.served.post('/v1/search', { query: 'q' }, { 'x-api-key': apiKey });
      const reference = new URL(json.checkout_url).searchParams.get('k') ?? '';
      assert.equal(fixture.billing.sealing.verified(reference), keyId);
      assert.equal(fixture.billing.sealing.verified(`${reference}x`), null);
      const seen = await sold({ pack: 'instant', topUp: keyId });
      assert.deepEqual([seen.toppedUp, seen.apiKey], [true, null]);
      const { headers } = await fixture.served.post('/v1/search', { query: 'q' }, { 'x-api-key': apiKey });
      assert.equal(headers.get('x-credits-remaining'), '14999');
    });
  });

  test('a delivery that never comes is made up for by asking the provider', async () => {
    const { checkoutId } = await paid({ pack: 'instant' });
    fixture.clock.set('2026-11-21T12:10:00Z');
    await fixture.billing.reconciler.askProvider();
    await assertSoldOnce(checkoutId, 15_000);
  });
});

async function learn(
  way: 'page' | 'session event' | 'charge event',
  { checkoutId, nonce }: Opened,
): Promise<void> {
  if (way === 'page') await fixture.billing.checkouts.view({ checkoutId, nonce });
  else if (way === 'session event') await deliver(eventOf('checkout', checkoutId));
  else await deliver(eventOf('charge', fixture.payments.checkouts.get(checkoutId)?.charge ?? ''));
  await fixture.billing.background.drain();
}

async function assertSoldOnce(checkoutId: string, credits: number): Promise<void> {
  assert.equal(await purchasesOf(checkoutId), 1);
  const { db } = fixture.billing.ledgerStore;
  const row = await db
    .selectFrom('checkout')
    .innerJoin('account', 'account.key_id', 'checkout.key_id')
    .select(['available', 'state'])
    .where('provider_id', '=', checkoutId)
    .executeTakeFirstOrThrow();
  assert.deepEqual({ ...row }, { available: credits, state: 'fulfilled' });
}

async function purchasesOf(checkoutId: string): Promise<number> {
  const rows = await fixture.billing.ledgerStore.db
    .selectFrom('entry')
    .innerJoin('checkout', 'checkout.id', 'entry.ref')
    .select('entry.ref')
    .where('kind', '=', 'purchase')
    .where('provider_id', '=', checkoutId)
    .execute();
  return rows.length;
}

async function keptEvent(id: string): Promise<boolean> {
  const { db } = fixture.billing.ledgerStore;
  return (await db.selectFrom('payment_event').select('id').where('id', '=', id).execute()).length === 1;
}
