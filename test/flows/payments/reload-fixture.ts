import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { searchAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../../http/calls/charged-service.ts';

/** The service of the suite that is running. */
export let fixture: ChargedFixture;

/** Describes auto-reload on each ledger store, over a service of its own. */
export async function describeReloads(suite: () => void): Promise<void> {
  await describeOnStores('auto-reload', (databaseUrl) => {
    before(async () => {
      fixture = await openChargedFixture(databaseUrl, { search: async () => searchAnswer() });
    });
    after(() => fixture.close());
    beforeEach(() => {
      fixture.clock.set('2026-11-21T12:00:00Z');
      fixture.payments.script.splice(0);
    });
    suite();
  });
}

type Headers = Record<string, string>;

/** How auto-reload of a key that was bought with a saved card is to be. */
type Wanted = {
  enabled?: boolean;
  credits?: 15_000;
  threshold?: number;
  reloadPack?: 'instant' | 'builder' | 'scale';
  capUsd?: number;
};

/** The headers of a key that was bought with a saved card. */
export const boughtKey = async (wanted: Wanted): Promise<Headers> => (await boughtKeyAndId(wanted)).key;

/** The headers of such a key, and its id. */
export async function boughtKeyAndId(wanted: Wanted): Promise<{ key: Headers; keyId: string }> {
  const { threshold = 1_000, reloadPack = 'builder', capUsd = 500 } = wanted;
  const { url } = await fixture.billing.checkouts.open({
    pack: 'instant',
    topUp: null,
    autoReload: { threshold, pack: reloadPack, capCents: capUsd * 100 },
  });
  const checkoutId = url.split('/').at(-1) ?? '';
  fixture.payments.pay(checkoutId);
  await fixture.billing.checkouts.fulfil(checkoutId);
  const { db } = fixture.billing.ledgerStore;
  const { sealed_key, key_id } = await db
    .selectFrom('checkout')
    .select(['sealed_key', 'key_id'])
    .where('provider_id', '=', checkoutId)
    .executeTakeFirstOrThrow();
  const key = { authorization: `Bearer ${fixture.billing.sealing.unseal(sealed_key ?? '')}` };
  if (wanted.enabled === false) await configure(key, { enabled: false });
  return { key, keyId: key_id ?? '' };
}

/** Asks the interface to change auto-reload. */
export const configure = (key: Headers, body: object) =>
  fixture.served.post('/v1/billing/auto-reload', body, key);
/** What the interface says of a key's credits. */
export const balance = async (key: Headers) => (await fixture.served.get('/v1/balance', key)).json;

/** A search of one credit; returns what is left. */
export async function search(key: Headers): Promise<number> {
  const { status, headers } = await fixture.served.post('/v1/search', { query: 'q' }, key);
  assert.equal(status, 200);
  return Number(headers.get('x-credits-remaining'));
}

/** Purchases that were set off have gone as far as they go now. */
export const settled = () => fixture.billing.background.drain();
