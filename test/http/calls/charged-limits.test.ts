import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountOf,
  describeCharging,
  fixture,
  freshAddress,
  newKey,
  operate,
  PAGES,
  posted,
  remainingAfter,
} from './charging-fixture.ts';

await describeCharging(() => {
  test('with fewer credits than URLs nothing is fetched', async () => {
    const key = await newKey(2);
    let fetched = false;
    operate(async () => {
      fetched = true;
    });
    const { status, headers } = await fixture.served.post('/v1/contents', { urls: PAGES }, key.headers);
    assert.deepEqual([status, headers.get('x-credits-remaining'), fetched], [402, '2', false]);
    assert.deepEqual(await accountOf(key.keyId), { available: 2, held: 0 });
  });

  test('a revoked key is unknown', async () => {
    const revoked = await newKey(5);
    await fixture.billing.keys.revoke(revoked.keyId);
    assert.equal((await fixture.served.post('/v1/search', { query: 'q' }, revoked.headers)).status, 401);
  });

  test('the day turns at midnight UTC', async () => {
    const address = freshAddress();
    fixture.clock.set('2026-11-21T23:59:59.999Z');
    for (let left = 24; left >= 0; left--)
      assert.equal(await remainingAfter(posted('/v1/search', { query: 'q' }), address), String(left));
    assert.equal((await fixture.served.post('/v1/search', { query: 'q' }, address)).status, 402);
    fixture.clock.set('2026-11-22T00:00:00.000Z');
    assert.equal(await remainingAfter(posted('/v1/search', { query: 'q' }), address), '24');
  });

  test('200 calls of one address at once: 25 are served', async () => {
    const address = freshAddress();
    const calls = Array.from({ length: 100 }, () =>
      fixture.served.post('/v1/search', { query: 'q' }, address),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 25);
    assert.equal(statuses.filter((status) => status === 402).length, 75);
  });

  test('100 calls of one key with 30 credits at once: 30 are served and nothing is left', async () => {
    const key = await newKey(30);
    const calls = Array.from({ length: 100 }, () =>
      fixture.served.post('/v1/search', { query: 'q' }, key.headers),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 30);
    assert.deepEqual(await accountOf(key.keyId), { available: 0, held: 0 });
  });
});
