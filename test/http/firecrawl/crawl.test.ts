import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  app,
  ended,
  keyWith,
  PAGES,
  paths,
  receiver,
  serveJobs,
  site,
  started,
  urlsOf,
} from './jobs-fixture.ts';

serveJobs();

describe('POST /v2/crawl', () => {
  test('reads a site in the background; its results come in slices, each page once and paid once', async () => {
    const { headers, keyId } = await keyWith();
    const { json } = await started('/v2/crawl', { url: `${site.origin}/`, limit: 500, delay: 0 }, headers);
    assert.deepEqual(Object.keys(json), ['success', 'id', 'url']);
    assert.equal(json.url, `${app.address}/v2/crawl/${json.id}`);
    const first = await ended(`/v2/crawl/${json.id}`, headers);
    assert.deepEqual(
      [first.status, first.completed, first.total, first.creditsUsed],
      ['completed', PAGES + 1, PAGES + 2, PAGES + 1],
    );
    assert.ok(Date.parse(first.expiresAt) > Date.now() + 23 * 3_600_000);
    assert.equal(first.data.length, 100);
    assert.match(first.data[0].markdown, /wading birds/);
    const rest = await app.get(first.next.slice(app.address.length), headers);
    assert.equal(rest.json.next, undefined);
    const urls = [...urlsOf(first), ...urlsOf(rest.json)];
    assert.deepEqual(
      urls.toSorted(),
      [`${site.origin}/`, ...paths.map((path) => site.origin + path)].toSorted(),
    );
    assert.equal(await app.billing.ledger.available(keyId), 1_000 - PAGES - 1);
  });

  test('names what it could not read, and what robots.txt forbids', async () => {
    const { headers } = await keyWith();
    const { json } = await started(
      '/v2/crawl',
      { url: `${site.origin}/small`, crawlEntireDomain: true, maxDiscoveryDepth: 1, delay: 0 },
      headers,
    );
    const job = await ended(`/v2/crawl/${json.id}`, headers);
    assert.equal(job.completed, 3);
    const { json: errors } = await app.get(`/v2/crawl/${json.id}/errors`, headers);
    assert.deepEqual(errors.robotsBlocked, [`${site.origin}/secret/1`]);
    assert.deepEqual(
      errors.errors.map(({ url, code }: { url: string; code: string }) => [url, code]),
      [[`${site.origin}/gone`, 'http_404']],
    );
  });

  test('says when the key ran out of credits, and refuses a key that has none', async () => {
    const { headers } = await keyWith(5);
    const body = { url: `${site.origin}/`, delay: 0 };
    const { json } = await started('/v2/crawl', body, headers);
    const job = await ended(`/v2/crawl/${json.id}`, headers);
    assert.deepEqual([job.status, job.completed, job.creditsUsed, job.data.length], ['completed', 5, 5, 5]);
    assert.match(job.warning, /ran out of credits/);
    const refused = await app.post('/v2/crawl', body, headers);
    assert.equal(refused.status, 402);
    assert.match(refused.json.error, /\/buy\//);
  });

  test('without a key: one request, ten pages, no webhook', async () => {
    const { json, headers } = await started('/v2/crawl', { url: `${site.origin}/`, limit: 500, delay: 0 });
    const left = Number(headers.get('x-credits-remaining'));
    const job = await ended(`/v2/crawl/${json.id}`);
    assert.deepEqual([job.completed, job.creditsUsed], [10, 0]);
    const refused = await app.post('/v2/crawl', { url: site.origin, webhook: receiver.url });
    assert.equal(refused.status, 401);
    assert.match(refused.json.error, /A webhook needs an API key/);
    const urls = paths.slice(0, 11).map((path) => site.origin + path);
    assert.equal((await app.post('/v2/batch/scrape', { urls })).status, 401);
    const next = await started('/v2/batch/scrape', { urls: [`${site.origin}/small`] });
    assert.equal(Number(next.headers.get('x-credits-remaining')), left - 3);
  });

  test('names fields without effect', async () => {
    const { headers } = await keyWith();
    const body = {
      url: `${site.origin}/small`,
      limit: 1,
      ignoreRobotsTxt: true,
      prompt: 'all',
      origin: 'sdk',
      scrapeOptions: { waitFor: 5 },
    };
    const answer = await started('/v2/crawl', body, headers);
    assert.equal(
      answer.headers.get('x-ignored-parameters'),
      'ignoreRobotsTxt, prompt, scrapeOptions.waitFor',
    );
  });

  for (const [field, body] of [
    ['url', {}],
    ['includePaths', { includePaths: ['('] }],
    ['limit', { limit: 0 }],
    ['webhook', { webhook: { url: 'https://example.org/', events: ['every'] } }],
    ['webhook', { webhook: { url: 'https://example.org/', headers: { host: 'other' } } }],
    ['formats', { scrapeOptions: { formats: ['nothing'] } }],
  ] as const)
    test(`refuses a wrong ${field}: ${JSON.stringify(body)}`, async () => {
      const { headers } = await keyWith();
      const whole = field === 'url' ? body : { url: site.origin, ...body };
      const { status, json } = await app.post('/v2/crawl', whole, headers);
      assert.equal(status, 422);
      assert.match(json.error, new RegExp(`^${field}`));
    });

  test('refuses addresses that are not public, of the site and of the webhook', async () => {
    const { headers } = await keyWith();
    for (const body of [{ url: 'http://127.0.0.1/' }, { url: site.origin, webhook: 'http://169.254.1.1/' }]) {
      const { status, json } = await app.post('/v2/crawl', body, headers);
      assert.deepEqual([status, json.code], [400, 'url_not_allowed']);
    }
  });
});
