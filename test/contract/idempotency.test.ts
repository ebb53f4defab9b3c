import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  createIdempotency,
  type Idempotency,
  type RepeatableCall,
} from '../../src/billing/ledger/idempotency.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type OpenBilling, openBilling } from './open-billing.ts';

const DAY_MS = 86_400_000;

await describeOnStores('the keys of repeatable calls', (databaseUrl) => {
  let billing: OpenBilling;
  let calls: Idempotency;
  let attempts = 0;
  before(async () => {
    billing = await openBilling(databaseUrl);
    calls = createIdempotency({ ...billing, rowsMax: 5, responseBytesMax: 700 });
  });
  after(() => billing.close());
  const begin = async (key: string, parts: Partial<RepeatableCall> = {}) =>
    calls.begin({
      owner: 'o',
      key,
      content: ['/v1/search', 'body'],
      attempt: `a${attempts++}`,
      lostAfterMs: 1_000,
      ...parts,
    });
  const beginRun = async (key: string) => {
    const begun = await begin(key);
    assert.ok(begun.outcome === 'begun');
    return begun.attempt;
  };
  const finish = async (key: string, response: unknown) => (await beginRun(key)).finish(response);

  test('are valid for a day', async () => {
    await finish('day', { body: 'b' });
    billing.clock.add(DAY_MS - 1);
    assert.deepEqual(await begin('day'), { outcome: 'done', response: { body: 'b' } });
    billing.clock.add(1);
    assert.equal((await begin('day')).outcome, 'begun');
  });

  test('of an attempt that was lost with its process are free again, and its late end changes nothing', async () => {
    const lost = await beginRun('lost');
    assert.equal((await begin('lost')).outcome, 'under way');
    billing.clock.add(1_000);
    const second = await beginRun('lost');
    await lost.finish({ body: 'late' });
    await lost.release();
    assert.equal((await begin('lost')).outcome, 'under way');
    await second.finish({ body: 'second' });
    assert.deepEqual(await begin('lost'), { outcome: 'done', response: { body: 'second' } });
  });

  test('tell path and body apart, however they are divided', async () => {
    await finish('parts', null);
    assert.equal((await begin('parts', { content: ['/v1/searchbody', ''] })).outcome, 'other call');
    assert.deepEqual(await begin('parts'), { outcome: 'done', response: null });
  });

  test('and their responses are bounded: the oldest go first', async () => {
    billing.clock.add(DAY_MS);
    await calls.trim();
    for (let at = 0; at < 5; at += 1) {
      await finish(`bound ${at}`, { body: randomText() });
      billing.clock.add(10);
    }
    await calls.trim();
    const kept = await Promise.all([0, 1, 2, 3, 4].map((at) => begin(`bound ${at}`)));
    assert.ok(kept.every(({ outcome }) => outcome === 'done'));
    assert.deepEqual(
      kept.map((result) => result.outcome === 'done' && result.response !== null),
      [false, false, false, true, true],
    );
    await finish('bound 5', null);
    await calls.trim();
    assert.equal((await begin('bound 0')).outcome, 'begun');
    assert.equal((await begin('bound 1')).outcome, 'done');
  });
});

/** Text of 300 bytes that does not compress. */
const randomText = (): string =>
  Array.from({ length: 300 }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join('');
