import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { Failure } from '../../src/contract/errors.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type OpenBilling, openBilling } from './open-billing.ts';

await describeOnStores('keys', (databaseUrl) => {
  let billing: OpenBilling;
  before(async () => {
    billing = await openBilling(databaseUrl);
  });
  after(() => billing.close());
  afterEach(async () => assert.deepEqual(await createAudit(billing)(), []));

  test('one free key for a network, of fifty claims at once', async () => {
    const claims = await Promise.allSettled(
      Array.from({ length: 50 }, (_, host) => billing.keys.claimFree(`203.0.113.${host}`)),
    );
    const issued = claims.filter((claim) => claim.status === 'fulfilled');
    assert.equal(issued.length, 1);
    for (const claim of claims)
      if (claim.status === 'rejected')
        assert.ok(claim.reason instanceof Failure && claim.reason.code === 'free_key_already_issued');
    const record = await billing.keys.show(issued[0]?.value.apiKey ?? '');
    assert.deepEqual([record?.network, record?.credits, record?.kind], ['203.0.113.0/24', 2_500, 'free']);
  });

  test('one free key for each network, of fifty claims at once', async () => {
    const addresses = Array.from({ length: 25 }, (_, net) => [
      `10.0.${net}.1`,
      `2001:db8:${net + 1}::1`,
    ]).flat();
    const issued = await Promise.all(addresses.map((address) => billing.keys.claimFree(address)));
    assert.equal(new Set(issued.map(({ apiKey }) => apiKey)).size, 50);
    await assert.rejects(billing.keys.claimFree('2001:db8:1:ffff::9'));
  });

  test('a network whose key was revoked gets no other', async () => {
    const { keyId } = await billing.keys.claimFree('192.0.2.1');
    assert.equal(await billing.keys.revoke(keyId), true);
    await assert.rejects(billing.keys.claimFree('192.0.2.2'));
  });

  test('the key itself is nowhere in the store', async () => {
    const { apiKey, keyId } = await billing.keys.create({ credits: 5, label: 'seen once' });
    assert.match(apiKey, /^sdl_[\w-]{43}$/);
    const rows = await billing.ledgerStore.db
      .selectFrom('api_key')
      .selectAll()
      .where('id', '=', keyId)
      .execute();
    assert.equal(JSON.stringify(rows).includes(apiKey.slice(12)), false);
    assert.equal(rows[0]?.hint, apiKey.slice(0, 10));
    assert.match(rows[0]?.hash ?? '', /^[0-9a-f]{64}$/);
  });

  test('a key is found while it is not revoked, by nothing but itself', async () => {
    const { apiKey, keyId } = await billing.keys.create({ credits: 5, label: null });
    assert.deepEqual(await billing.keys.find(apiKey), { keyId, noStore: false });
    for (const other of [keyId, '', apiKey.slice(0, -1), `${apiKey} `, apiKey.toUpperCase()])
      assert.equal(await billing.keys.find(other), null);
    await billing.keys.revoke(keyId);
    assert.equal(await billing.keys.find(apiKey), null);
    assert.equal((await billing.keys.show(keyId))?.state, 'revoked');
  });

  test('a key may keep what it reads from other callers', async () => {
    const { apiKey, keyId } = await billing.keys.create({ credits: 5, label: null, noStore: true });
    assert.deepEqual(await billing.keys.find(apiKey), { keyId, noStore: true });
    assert.equal((await billing.keys.show(keyId))?.noStore, true);
  });

  test('a key without credits has no entry', async () => {
    const { keyId } = await billing.keys.create({ credits: 0, label: null });
    assert.equal(await billing.ledger.available(keyId), 0);
  });

  test('what nobody has is revoked by nobody', async () => {
    assert.equal(await billing.keys.revoke('nobody'), false);
  });
});
