import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { KyselyPlugin } from 'kysely';
import { type Billing, createBilling } from '../../src/app/compose-billing.ts';
import { createKnownKeys } from '../../src/billing/keys/known-keys.ts';
import { createLog } from '../../src/platform/log.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type OpenBilling, openBilling } from './open-billing.ts';

/** A change by another process shows within this time. */
const WITHIN_MS = 1_000;

await describeOnStores('keys kept in memory', (databaseUrl) => {
  let billing: OpenBilling;
  let other: Billing;
  let apiKey: string;
  let keyId: string;
  before(async () => {
    billing = await openBilling(databaseUrl);
    const { dataDir, clock } = billing;
    other = await createBilling({ dataDir, databaseUrl }, { log: createLog('silent'), clock });
  });
  after(async () => {
    await other.close();
    await billing.close();
  });
  beforeEach(async () => {
    ({ apiKey, keyId } = await billing.keys.create({ credits: 5, label: null }));
    // The first look-up reads the version, so it is the second one that is kept.
    for (let calls = 1; calls <= 2; calls++) assert.equal((await billing.keys.find(apiKey))?.keyId, keyId);
  });

  const passes = (ms: number): void => billing.clock.add(ms);
  const found = async (key: string): Promise<string | null> => (await billing.keys.find(key))?.keyId ?? null;

  test('one that another process revokes is refused within a second', async () => {
    await other.keys.revoke(keyId);
    passes(WITHIN_MS);
    assert.equal(await found(apiKey), null);
  });

  test('one that another process revokes spends nothing, not even within that second', async () => {
    await other.keys.revoke(keyId);
    assert.equal(await found(apiKey), keyId);
    const charge = await billing.meter.beginCharge({ kind: 'key', keyId }, `revoked ${keyId}`);
    await assert.rejects(charge.hold({ credits: 1, ms: 0 }), { code: 'insufficient_credits' });
  });

  test('one that this process changes is not used any more', async () => {
    await billing.keys.changeTerms(keyId, { perDay: 7 });
    assert.equal((await billing.keys.find(apiKey))?.limits?.perDay, 7);
    await billing.keys.revoke(keyId);
    assert.equal(await found(apiKey), null);
  });

  for (const [change, made, seen] of [
    [
      'limits',
      () => other.keys.changeTerms(keyId, { perMinute: 3 }),
      { limits: { perMinute: 3, perDay: null } },
    ],
    ['whether it manages', () => other.keys.describe(keyId, { manages: false }), { onlyCalls: true }],
  ] as const)
    test(`of one whose ${change} another process changes, the change shows within a second`, async () => {
      await other.keys.addTo(keyId, { label: null, manages: true });
      await made();
      passes(WITHIN_MS);
      assert.deepEqual(await billing.keys.find(apiKey), { keyId, noStore: false, ...seen });
    });

  test('one that another process rotates works with both secrets until the old one ends', async () => {
    const rotated = await other.keys.rotate(keyId, { overlapMs: 10_000 });
    passes(WITHIN_MS);
    for (let calls = 1; calls <= 2; calls++) {
      assert.equal(await found(apiKey), keyId);
      assert.equal(await found(rotated?.apiKey ?? ''), keyId);
    }
    passes(8_900);
    assert.equal(await found(apiKey), keyId);
    passes(200);
    assert.equal(await found(apiKey), null);
    assert.equal(await found(rotated?.apiKey ?? ''), keyId);
  });

  test('one that expires is refused at that time', async () => {
    await billing.keys.changeTerms(keyId, { expiresAt: billing.clock.now() + 100 });
    for (let calls = 1; calls <= 3; calls++) assert.equal(await found(apiKey), keyId);
    passes(100);
    await assert.rejects(billing.keys.find(apiKey), { code: 'expired_api_key' });
  });

  test('is looked up once while nothing changes, and the version twice a second at most', async () => {
    let reads: string[] = [];
    let open = 0;
    const counted: KyselyPlugin = {
      transformQuery({ node }) {
        reads.push(JSON.stringify(node).includes('key_version') ? 'version' : 'key');
        open += 1;
        return node;
      },
      async transformResult({ result }) {
        open -= 1;
        return result;
      },
    };
    const db = billing.ledgerStore.db.withPlugin(counted);
    const known = createKnownKeys({ ledgerStore: { db }, clock: billing.clock });
    for (let calls = 1; calls <= 50; calls++) await known.find(apiKey);
    assert.deepEqual(reads, ['key', 'version', 'key', 'version']);
    reads = [];
    for (let calls = 1; calls <= 50; calls++) {
      passes(100);
      await known.find(apiKey);
      while (open > 0) await setImmediate();
    }
    assert.deepEqual(reads, Array(10).fill('version'));
  });

  test('a row that was read before a change is not kept after it', async () => {
    const known = createKnownKeys(billing);
    await known.find(apiKey);
    const finding = known.find(apiKey);
    known.forget();
    await finding;
    await billing.keys.revoke(keyId);
    assert.equal(await known.find(apiKey), null);
  });
});
