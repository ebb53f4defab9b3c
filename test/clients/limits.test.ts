import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TavilyKeylessLimitError, tavily } from '@tavily/core';
import { Exa, ExaError } from 'exa-js';
import { Failure } from '../../src/contract/errors.ts';
import { openChargedFixture } from '../http/calls/charged-service.ts';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** What the clients make of an allowance that is used up, and of sources that are down. */
const FREE_REQUESTS = 25;

async function usedUp(t: { after(end: () => Promise<void>): void }): Promise<ClientFixture> {
  const fixture = await openClientFixture();
  t.after(() => fixture.close());
  for (let call = 0; call < FREE_REQUESTS; call++)
    assert.equal((await fixture.served.post('/v1/search', { query: 'q' })).status, 200);
  return fixture;
}

const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail('the call succeeded'),
    (reason: unknown) => reason,
  );

describe('the free tier is used up', () => {
  test('each client tells it in its way, and where to pay', async (t) => {
    const { served, secondShape } = await usedUp(t);
    const exa = await failureOf(new Exa('keyless', served.address).search('q'));
    assert.ok(exa instanceof ExaError);
    assert.equal(exa.statusCode, 402);
    assert.match(exa.message, /^keyless_limit\. .*\/buy\/instant/);

    const nobody = tavily({ apiBaseURL: secondShape });
    for (const call of [nobody.search('q'), nobody.extract(['https://example.org/'])]) {
      const limit = await failureOf(call);
      assert.ok(limit instanceof TavilyKeylessLimitError, String(limit));
      assert.equal(limit.capType, 'keyless_limit');
      assert.ok(typeof limit.retryAfter === 'number' && limit.retryAfter > 0 && limit.retryAfter <= 86_400);
      assert.match(limit.message, /\/buy\/instant/);
      assert.match(JSON.stringify(limit.continuationPaths), /\/buy\/instant/);
    }
  });
});

describe('the sources are down', () => {
  test('both clients are told so, and the credit is given back', async (t) => {
    const fixture = await openChargedFixture(null, {
      search: async () => {
        throw new Failure('recall_unavailable', 'The sources are down; try again in a moment.');
      },
    });
    t.after(() => fixture.close());
    const { keyId, apiKey } = await fixture.billing.keys.create({ credits: 5, label: null });
    const { address } = fixture.served;
    const exa = await failureOf(new Exa(apiKey, address).search('q'));
    assert.ok(exa instanceof ExaError);
    assert.equal(exa.statusCode, 503);
    assert.match(exa.message, /^recall_unavailable\. /);
    const error = await failureOf(tavily({ apiKey, apiBaseURL: `${address}/shapeB` }).search('q'));
    assert.equal((error as Error).message, 'recall_unavailable');
    assert.equal((await fixture.billing.balanceOf(keyId)).credits, 5);
  });
});
