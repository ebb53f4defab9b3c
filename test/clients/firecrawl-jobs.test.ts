import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FirecrawlClient, SdkError } from '@mendable/firecrawl-js';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** Crawls and batches by the published client of Firecrawl, with only its base address changed. */
let fixture: ClientFixture;
let client: FirecrawlClient;
let site: string;
before(async () => {
  fixture = await openClientFixture();
  client = await clientOf();
  site = fixture.site.origin;
});
after(() => fixture.close());

const clientOf = async (credits?: number): Promise<FirecrawlClient> =>
  new FirecrawlClient({ apiKey: await fixture.key(credits), apiUrl: fixture.served.address });

/** The client pauses for at least a second between two looks. */
const POLL = { pollInterval: 1, timeout: 60 };
const DOCS = ['/docs/count', '/docs/ring', '/docs/book'];

const urlsOf = (documents: { metadata?: { url?: string } }[]): (string | undefined)[] =>
  documents.map(({ metadata }) => metadata?.url).toSorted();

async function failure(call: Promise<unknown>): Promise<SdkError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SdkError, String(error));
  return error;
}

describe('crawl', () => {
  test('waits for all pages, by patterns and options', async () => {
    const job = await client.crawl(site, {
      includePaths: ['^/docs/'],
      maxDiscoveryDepth: 3,
      limit: 10,
      sitemap: 'skip',
      delay: 0,
      allowSubdomains: false,
      ignoreQueryParameters: true,
      deduplicateSimilarURLs: true,
      scrapeOptions: { formats: ['markdown', 'links'] },
      ...POLL,
    });
    assert.equal(job.status, 'completed');
    assert.deepEqual(urlsOf(job.data), DOCS.map((path) => site + path).toSorted());
    assert.deepEqual([job.completed, job.total, job.creditsUsed, job.next], [3, 3, 3, null]);
    assert.match(job.data[0]?.markdown ?? '', /wading birds/);
    assert.ok(job.data.every(({ links }) => Array.isArray(links)));
    assert.ok(Date.parse(job.expiresAt ?? '') > Date.now());
  });

  test('starts, is listed, asked for and cancelled', async () => {
    const { id, url } = await client.startCrawl(site, { delay: 30, maxConcurrency: 1 });
    assert.equal(url, `${fixture.served.address}/v2/crawl/${id}`);
    const { crawls } = await client.getActiveCrawls();
    assert.deepEqual(
      crawls.map((crawl) => [crawl.id, crawl.url]),
      [[id, `${site}/`]],
    );
    assert.equal((await client.getCrawlStatus(id)).status, 'scraping');
    assert.equal(await client.cancelCrawl(id), true);
    assert.equal((await client.getCrawlStatus(id)).status, 'cancelled');
    assert.deepEqual((await client.getActiveCrawls()).crawls, []);
  });

  test('reads slices, one at a time or up to a bound', async () => {
    const { id } = await client.crawl(site, { sitemap: 'skip', ...POLL });
    const whole = await client.getCrawlStatus(id ?? '');
    assert.ok(whole.data.length >= 5);
    const some = await client.getCrawlStatus(id ?? '', { autoPaginate: false });
    assert.equal(some.data.length, whole.data.length);
  });

  test('names what failed', async () => {
    const { id } = await client.crawl(`${site}/entry`, {
      crawlEntireDomain: true,
      sitemap: 'skip',
      scrapeOptions: { timeout: 500 },
      ...POLL,
    });
    const { errors, robotsBlocked } = await client.getCrawlErrors(id ?? '');
    assert.deepEqual(
      errors.map(({ url, code }) => [url, code]),
      [[`${site}/slow`, 'timeout']],
    );
    assert.deepEqual(robotsBlocked, []);
  });

  test('fails where its start page does', async () => {
    const job = await client.crawl(`${site}/gone`, POLL);
    assert.deepEqual([job.status, job.data], ['failed', []]);
  });

  test('tells failures: no credits, no such job, no public address', async () => {
    const poor = await failure((await clientOf(0)).startCrawl(site));
    assert.deepEqual([poor.status, poor.code], [402, 'insufficient_credits']);
    assert.match(poor.message, /\/buy\/instant/);
    const unknown = await failure(client.getCrawlStatus('6f1c3c8e-9f1b-4a51-8d3e-2b7f3c0f6a10'));
    assert.deepEqual([unknown.status, unknown.code], [404, 'not_found']);
    assert.equal((await failure(client.startCrawl('http://127.0.0.1:1/'))).status, 400);
    assert.equal((await failure(client.startCrawl(site, { includePaths: ['('] }))).status, 422);
    assert.equal((await failure(client.crawlParamsPreview(site, 'all pages'))).status, 404);
  });
});

describe('watch', () => {
  test('by polling: the WebSocket that it opens is closed at once', async () => {
    const { id } = await client.startCrawl(site, { includePaths: ['^/docs/'], sitemap: 'skip', delay: 0 });
    const watcher = client.watcher(id, { kind: 'crawl', pollInterval: 1, timeout: 60 });
    const seen: unknown[] = [];
    watcher.on('document', ({ metadata }) => seen.push(metadata.url));
    const done = new Promise<{ status: string }>((resolve) => watcher.on('done', resolve));
    await watcher.start();
    assert.equal((await done).status, 'completed');
    assert.deepEqual(seen.toSorted(), DOCS.map((path) => site + path).toSorted());
  });
});

describe('batch scrape', () => {
  test('waits for all pages', async () => {
    const urls = DOCS.map((path) => site + path);
    const job = await client.batchScrape([...urls, 'http://10.0.0.1/'], {
      options: { formats: ['markdown', 'html'] },
      ignoreInvalidURLs: true,
      ...POLL,
    });
    assert.deepEqual([job.status, job.completed, job.creditsUsed], ['completed', 3, 3]);
    assert.deepEqual(urlsOf(job.data), urls.toSorted());
    assert.ok(job.data.every(({ html }) => html !== undefined));
  });

  test('starts once per name, is asked for and cancelled', async () => {
    const options = { idempotencyKey: 'one batch', maxConcurrency: 1 };
    const urls = [`${site}/slow`, 'http://10.0.0.1/'];
    const { id, invalidURLs } = await client.startBatchScrape(urls, options);
    assert.deepEqual(invalidURLs, ['http://10.0.0.1/']);
    assert.equal((await client.startBatchScrape(urls, options)).id, id);
    await assert.rejects(client.startBatchScrape([`${site}/other`], options), { status: 422 });
    assert.equal((await client.getBatchScrapeStatus(id)).status, 'scraping');
    assert.equal(await client.cancelBatchScrape(id), true);
    assert.equal((await client.getBatchScrapeStatus(id)).status, 'cancelled');
    assert.deepEqual(await client.getBatchScrapeErrors(id), { errors: [], robotsBlocked: [] });
  });
});
