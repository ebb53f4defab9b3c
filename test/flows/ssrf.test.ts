import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Failure } from '../../src/contract/errors.ts';
import type { GuardedNetwork } from '../../src/platform/net/guarded-fetch.ts';
import { SECRET, type SecretFixture, startSecretFixture } from '../fixtures/rebinding.ts';
import { checkVerdicts, type FetchingRoute, readSsrfCases, recordedNetwork } from '../fixtures/ssrf-urls.ts';

/** Every way to make the service fetch, over a network that the test brings along. */
const ROUTES: ((network: GuardedNetwork) => FetchingRoute)[] = [
  (network) => ({
    name: 'guarded fetch',
    ask: (url) => codeOf(network.fetch({ url })),
  }),
];

describe('the collected URLs get the verdict written beside them', () => {
  const cases = readSsrfCases();
  for (const toRoute of ROUTES) {
    const { name } = toRoute({} as GuardedNetwork);
    test(name, async (t) => {
      if (cases === null) return t.skip('EVAL_DATA has no ssrf_urls');
      const network = recordedNetwork(cases);
      try {
        const counts = await checkVerdicts(toRoute(network), network, cases);
        t.diagnostic(`${cases.length} URLs: ${JSON.stringify(counts)}`);
        assert.equal(
          Object.values(counts).reduce((sum, count) => sum + count, 0),
          cases.length,
        );
      } finally {
        await network.close();
      }
    });
  }
});

describe('nothing private is reached', () => {
  let fixture: SecretFixture;
  before(async () => {
    fixture = await startSecretFixture();
  });
  after(() => fixture.close());

  for (const toRoute of ROUTES) {
    const { name } = toRoute({} as GuardedNetwork);
    test(`${name}: by no host name, literal or redirect`, async () => {
      const route = toRoute(fixture.network);
      for (const url of [...fixture.attempts, ...fixture.attempts]) {
        const code = await route.ask(url);
        assert.ok(code === null || code === 'url_not_allowed' || code === 'fetch_failed', `${url}: ${code}`);
        assert.equal(fixture.secretHits(), 0, url);
      }
    });
  }

  test('a name that is public at first and private at the second look is read, then refused', async () => {
    const outcomes: (string | null)[] = [];
    for (let round = 0; round < 6; round++)
      outcomes.push(await codeOf(fixture.network.fetch({ url: fixture.flipping })));
    assert.deepEqual(new Set(outcomes), new Set([null, 'url_not_allowed']));
    assert.ok(fixture.publicHits() > 0);
    assert.equal(fixture.secretHits(), 0);
  });
});

async function codeOf(fetched: Promise<{ body: Uint8Array }>): Promise<string | null> {
  try {
    const { body } = await fetched;
    assert.ok(!Buffer.from(body).includes(SECRET));
    return null;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    assert.doesNotMatch(error.message, /\d+\.\d+\.\d+\.\d+|::|\[/, 'a failure tells an address');
    return error.code;
  }
}
