import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Firecrawl, { FirecrawlClient, SdkError } from '@mendable/firecrawl-js';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** The published client of Firecrawl, with only its base address changed. */
let fixture: ClientFixture;
let client: FirecrawlClient;
let page: string;
before(async () => {
  fixture = await openClientFixture();
  client = await clientOf();
  page = `${fixture.site.origin}/sanderling`;
});
after(() => fixture.close());

const clientOf = async (credits?: number): Promise<FirecrawlClient> =>
  new FirecrawlClient({ apiKey: await fixture.key(credits), apiUrl: fixture.served.address });

/** What a call of the client throws. */
async function failure(call: Promise<unknown>): Promise<SdkError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SdkError, String(error));
  return error;
}

test('a file, by a form', async () => {
  const file = { data: '# Waders\n\nThey run along the edge of the waves.', filename: 'waders.md' };
  const { markdown } = await client.parse(
    { ...file, contentType: 'text/markdown' },
    { formats: ['markdown'] },
  );
  assert.match(markdown ?? '', /They run along the edge/);
});

describe('scrape', () => {
  test('Markdown by default, with the metadata that the client names', async () => {
    const { markdown, metadata } = await client.scrape(page);
    assert.match(markdown ?? '', /^# Sanderling\n\nNote 0: the sanderling/);
    assert.deepEqual(
      [metadata?.title, metadata?.language, metadata?.sourceURL, metadata?.url, metadata?.statusCode],
      ['Sanderling', 'en', page, page, 200],
    );
    assert.equal(metadata?.publishedTime, '2026-11-02T10:00:00Z');
  });

  test('what has changed since the last scrape', async () => {
    const options = {
      formats: ['markdown', { type: 'changeTracking', modes: ['git-diff', 'json'], tag: 'client' }],
      maxAge: 0,
    } as const;
    const first = await client.scrape(page, { ...options, formats: [...options.formats] } as never);
    assert.equal(first.changeTracking?.changeStatus, 'new');
    const second = await client.scrape(page, { ...options, formats: [...options.formats] } as never);
    const { changeStatus, previousScrapeAt, visibility } = second.changeTracking ?? {};
    assert.deepEqual([changeStatus, visibility], ['same', 'visible']);
    assert.ok(Date.parse(String(previousScrapeAt)) <= Date.now());
  });

  test('every format that needs no browser and no model', async () => {
    const document = await client.scrape(fixture.site.origin, {
      formats: [
        ...(['markdown', 'html', 'rawHtml', 'links', 'images'] as const),
        { type: 'attributes', selectors: [{ selector: 'nav a', attribute: 'href' }] },
      ],
      onlyMainContent: false,
    });
    assert.match(document.html ?? '', /<nav><a href="http:\/\/127\.10\.0\.1:\d+\/sanderling">/);
    assert.match(document.rawHtml ?? '', /^<!doctype html>/);
    assert.ok(document.links?.includes(page));
    assert.deepEqual(document.images, []);
    assert.deepEqual(document.attributes?.[0]?.values.slice(0, 2), ['/sanderling', '/dunlin']);
  });

  test('tags, age, timeout and headers', async () => {
    const { markdown } = await client.scrape(page, {
      includeTags: ['h1'],
      maxAge: 0,
      timeout: 7_500,
      headers: { 'X-Own': 'mine' },
      waitFor: 10,
      mobile: false,
      blockAds: true,
      proxy: 'auto',
      removeBase64Images: true,
      location: { country: 'DE', languages: ['de'] },
      parsers: ['pdf'],
      storeInCache: false,
    });
    assert.equal(markdown, '# Sanderling');
  });

  test('summary, highlights, and JSON by selectors', async () => {
    const document = await client.scrape(page, {
      formats: [
        'summary',
        { type: 'highlights', query: 'flock in winter' },
        {
          type: 'json',
          schema: { type: 'object', properties: { name: { type: 'string', selector: 'h1' } } },
        },
      ],
    });
    assert.match(document.summary ?? '', /sanderling/);
    assert.match(document.highlights ?? '', /In winter a flock/);
    assert.deepEqual(document.json, { name: 'Sanderling' });
  });

  test('a format that is not offered beside others is a warning', async () => {
    const document = await client.scrape(page, { formats: ['markdown', 'screenshot'] });
    assert.match(document.warning ?? '', /screenshot needs a browser/);
  });

  test('the older face of the client reads the same', async () => {
    const { address } = fixture.served;
    const older = new Firecrawl({ apiKey: await fixture.key(), apiUrl: `${address}/firecrawl` });
    const answer = await older.v1.scrapeUrl(page, { formats: ['markdown', 'links'] });
    assert.ok(answer.success, JSON.stringify(answer));
    assert.match(answer.markdown ?? '', /^# Sanderling/);
    assert.deepEqual(answer.links, []);
    const found = await older.v1.search('wading birds of sandy beaches', { limit: 3 });
    assert.ok(found.success && found.data.length > 0 && found.data.length <= 3);
    const mapped = await older.v1.mapUrl(fixture.site.origin, {});
    assert.ok(mapped.success && mapped.links?.includes(page));
  });
});

describe('search', () => {
  test('results of the web, as many as wanted', async () => {
    const { web = [] } = await client.search('wading birds of sandy beaches', { limit: 3 });
    assert.ok(web.length > 0 && web.length <= 3);
    for (const one of web) {
      assert.ok('url' in one && URL.canParse(one.url));
      assert.match(one.description ?? '', /wading bird/);
    }
  });

  test('with their pages', async () => {
    const { web = [] } = await client.search('wading birds of sandy beaches', {
      limit: 2,
      includeDomains: ['127.10.0.1'],
      scrapeOptions: { formats: ['markdown', 'links'] },
    });
    assert.ok(web.length > 0);
    for (const one of web) {
      assert.ok('markdown' in one);
      assert.match(one.markdown ?? '', /^# /);
      assert.ok(Array.isArray(one.links));
    }
  });

  test('news', async () => {
    const { news = [], web } = await client.search('wading birds of sandy beaches', { sources: ['news'] });
    assert.ok(news.length > 0 && web === undefined);
    assert.ok('date' in (news[0] ?? {}));
  });
});

test('map lists the site', async () => {
  const { links, id } = await client.map(fixture.site.origin, { limit: 20, sitemap: 'include' });
  const urls = links.map(({ url }) => url);
  assert.ok(urls.includes(page) && urls.every((url) => url.startsWith(fixture.site.origin)));
  assert.match(id ?? '', /^req_/);
  const fitting = await client.map(fixture.site.origin, { search: 'dunlin' });
  assert.deepEqual(
    fitting.links.map(({ url }) => url),
    [`${fixture.site.origin}/dunlin`],
  );
});

test('credits and concurrency', async () => {
  const poor = await clientOf(12);
  assert.deepEqual(await poor.getCreditUsage(), {
    remainingCredits: 12,
    planCredits: 0,
    billingPeriodStart: null,
    billingPeriodEnd: null,
  });
  assert.deepEqual(await poor.getConcurrency(), { concurrency: 0, maxConcurrency: 64 });
});

describe('errors', () => {
  test('402 has the link in its message', async () => {
    const { status, message, code } = await failure((await clientOf(0)).scrape(page));
    assert.deepEqual([status, code], [402, 'insufficient_credits']);
    assert.match(message, /buy credits at http:\/\/127\.0\.0\.1:\d+\/buy\/instant/);
  });

  test('an unknown key is 401, without a key the daily limit is 402 with the link', async () => {
    const apiUrl = fixture.served.address;
    assert.equal(
      (await failure(new FirecrawlClient({ apiKey: 'fc-unknown', apiUrl }).scrape(page))).status,
      401,
    );
    const keyless = new FirecrawlClient({ apiKey: '', apiUrl });
    for (let turn = 0; turn < 25; turn += 1) await keyless.scrape(page);
    const limited = await failure(keyless.scrape(page));
    assert.deepEqual([limited.status, limited.code], [402, 'keyless_limit']);
    assert.match(limited.message, /\/buy\/instant/);
  });

  test('a page that cannot be read is said once: the client does not repeat the call', async () => {
    const hits = fixture.site.hits('/missing');
    const { status, message, code } = await failure(client.scrape(`${fixture.site.origin}/missing`));
    assert.deepEqual([status, code], [500, 'fetch_failed']);
    assert.match(message, /404/);
    assert.equal(fixture.site.hits('/missing'), hits + 1);
  });

  test('a page that is too slow is 408, one that may not be read 400, a wrong option 422', async () => {
    const slow = await failure(client.scrape(`${fixture.site.origin}/slow`, { timeout: 300 }));
    assert.equal(slow.status, 408);
    assert.equal((await failure(client.scrape('http://127.0.0.1/'))).status, 400);
    const wrong = await failure(client.scrape(page, { includeTags: ['p['] }));
    assert.deepEqual([wrong.status, wrong.code], [422, 'validation_error']);
    assert.match(wrong.message, /the selector "p\[" is not a valid CSS selector/);
  });

  test('what is not offered says so and what to use', async () => {
    for (const call of [
      client.startExtract({ urls: [page], prompt: 'all birds' }),
      client.startAgent({ prompt: 'find birds' }),
      client.browser(),
    ]) {
      const { status, message } = await failure(call);
      assert.equal(status, 404);
      assert.match(message, /is not offered\. .*\/v2\/scrape/);
    }
    const model = await failure(client.scrape(page, { formats: [{ type: 'json', prompt: 'all birds' }] }));
    assert.match(model.message, /json/);
  });
});
