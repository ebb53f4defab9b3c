import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createCheckout, recordCheckoutOpened } from '../../../src/billing/payments/checkout-procedures.ts';
import { keepEvent, recordEventTried } from '../../../src/billing/payments/payment-inbox.ts';
import type { PaymentEvent } from '../../../src/billing/payments/providers/payment-provider.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { type RealServed, serveReal } from '../../harness.ts';
import { type ConsoleClient, signIn, TOKEN } from './console-client.ts';

const HOUR = 3_600_000;

await describeOnStores('payments in the console', (databaseUrl) => {
  let app: RealServed;
  let client: ConsoleClient;
  before(async () => {
    app = await serveReal({
      ADMIN_TOKEN: TOKEN,
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    });
    client = await signIn(app);
  });
  after(() => app.close());

  const keep = async (event: Pick<PaymentEvent, 'id' | 'object'>, handled: boolean): Promise<void> => {
    const { ledgerStore } = app.billing;
    const at = Date.now() - HOUR;
    await ledgerStore.run(keepEvent, { ...event, type: '<b>changed</b>', createdAt: at });
    if (handled) await ledgerStore.run(recordEventTried, { id: event.id, handledAt: at });
  };
  const auditEnded = async (): Promise<string> => {
    for (;;) {
      const { text } = await client.get('/admin/payments');
      if (!text.includes('>under way<')) return text;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  test('with nothing sold there is nothing to look at', async () => {
    const { text } = await client.get('/admin/payments');
    for (const words of [
      'Nothing was sold',
      'Every payment matches a sale',
      'Every event was handled',
      'No audit since',
    ])
      assert.match(text, new RegExp(words));
  });

  test('what was paid and not credited, belongs to no sale, or waits, is listed', async () => {
    const { ledgerStore } = app.billing;
    await ledgerStore.run(createCheckout, {
      id: 'chk_unmatched',
      provider_id: null,
      pack: 'instant',
      cents: 1_500,
      credits: 1_000,
      top_up_key: null,
      reload_threshold: null,
      reload_pack: null,
      reload_cap_cents: null,
      nonce_hash: 'n',
      state: 'created',
      charge_id: null,
      key_id: null,
      sealed_key: null,
      shown_until: null,
      created_at: Date.now() - HOUR,
    });
    await ledgerStore.run(recordCheckoutOpened, { id: 'chk_unmatched', providerId: 'cs_unmatched' });
    await keep({ id: 'evt_paid', object: { kind: 'checkout', id: 'cs_unmatched' } }, true);
    await keep({ id: 'evt_stray', object: { kind: 'charge', id: 'pi_stray' } }, true);
    await keep({ id: 'evt_open', object: { kind: 'charge', id: 'pi_unknown' } }, false);
    const { text } = await client.get('/admin/payments');
    assert.match(text, /no credits were given[\s\S]*chk_unmatched<\/code> \(instant, open\)[\s\S]*\$15/);
    assert.match(text, /belongs to no sale here[\s\S]*pi_stray/);
    assert.match(text, /<code>evt_open<\/code>[\s\S]*<td class="number">0<\/td>/);
    assert.ok(!text.includes('<b>changed'));
  });

  test('an event is tried again, and the provider asked', async () => {
    const { text } = await client.act('/admin/payments', { do: 'retry', id: 'evt_open' });
    assert.match(text, /Tried again/);
    assert.match(text, /<code>evt_open<\/code>[\s\S]*<td class="number">1<\/td>/);
    assert.match((await client.act('/admin/payments', { do: 'ask' })).text, /The provider was asked/);
  });

  test('the ledger is audited while it is used, and damage is shown', async () => {
    const { text } = await client.act('/admin/payments', { do: 'audit' });
    assert.match(text, /The audit has begun/);
    assert.match(await auditEnded(), /the ledger keeps every promise/);
    const { keyId } = await app.billing.keys.create({ credits: 40, label: null });
    await damage(app, keyId);
    await client.act('/admin/payments', { do: 'audit' });
    const found = await auditEnded();
    assert.match(found, /the ledger is damaged/);
    assert.match(found, new RegExp(`<th scope="row">I1</th><td>${keyId}</td>`));
    assert.match((await client.get('/admin')).text, /audit of the ledger<\/a> found/);
  });
});

/** Changes a balance without an entry, past the procedures. */
async function damage({ billing, services }: RealServed, keyId: string): Promise<void> {
  const { db, dialect } = billing.ledgerStore;
  if (dialect === 'postgres') {
    await sql`update account set available = available + 1 where key_id = ${keyId}`.execute(db);
    return;
  }
  const { openSqlite } = await import('../../../src/platform/store/open-sqlite.ts');
  const database = openSqlite(`${services.config.dataDir}/books.db`);
  database.prepare('update account set available = available + 1 where key_id = ?').run(keyId);
  database.close();
}

describe('a console without metering', () => {
  let app: RealServed;
  before(async () => {
    app = await serveReal({ ADMIN_TOKEN: TOKEN, METERING: 'off' });
  });
  after(() => app.close());

  test('it has no pages about keys and payments, and mentions no money', async () => {
    const client = await signIn(app);
    for (const path of ['/admin/keys', '/admin/payments']) assert.equal((await client.get(path)).status, 404);
    for (const path of [
      '/admin',
      '/admin/sources',
      '/admin/index',
      '/admin/crawls',
      '/admin/settings',
      '/admin/log',
    ]) {
      const { status, text } = await client.get(path);
      assert.equal(status, 200);
      const words =
        /credit|keyless|pric(?:e|ing)|billing|\bbuy\b|\bpaid\b|\bpay(?:ments?)?\b|\bledger\b|\busd\b|\bstripe/i.exec(
          text,
        );
      assert.equal(words?.[0], undefined, path);
    }
  });
});
