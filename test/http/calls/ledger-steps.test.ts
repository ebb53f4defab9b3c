import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { readAnswer, searchAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from './charged-service.ts';

await describeOnStores('what a call asks of the ledger', (databaseUrl) => {
  let fixture: ChargedFixture;
  let searches = 0;
  before(async () => {
    fixture = await openChargedFixture(databaseUrl, {
      async search() {
        searches += 1;
        return searchAnswer();
      },
      read: async () => readAnswer({ cache: 'hit' }),
    });
  });
  after(() => fixture.close());

  /** The steps of the ledger that a call takes, and its answer. */
  async function stepsOf(call: () => ReturnType<ChargedFixture['served']['post']>) {
    const { ledger } = fixture.billing;
    const steps: string[] = [];
    const methods = (['hold', 'settle', 'available', 'refund', 'holdState'] as const).map((name) => {
      const real = ledger[name] as (...args: unknown[]) => unknown;
      Object.assign(ledger, {
        [name]: (...args: unknown[]) => {
          steps.push(name);
          return real(...args);
        },
      });
      return [name, real] as const;
    });
    const { status, json, headers } = await call();
    for (const [name, real] of methods) Object.assign(ledger, { [name]: real });
    return { steps, status, json, left: headers.get('x-credits-remaining') };
  }
  const keyWith = async (credits: number) => {
    const { apiKey, keyId } = await fixture.billing.keys.create({ credits, label: null });
    return { keyId, key: { authorization: `Bearer ${apiKey}` } };
  };

  test('two steps, of which the second tells what is left', async () => {
    const { key, keyId } = await keyWith(3);
    const search = await stepsOf(() => fixture.served.post('/v1/search', { query: 'q' }, key));
    assert.deepEqual([search.status, search.steps, search.left], [200, ['hold', 'settle'], '2']);
    assert.equal(search.json.costDollars.total, 0.001);
    const read = await stepsOf(() => fixture.served.get('/r/https://example.org/', key));
    assert.deepEqual([read.status, read.steps, read.left], [200, ['hold', 'settle'], '1']);
    assert.equal(await fixture.billing.ledger.available(keyId), 1);
  });

  test('one step where it is refused, and none where it is refused again a moment later', async () => {
    const { key } = await keyWith(0);
    const before = searches;
    const refused = () => stepsOf(() => fixture.served.post('/v1/search', { query: 'q' }, key));
    const first = await refused();
    assert.deepEqual([first.status, first.steps, first.left], [402, ['hold'], '0']);
    const second = await refused();
    assert.deepEqual([second.status, second.steps, second.left], [402, [], '0']);
    assert.equal(searches, before);
  });

  test('the ledger keeps its invariants', async () => {
    assert.deepEqual(await createAudit(fixture.billing)(), []);
  });
});
