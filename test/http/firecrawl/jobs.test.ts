import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../fixtures/webhook-receiver.ts';
import { type Answered, type RealServed, serveReal } from '../../harness.ts';

const PAGES = 130;
const LOOKS_MAX = 20_000;

const page = (title: string, links: string[] = []): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>
<p>${`The text of ${title} is about wading birds on sandy beaches. `.repeat(8)}</p></main>
<nav>${links.map((link) => `<a href="${link}">${link}</a>`).join(' ')}</nav></body></html>`;

const paths = Array.from({ length: PAGES }, (_, at) => `/page/${at}`);

let site: FakeWeb;
let receiver: WebhookReceiver;
let app: RealServed;
before(async () => {
  site = await startWeb({
    address: '127.10.0.1',
    routes: {
      '/': page('Start', [...paths, '/gone']),
      '/small': page('Small', ['/page/1', '/page/2', '/gone', '/secret/1']),
      '/robots.txt': 'user-agent: *\ndisallow: /secret/\n',
      ...Object.fromEntries(paths.map((path) => [path, page(`Page ${path}`, ['/'])])),
    },
  });
  receiver = await startWebhookReceiver('127.10.0.2');
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
  app.services.jobRunner.start();
});
after(async () => {
  assert.deepEqual(await createAudit(app.billing)(), []);
  await app.close();
  await receiver.close();
  await site.close();
});

type Key = { authorization: string };
const keyWith = async (credits = 1_000): Promise<{ headers: Key; keyId: string }> => {
  const { apiKey, keyId } = await app.billing.keys.create({ credits, label: null });
  return { headers: { authorization: `Bearer ${apiKey}` }, keyId };
};
const started = async (path: string, body: object, headers: Partial<Key> = {}): Promise<Answered> => {
  const answer = await app.post(path, body, headers as Record<string, string>);
  assert.equal(answer.status, 200, answer.text);
  return answer;
};
/** Asks until the job has ended. */
const ended = async (path: string, headers: Partial<Key> = {}): Promise<Answered['json']> => {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const { status, json, text } = await app.get(path, headers as Record<string, string>);
    assert.equal(status, 200, text);
    if (json.status !== 'scraping') return json;
  }
  assert.fail('the job never ended');
};
const urlsOf = (json: Answered['json']): string[] =>
  json.data.map(({ metadata }: { metadata: { url: string } }) => metadata.url);

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

describe('a job', () => {
  test('belongs to the key that started it', async () => {
    const { headers } = await keyWith();
    const other = await keyWith();
    const { json } = await started('/v2/crawl', { url: `${site.origin}/small`, limit: 1 }, headers);
    for (const path of [
      `/v2/crawl/${json.id}`,
      `/v2/crawl/${json.id}/errors`,
      `/v2/batch/scrape/${json.id}`,
    ]) {
      assert.equal((await app.get(path, other.headers)).status, 404);
      assert.equal((await app.get(path)).status, 404);
    }
    assert.equal((await app.delete(`/v2/crawl/${json.id}`, other.headers)).status, 404);
    assert.equal((await app.get(`/v2/crawl/${json.id}`, { authorization: 'Bearer nobody' })).status, 401);
    await ended(`/v2/crawl/${json.id}`, headers);
    assert.equal((await app.get(`/v2/batch/scrape/${json.id}`, headers)).status, 404);
  });

  test('is listed while it runs, and ends when it is cancelled', async () => {
    const { headers } = await keyWith();
    const { json } = await started('/v2/crawl', { url: `${site.origin}/`, delay: 30 }, headers);
    for (const path of ['/v2/crawl/ongoing', '/v2/crawl/active']) {
      const { crawls } = (await app.get(path, headers)).json;
      assert.deepEqual(
        crawls.map(({ id, url }: { id: string; url: string }) => [id, url]),
        [[json.id, `${site.origin}/`]],
      );
    }
    const cancelled = await app.delete(`/v2/crawl/${json.id}`, headers);
    assert.deepEqual([cancelled.status, cancelled.json.status], [200, 'cancelled']);
    assert.equal((await ended(`/v2/crawl/${json.id}`, headers)).status, 'cancelled');
    assert.deepEqual((await app.get('/v2/crawl/ongoing', headers)).json.crawls, []);
    assert.equal((await app.delete(`/v2/crawl/${json.id}`, headers)).status, 200);
  });

  test('that has ended cannot be cancelled', async () => {
    const { headers } = await keyWith();
    const { json } = await started('/v2/crawl', { url: `${site.origin}/small`, limit: 1 }, headers);
    await ended(`/v2/crawl/${json.id}`, headers);
    const { status, json: refused } = await app.delete(`/v2/crawl/${json.id}`, headers);
    assert.deepEqual([status, refused.code, refused.success], [409, 'job_ended', false]);
  });

  test('is one per key: twenty may run, and a repeated request starts no second one', async () => {
    const { headers } = await keyWith();
    const body = { url: `${site.origin}/`, delay: 60 };
    const ids: string[] = [];
    for (let at = 0; at < 20; at++) ids.push((await started('/v2/crawl', body, headers)).json.id);
    assert.equal((await app.post('/v2/crawl', body, headers)).status, 429);
    for (const id of ids) await app.delete(`/v2/crawl/${id}`, headers);
    const named = { ...headers, 'x-idempotency-key': 'a name' };
    const first = await started('/v2/crawl', body, named);
    assert.equal((await started('/v2/crawl', body, named)).json.id, first.json.id);
    await app.delete(`/v2/crawl/${first.json.id}`, headers);
  });
});

describe('POST /v2/batch/scrape', () => {
  test('reads a list with the options of a scrape', async () => {
    const { headers, keyId } = await keyWith();
    const urls = ['/page/1', '/page/2', '/gone'].map((path) => site.origin + path);
    const body = {
      urls: [...urls, 'http://10.0.0.1/'],
      formats: ['markdown', 'links', 'rawHtml', 'summary'],
    };
    const { json } = await started('/v2/batch/scrape', body, headers);
    assert.deepEqual(json.invalidURLs, ['http://10.0.0.1/']);
    const job = await ended(`/v2/batch/scrape/${json.id}`, headers);
    assert.deepEqual([job.status, job.completed, job.total, job.creditsUsed], ['completed', 2, 3, 2]);
    for (const document of job.data) {
      assert.match(document.rawHtml, /<!doctype html>/);
      assert.equal(typeof document.summary, 'string');
      assert.ok(Array.isArray(document.links));
      assert.ok(urls.includes(document.metadata.sourceURL));
    }
    const { errors } = (await app.get(`/v2/batch/scrape/${json.id}/errors`, headers)).json;
    assert.deepEqual(
      errors.map(({ url }: { url: string }) => url),
      [`${site.origin}/gone`],
    );
    assert.equal(await app.billing.ledger.available(keyId), 998);
  });

  test('is refused if the key cannot pay for all, or if no address may be read', async () => {
    const { headers } = await keyWith(1);
    const urls = [`${site.origin}/page/1`, `${site.origin}/page/2`];
    assert.equal((await app.post('/v2/batch/scrape', { urls }, headers)).status, 402);
    assert.equal((await app.post('/v2/batch/scrape', { urls: ['http://10.0.0.1/'] }, headers)).status, 422);
    const strict = { urls: [urls[0], 'http://10.0.0.1/'], ignoreInvalidURLs: false };
    assert.equal((await app.post('/v2/batch/scrape', strict, headers)).status, 400);
  });
});

describe('a webhook', () => {
  test('gets every event, signed, with its metadata', async () => {
    const { headers } = await keyWith();
    const webhook = {
      url: receiver.url,
      headers: { authorization: 'Bearer hook', X_Own: 'mine' },
      metadata: { my_key: { inner_key: 1 } },
    };
    const body = {
      url: `${site.origin}/small`,
      crawlEntireDomain: true,
      maxDiscoveryDepth: 1,
      delay: 0,
      webhook,
    };
    const { json } = await started('/v2/crawl', body, headers);
    assert.match(json.webhookSecret, /^whsec_[0-9a-f]{64}$/);
    await receiver.next((got) => got.json.id === json.id && got.json.type === 'crawl.completed');
    const job = await ended(`/v2/crawl/${json.id}`, headers);
    await receiver.next((got) => got.json.id === json.id && got.json.success === false);
    for (const { metadata } of job.data)
      await receiver.next(
        ({ json: event }) => event.id === json.id && event.data[0]?.metadata.url === metadata.url,
      );
    const own = receiver.received.filter((got) => got.json.id === json.id);
    for (const got of own) {
      const signature = createHmac('sha256', json.webhookSecret).update(got.body).digest('hex');
      assert.equal(got.headers['x-firecrawl-signature'], `sha256=${signature}`);
      assert.equal(got.headers['content-type'], 'application/json');
      assert.equal(got.headers.authorization, 'Bearer hook');
      assert.equal(got.headers.x_own, 'mine');
      assert.deepEqual(got.json.metadata, webhook.metadata);
    }
    assert.deepEqual(own.map((got) => got.json.type).toSorted(), [
      'crawl.completed',
      'crawl.page',
      'crawl.page',
      'crawl.page',
      'crawl.page',
      'crawl.started',
    ]);
    assert.equal(new Set(own.map((got) => got.json.webhookId)).size, own.length);
    const failed = own.find((got) => !got.json.success);
    assert.deepEqual([failed?.json.url, failed?.json.data], [`${site.origin}/gone`, []]);
  });

  test('gets only the events that it wants', async () => {
    const { headers } = await keyWith();
    const webhook = { url: receiver.url, events: ['completed'] };
    const { json } = await started('/v2/batch/scrape', { urls: [`${site.origin}/page/1`], webhook }, headers);
    await receiver.next((got) => got.json.id === json.id && got.json.type === 'batch_scrape.completed');
    assert.equal(receiver.received.filter((got) => got.json.id === json.id).length, 1);
  });
});
