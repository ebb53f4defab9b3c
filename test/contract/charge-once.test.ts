import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type OpenBilling, openBilling } from './open-billing.ts';

await describeOnStores('a charge outside a call', (databaseUrl) => {
  let billing: OpenBilling;
  before(async () => {
    billing = await openBilling(databaseUrl);
  });
  after(() => billing.close());
  afterEach(async () => assert.deepEqual(await createAudit(billing)(), []));

  let references = 0;
  const newReference = (): string => `charge ${++references}`;
  const keyWith = async (credits: number): Promise<string> =>
    (await billing.keys.create({ credits, label: null })).keyId;

  test('counts once per reference, however often and however many at once ask', async () => {
    const keyId = await keyWith(100);
    const charge = { keyId, reference: newReference(), credits: 7 };
    const asked = Array.from({ length: 8 }, () => billing.chargeOnce(charge));
    assert.deepEqual(await Promise.all(asked), Array(8).fill(7));
    assert.equal(await billing.chargeOnce(charge), 7);
    assert.equal(await billing.ledger.available(keyId), 93);
  });

  test('takes what is left, and gives the same answer after the key was filled again', async () => {
    const keyId = await keyWith(5);
    const charge = { keyId, reference: newReference(), credits: 8 };
    assert.equal(await billing.chargeOnce(charge), 5);
    await billing.keys.grant({ keyId, credits: 50, ref: newReference() });
    assert.equal(await billing.chargeOnce(charge), 5);
    assert.equal(await billing.ledger.available(keyId), 50);
  });

  test('is 0 for a key without credits or a revoked one', async () => {
    const poor = await keyWith(1);
    await billing.chargeOnce({ keyId: poor, reference: newReference(), credits: 1 });
    assert.equal(await billing.chargeOnce({ keyId: poor, reference: newReference(), credits: 1 }), 0);
    const revoked = await keyWith(9);
    await billing.keys.revoke(revoked);
    assert.equal(await billing.chargeOnce({ keyId: revoked, reference: newReference(), credits: 1 }), 0);
    assert.equal(await billing.ledger.available(revoked), 9);
  });

  test('different references of one key are charged side by side', async () => {
    const keyId = await keyWith(20);
    const charges = Array.from({ length: 30 }, () =>
      billing.chargeOnce({ keyId, reference: newReference(), credits: 1 }),
    );
    const total = (await Promise.all(charges)).reduce((sum, charged) => sum + charged, 0);
    assert.equal(total, 20);
    assert.equal(await billing.ledger.available(keyId), 0);
  });
});
