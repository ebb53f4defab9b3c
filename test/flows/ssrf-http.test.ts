import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { GuardedNetwork } from '../../src/platform/net/guarded-fetch.ts';
import { SECRET, type SecretFixture, startSecretFixture } from '../fixtures/rebinding.ts';
import { checkVerdicts, type FetchingRoute, readSsrfCases, recordedNetwork } from '../fixtures/ssrf-urls.ts';
import { type Answered, type RealServed, type Served, serveReal } from '../harness.ts';

/** Every route that fetches what a caller names. `ask` gives the failure code, or null for a page. */
const ROUTES: ((owner: Pick<Served, 'get' | 'post'>) => FetchingRoute)[] = [
  readThrough,
  ({ post }) => ({
    name: 'POST /v1/contents',
    ask: async (url) => codeOf(await post('/v1/contents', { urls: [url] })),
  }),
];
const NAMES = ['GET /r/{url}', 'POST /v1/contents'];

test('the collected URLs get the verdict written beside them through GET /r/{url}', async (t) => {
  const cases = readSsrfCases();
  if (cases === null) return t.skip('EVAL_DATA has no ssrf_urls');
  const network = recordedNetwork(cases);
  const served = await serveReal({}, { network });
  try {
    const counts = await checkVerdicts(readThrough(await served.owner()), network, cases);
    t.diagnostic(`${cases.length} URLs: ${JSON.stringify(counts)}`);
  } finally {
    await served.close();
  }
});

describe('nothing private is reached through the whole service', () => {
  let fixture: SecretFixture;
  let served: RealServed;
  let owner: Pick<Served, 'get' | 'post'>;
  before(async () => {
    fixture = await startSecretFixture();
    const network: GuardedNetwork = { ...fixture.network, close: async () => {} };
    served = await serveReal({}, { network });
    owner = await served.owner();
  });
  after(async () => {
    await served.close();
    await fixture.close();
  });

  for (const [place, toRoute] of ROUTES.entries()) {
    test(`${NAMES[place]}: by no host name, literal or redirect`, async () => {
      for (const url of [...fixture.attempts, ...fixture.attempts]) {
        const code = await toRoute(owner).ask(url);
        assert.ok(code === null || code === 'url_not_allowed' || code === 'fetch_failed', `${url}: ${code}`);
        assert.equal(fixture.secretHits(), 0, url);
      }
    });
  }

  test('several URLs at once, one of which redirects inwards, give that one a status', async () => {
    const inwards = fixture.attempts.find((url) => url.includes('/to?')) ?? '';
    const open = new URL('/', inwards).href;
    const { status, json } = await owner.post('/v1/contents', { urls: [open, inwards] });
    assert.equal(status, 200);
    assert.deepEqual(
      json.statuses.map(({ status: outcome }: { status: string }) => outcome),
      ['success', 'error'],
    );
    assert.equal(fixture.secretHits(), 0);
  });

  test('a crawl that is led there by every name and redirect', async () => {
    const signal = AbortSignal.timeout(30_000);
    const bounds = { pagesMax: 50, depthMax: null, withinPath: false, fresh: true, delayMs: 0, signal };
    for (const start of fixture.attempts) {
      await served.services.crawling.crawl({ starts: [start], ...bounds }).catch((error) => {
        assert.equal(error.code, 'url_not_allowed', start);
      });
    }
    assert.equal(fixture.secretHits(), 0);
  });
});

function readThrough({ get }: Pick<Served, 'get'>): FetchingRoute {
  return {
    name: 'GET /r/{url}',
    ask: async (url) => codeOf(await get(`/r/${encodeURIComponent(url)}`)),
  };
}

function codeOf({ status, text, json }: Answered): string | null {
  assert.ok(!text.includes(SECRET));
  assert.doesNotMatch(json?.message ?? '', /\d+\.\d+\.\d+\.\d+|::/, 'a failure tells an address');
  if (status === 200) return json?.statuses?.[0]?.status === 'error' ? 'fetch_failed' : null;
  return json.error;
}
