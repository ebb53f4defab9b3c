import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  keptCard,
  newReference,
  type StagedSandbox,
  stageSandbox,
  wantedCheckout,
} from '../../../../test/contract/payment-providers.ts';
import { movedClock } from '../../../../test/fixtures/moved-clock.ts';
import { openLedgerStore } from '../../../platform/store/ledger/open-ledger-store.ts';
import { BadSignature, type CheckoutOrder } from './payment-provider.ts';
import { createSandbox } from './sandbox.ts';
import type { SandboxAction } from './sandbox-objects.ts';

let staged: StagedSandbox;
before(async () => {
  staged = await stageSandbox(null);
});
after(() => staged.close());

const HOME = 'https://site.example/';
const terms = 'We charge 50 USD when fewer than 1,000 credits remain.';

async function opened(wanted: Partial<CheckoutOrder> = {}): Promise<{ id: string; through: string }> {
  const { id, url } = await staged.provider.openCheckout(wantedCheckout(wanted));
  assert.match(id, /^sbx_co_[0-9a-f]{24}$/);
  assert.equal(url, `http://127.0.0.1:8080/sandbox/pay/${id}`);
  return { id, through: `https://site.example/success?session_id=${id}&n=nonce` };
}

describe('the page of the sandbox', () => {
  test('shows what is bought, on what terms, and that no payment is real', async () => {
    const { id } = await opened({ saveCard: { terms } });
    const page = await staged.page.get(id);
    assert.deepEqual(page, {
      id,
      state: 'open',
      cents: 5_000,
      terms,
      lastError: null,
      description: 'Sandbox, no real payment: 60,000 credits',
    });
    const plain = await staged.page.get((await opened()).id);
    assert.equal(plain?.terms, null);
    assert.equal(await staged.page.get('sbx_co_nobody'), null);
  });

  type Landing = 'through' | 'home' | 'again';
  const rows: [actions: SandboxAction[], landing: Landing, state: string, error: string | null][] = [
    [['pay'], 'through', 'paid', null],
    [['pay-later-declined'], 'through', 'paid', null],
    [['decline'], 'again', 'open', 'card_declined'],
    [['decline', 'pay'], 'through', 'paid', null],
    [['authenticate'], 'again', 'open', 'authentication_required'],
    [['authenticate', 'authenticate'], 'through', 'paid', null],
    [['authenticate', 'decline'], 'again', 'open', 'card_declined'],
    [['leave'], 'home', 'open', null],
    [['leave', 'pay'], 'through', 'paid', null],
    [['pay', 'pay'], 'through', 'paid', null],
    [['pay', 'decline'], 'through', 'paid', null],
    [['pay', 'leave'], 'through', 'paid', null],
  ];
  for (const [actions, landing, state, error] of rows) {
    test(`${actions.join(', then ')}: ${state}, lands ${landing}`, async () => {
      const { id, through } = await opened();
      let goTo: string | null = null;
      for (const action of actions) ({ goTo } = await staged.page.act(id, action));
      assert.equal(goTo, { through, home: HOME, again: null }[landing]);
      const page = await staged.page.get(id);
      assert.deepEqual([page?.state, page?.lastError], [state, error]);
    });
  }

  test('expires after a day and can no longer be paid', async () => {
    const { id } = await opened();
    staged.clock.advance(86_400_000);
    assert.deepEqual(await staged.page.act(id, 'pay'), { goTo: null });
    assert.equal((await staged.page.get(id))?.state, 'expired');
    assert.equal((await staged.provider.getCheckout(id)).charge, null);
  });

  test('of an unknown checkout does nothing', async () => {
    assert.deepEqual(await staged.page.act('sbx_co_nobody', 'pay'), { goTo: null });
  });

  for (const [action, outcome] of [
    ['pay', 'succeeded'],
    ['authenticate', 'succeeded'],
    ['pay-later-declined', 'declined'],
  ] as const) {
    test(`a card saved by ${action}: later charges are ${outcome}`, async () => {
      const { provider, page } = staged;
      const { id } = await opened({ saveCard: { terms } });
      await page.act(id, action);
      if (action === 'authenticate') await page.act(id, action);
      const { customer, card } = await provider.getCheckout(id);
      const wanted = {
        reference: newReference('pur'),
        cents: 5_000,
        customer: customer ?? '',
        card: card ?? '',
      };
      const charge = await provider.prepareCharge(wanted);
      assert.match(charge.id, /^sbx_ch_/);
      assert.equal((await provider.confirmCharge(charge.id, 1)).state, outcome);
    });
  }

  test('two tabs that pay at once make one payment', async () => {
    const { id, through } = await opened({ saveCard: { terms } });
    const tabs = await Promise.all([staged.page.act(id, 'pay'), staged.page.act(id, 'pay-later-declined')]);
    assert.deepEqual(tabs, [{ goTo: through }, { goTo: through }]);
    const { charge } = await staged.provider.getCheckout(id);
    assert.equal((await staged.paid()).filter((one) => one === charge).length, 1);
  });
});

test('the sandbox accepts no webhook deliveries', () => {
  const delivery = { body: Buffer.from('{}'), signature: 't=1,v1=00', now: 1_000 };
  assert.throws(() => staged.provider.readEvent(delivery), BadSignature);
});

test('a charge that changes again is a new event', async () => {
  const { provider, clock } = staged;
  const kept = await keptCard(staged, 'card_declined');
  const { id } = await provider.prepareCharge({ reference: newReference('pur'), cents: 5_000, ...kept });
  const events = async (): Promise<string[]> =>
    (await provider.listEvents(clock.now())).filter(({ object }) => object.id === id).map((one) => one.id);
  const [prepared] = await events();
  await provider.confirmCharge(id, 1);
  const [declined] = await events();
  await provider.cancelCharge(id);
  assert.equal(new Set([prepared, declined, ...(await events())]).size, 3);
});

test('a restarted process and a concurrent one see the same state', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-sandbox-'));
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0)) await end();
  };
  t.after(async () => {
    await close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const open = async () => {
    const ledgerStore = await openLedgerStore({ dataDir, databaseUrl: null });
    closing.push(() => ledgerStore.close());
    return createSandbox({ ledgerStore, clock: movedClock(), siteUrl: () => 'http://127.0.0.1:8080' });
  };
  const [one, other] = [await open(), await open()];
  const wanted = wantedCheckout();
  const first = await one.provider.openCheckout(wanted);
  assert.deepEqual(await other.provider.openCheckout(wanted), first);
  await other.page.act(first.id, 'pay');
  await close();
  const restarted = await open();
  assert.equal((await restarted.provider.getCheckout(first.id)).state, 'paid');
});
