import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Failure } from '../../src/contract/errors.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type OpenBilling, openBilling } from './open-billing.ts';

const LIMITS = { perMinute: null, perDay: 5 };

await describeOnStores('the daily limit of a key', (databaseUrl) => {
  let billing: OpenBilling;
  before(async () => {
    billing = await openBilling(databaseUrl);
  });
  after(() => billing.close());

  /** Begins some calls at once; resolves to the number that were let through. */
  const begin = async (keyId: string, calls: number): Promise<number> => {
    const began = Array.from({ length: calls }, (_, call) =>
      billing.meter.beginCharge({ kind: 'key', keyId, limits: LIMITS }, `${keyId} ${call}`).then(
        () => 1,
        (error) => {
          assert.ok(error instanceof Failure && error.code === 'rate_limited');
          return 0;
        },
      ),
    );
    return (await Promise.all(began)).reduce((sum: number, one) => sum + one, 0);
  };

  test('holds for calls at once, per key, and is counted in the store', async () => {
    assert.equal(await begin('key_1', 40), 5);
    assert.equal(await begin('key_2', 3), 3);
    const rows = billing.ledgerStore.db.selectFrom('allowance').select(['address', 'used']);
    assert.deepEqual(
      (await rows.orderBy('address').execute()).map(({ address, used }) => [address, Number(used)]),
      [
        ['key_1', 5],
        ['key_2', 3],
      ],
    );
  });

  test('is new on the next UTC day', async () => {
    billing.clock.add(86_400_000);
    assert.equal(await begin('key_1', 6), 5);
  });
});
