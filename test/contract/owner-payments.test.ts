import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createPayments, type Payments } from '../../src/app/compose-payments.ts';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { PaymentUncertain } from '../../src/billing/payments/providers/payment-provider.ts';
import { createLog } from '../../src/platform/log.ts';
import { type MemoryPayments, memoryPayments } from '../fixtures/memory-payments.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type OpenBilling, openBilling } from './open-billing.ts';

const RELOAD = { threshold: 1_000, pack: 'builder', capCents: 50_000 } as const;

await describeOnStores('the payments of an owner', (databaseUrl) => {
  let billing: OpenBilling;
  let provider: MemoryPayments;
  let payments: Payments;
  let opened: string;
  before(async () => {
    billing = await openBilling(databaseUrl);
    provider = memoryPayments();
    payments = createPayments({ dataDir: billing.dataDir, appSecret: 'x'.repeat(32) }, billing, {
      provider: {
        ...provider,
        async openCheckout(wanted) {
          opened = wanted.successUrl;
          return provider.openCheckout(wanted);
        },
      },
      clock: billing.clock,
      log: createLog('silent'),
      siteUrl: () => 'https://site.example',
    });
  });
  after(() => billing.close());
  afterEach(async () => assert.deepEqual(await createAudit(billing)(), []));

  async function bought({ topUp = null, card = true }: { topUp?: string | null; card?: boolean } = {}) {
    const { url } = await payments.checkouts.open({
      pack: 'instant',
      topUp,
      autoReload: card ? RELOAD : null,
    });
    const checkoutId = url.split('/').at(-1) ?? '';
    const nonce = new URL(opened).searchParams.get('n') ?? '';
    provider.pay(checkoutId);
    const view = await payments.checkouts.view({ checkoutId, nonce });
    assert.ok(view.kind === 'fulfilled');
    const apiKey = view.apiKey ?? '';
    const keyId = topUp ?? (await billing.keys.find(apiKey))?.keyId ?? '';
    return { checkoutId, nonce, apiKey, keyId };
  }
  const buy = (): ReturnType<typeof bought> => bought();

  describe('a further key', () => {
    test('that is topped up gives the credits to its account', async () => {
      const { keyId } = await buy();
      const further = await billing.keys.addTo(keyId, { label: null, manages: false });
      await bought({ topUp: further?.keyId ?? '' });
      assert.equal(await billing.ledger.available(keyId), 30_000);
      assert.equal((await payments.sales.of(keyId, 10)).length, 2);
    });

    test('is frozen with its account, also one that is added meanwhile, and thawed with it', async () => {
      const { keyId, checkoutId } = await buy();
      const before = await billing.keys.addTo(keyId, { label: null, manages: false });
      const charge = provider.checkouts.get(checkoutId)?.charge ?? '';
      await billing.chargeOnce({ keyId, reference: `before the refund ${keyId}`, credits: 3 });
      const refund = async (refundedCents: number): Promise<void> => {
        Object.assign(provider.charges.get(charge) ?? {}, { refundedCents });
        const id = `evt_${charge}_${refundedCents}`;
        await payments.inbox.take({ id, type: 't', createdAt: 1, object: { kind: 'charge', id: charge } });
        await payments.inbox.handle(id);
      };
      await refund(1_500);
      const meanwhile = await billing.keys.addTo(keyId, { label: null, manages: false });
      const states = async (): Promise<(string | undefined)[]> =>
        Promise.all(
          [keyId, before?.keyId, meanwhile?.keyId].map(
            async (id) => (await billing.keys.show(id ?? ''))?.state,
          ),
        );
      assert.deepEqual(await states(), ['frozen', 'frozen', 'frozen']);
      await refund(0);
      assert.deepEqual(await states(), ['active', 'active', 'active']);
    });

    test('that spends below the threshold makes auto-reload buy for the account', async () => {
      const { keyId } = await buy();
      const further = await billing.keys.addTo(keyId, { label: null, manages: false });
      billing.clock.add(1);
      await billing.chargeOnce({ keyId: further?.keyId ?? '', reference: `job ${keyId}`, credits: 14_500 });
      await billing.background.drain();
      assert.equal(await billing.ledger.available(keyId), 60_500);
      const [reload] = await payments.sales.of(further?.keyId ?? '', 1);
      assert.deepEqual([reload?.how, reload?.state, reload?.cents], ['auto-reload', 'paid', 5_000]);
    });
  });

  describe('the saved card', () => {
    test('is shown by brand and digits, and removed here and at the provider', async () => {
      const { keyId } = await buy();
      const { card, enabled } = await billing.autoReloads.of(keyId);
      assert.deepEqual([card, enabled], [{ brand: 'visa', last4: '4242' }, true]);
      provider.calls.length = 0;
      assert.equal(await payments.cards.remove(keyId), true);
      assert.deepEqual(provider.calls, ['removeCard']);
      const after = await billing.autoReloads.of(keyId);
      assert.deepEqual(
        [after.card, after.hasCard, after.enabled, after.lastError],
        [null, false, false, null],
      );
      assert.equal(await payments.cards.remove(keyId), false);
    });

    test('stays while the provider does not answer, but auto-reload is off; a second try removes it', async () => {
      const { keyId } = await buy();
      provider.loseReplyOf.add('removeCard');
      await assert.rejects(payments.cards.remove(keyId), PaymentUncertain);
      const between = await billing.autoReloads.of(keyId);
      assert.deepEqual([between.hasCard, between.enabled], [true, false]);
      assert.equal(await payments.cards.remove(keyId), true);
      assert.equal((await billing.autoReloads.of(keyId)).hasCard, false);
    });
  });

  describe('who paid for a key of somebody else', () => {
    const HIGHEST = { enabled: true, threshold: 100_000, pack: 'scale', capCents: 10_000_000 } as const;
    const refused = (error: { code?: string }): boolean => error.code === 'forbidden';

    test('neither sees nor changes what the card of its owner pays for', async () => {
      const { keyId } = await buy();
      const further = await billing.keys.addTo(keyId, { label: null, manages: false });
      const before = await billing.autoReloads.of(keyId);
      for (const topUp of [keyId, further?.keyId ?? '']) {
        const payer = await bought({ topUp, card: false });
        for (const change of [HIGHEST, { enabled: false }])
          await assert.rejects(payments.checkouts.configure(payer, change), refused);
        const view = await payments.checkouts.view(payer);
        assert.deepEqual([view.kind, view.kind === 'fulfilled' && view.autoReload], ['fulfilled', null]);
      }
      assert.deepEqual(await billing.autoReloads.of(keyId), before);
    });

    test('sets what their own card pays for, until another one is saved or it is removed', async () => {
      const owner = await bought({ card: false });
      const payer = await bought({ topUp: owner.keyId });
      assert.equal((await payments.checkouts.configure(payer, HIGHEST))?.capCents, 10_000_000);
      assert.equal((await payments.checkouts.configure(payer, { enabled: false }))?.enabled, false);
      const later = await bought({ topUp: owner.keyId });
      await assert.rejects(payments.checkouts.configure(payer, HIGHEST), refused);
      assert.equal((await payments.checkouts.configure(later, { enabled: true }))?.enabled, true);
      await payments.cards.remove(owner.keyId);
      await assert.rejects(payments.checkouts.configure(later, HIGHEST), refused);
      assert.equal((await payments.checkouts.configure(owner, { enabled: false }))?.enabled, false);
    });
  });

  describe('the sales', () => {
    test('are listed with receipts for their own account only', async () => {
      const [mine, other] = [await buy(), await buy()];
      const [sale] = await payments.sales.of(mine.keyId, 10);
      assert.deepEqual(
        [sale?.how, sale?.pack, sale?.cents, sale?.state],
        ['checkout', 'instant', 1_500, 'paid'],
      );
      const charge = provider.checkouts.get(mine.checkoutId)?.charge ?? '';
      assert.equal(
        await payments.sales.receiptOf(mine.keyId, sale?.id ?? ''),
        `https://pay.example.org/receipts/${charge}`,
      );
      assert.equal(await payments.sales.receiptOf(other.keyId, sale?.id ?? ''), null);
      assert.equal(await payments.sales.receiptOf(mine.keyId, 'nothing'), null);
    });
  });

  describe('a recovery', () => {
    test('with the code gives a new secret, ends the lost one and every session, and works once', async () => {
      const { checkoutId, nonce, apiKey, keyId } = await buy();
      const manager = await billing.keys.addTo(keyId, { label: null, manages: true });
      const sessions = [keyId, manager?.keyId ?? ''].map((id) => billing.ownerSessions.begin(id));
      const tokens = (await Promise.all(sessions)).map(({ token }) => token);
      const recovered = await payments.recover({ reference: `${checkoutId}.${nonce}`, last4: '' });
      assert.equal(recovered?.keyId, keyId);
      assert.equal(await billing.keys.find(apiKey), null);
      assert.equal((await billing.keys.find(recovered?.apiKey ?? ''))?.keyId, keyId);
      for (const token of tokens) assert.equal(await billing.ownerSessions.find(token), null);
      assert.equal(await payments.recover({ reference: `${checkoutId}.${nonce}`, last4: '' }), null);
      assert.ok(await payments.recover({ reference: recovered?.code ?? '', last4: '' }));
    });

    test('with the address of the payment page and the card takes both', async () => {
      const { checkoutId, keyId } = await buy();
      const reference = `https://pay.example.org/c/pay/${checkoutId}#fid1`;
      for (const last4 of ['', '424', '4243'])
        assert.equal(await payments.recover({ reference, last4 }), null);
      assert.equal((await payments.recover({ reference, last4: '4242' }))?.keyId, keyId);
    });

    test('is refused after five wrong cards, of many at once, even with the right one', async () => {
      const { checkoutId, nonce } = await buy();
      provider.calls.length = 0;
      const tried = Array.from({ length: 20 }, () =>
        payments.recover({ reference: checkoutId, last4: '0000' }),
      );
      assert.deepEqual(new Set(await Promise.all(tried)), new Set([null]));
      assert.equal(provider.calls.length, 5);
      assert.equal(await payments.recover({ reference: checkoutId, last4: '4242' }), null);
      assert.ok(await payments.recover({ reference: `${checkoutId}.${nonce}`, last4: '' }));
    });

    test('by who only added credits to a key is refused', async () => {
      const { keyId } = await buy();
      const { checkoutId, nonce } = await bought({ topUp: keyId });
      for (const reference of [checkoutId, `${checkoutId}.${nonce}`])
        assert.equal(await payments.recover({ reference, last4: '4242' }), null);
    });

    test('of an account whose first key was revoked adds one that manages', async () => {
      const { checkoutId, nonce, keyId } = await buy();
      const further = await billing.keys.addTo(keyId, { label: null, manages: true });
      await billing.keys.revoke(keyId);
      const recovered = await payments.recover({ reference: `${checkoutId}.${nonce}`, last4: '' });
      const record = await billing.keys.show(recovered?.apiKey ?? '');
      assert.deepEqual([record?.account, record?.manages, record?.state], [keyId, true, 'active']);
      assert.notEqual(record?.id, further?.keyId);
    });

    test('with anything else is refused', async () => {
      const { checkoutId } = await buy();
      const { url } = await payments.checkouts.open({ pack: 'instant', topUp: null, autoReload: null });
      const unpaid = url.split('/').at(-1) ?? '';
      for (const reference of ['', 'cs_', 'cs_nobody', `${checkoutId}.${'x'.repeat(32)}`, unpaid, '../..'])
        assert.equal(await payments.recover({ reference, last4: '4242' }), null, reference);
    });
  });
});
