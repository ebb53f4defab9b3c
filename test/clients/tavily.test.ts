import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TavilyKeylessLimitError, tavily } from '@tavily/core';
import { tavily as oldTavily } from 'tavily-core-0.6';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** The published client of the second shape, with only its base address changed; B1 to B7 and B10 to B13 of its acceptance tests. */
let fixture: ClientFixture;
let page: string;
before(async () => {
  fixture = await openClientFixture();
  page = `${fixture.site.origin}/sanderling`;
});
after(() => fixture.close());

type Tavily = typeof tavily;
type Client = ReturnType<Tavily>;
type ClientOf = (options?: { apiKey?: string; path?: string }) => Promise<Client>;
const VERSIONS: { name: string; make: Tavily }[] = [
  { name: '@tavily/core 0.7.13', make: tavily },
  { name: '@tavily/core 0.6.4', make: oldTavily as unknown as Tavily },
];

const QUERY = 'wading birds of sandy beaches';

for (const { name, make } of VERSIONS)
  describe(name, () => {
    const client: ClientOf = async ({ apiKey, path = '' } = {}) =>
      make({ apiKey: apiKey ?? (await fixture.key()), apiBaseURL: fixture.secondShape + path });
    searches(client);
    asksForMore(client);
    choosesAndShows(client);
    extracts(client);
    if (make === tavily) researches(client);
    tellsFailures(client);
  });

function searches(client: ClientOf): void {
  test('a search has what the client reads', async () => {
    const found = await (await client()).search(QUERY);
    assert.deepEqual(found.images, []);
    assert.ok(found.results.length > 0 && found.results.length <= 5);
    for (const { title, url, content, score, rawContent } of found.results) {
      assert.ok(title.length > 0 && URL.canParse(url));
      assert.match(content, /wading bird/);
      assert.equal(typeof score, 'number');
      assert.equal(rawContent, null);
    }
    assert.equal(found.results[0]?.publishedDate, '2026-11-02');
    assert.equal(typeof found.responseTime, 'number');
    assert.match(found.requestId, /^req_/);
    assert.equal('answer' in found && found.answer !== undefined, false);
  });

  test('raw content as Markdown and as text', async () => {
    const rawOf = async (includeRawContent: unknown): Promise<string> => {
      const { results } = await (await client()).search(QUERY, { includeRawContent } as never);
      for (const { rawContent } of results) assert.equal(typeof rawContent, 'string');
      return results[0]?.rawContent ?? '';
    };
    for (const markdown of [true, 'markdown']) assert.match(await rawOf(markdown), /^# /);
    const text = await rawOf('text');
    assert.match(text, /wading bird/);
    assert.doesNotMatch(text, /^#/m);
  });

  test('an answer is a text or null', async () => {
    for (const includeAnswer of [true, 'basic', 'advanced'] as const) {
      const { answer } = await (await client()).search(QUERY, { includeAnswer });
      assert.ok(typeof answer === 'string' || answer === null);
    }
  });

  test('every option that the client knows at once', async () => {
    const { results, usage } = await (await client()).search(QUERY, EVERY_OPTION as never);
    assert.equal(results.length, 1);
    assert.equal(results[0]?.favicon, `${new URL(results[0]?.url ?? '').origin}/favicon.ico`);
    assert.deepEqual(usage, { credits: 1 });
  });
}

function choosesAndShows(client: ClientOf): void {
  test('pictures with and without their descriptions', async () => {
    const url = `${fixture.site.origin}/flock.jpg`;
    const imageOf = async (options: object): Promise<unknown> => {
      const { images } = await (await client()).search(QUERY, { includeImages: true, ...options });
      return images.find((image) => image.url === url);
    };
    assert.deepEqual(JSON.parse(JSON.stringify(await imageOf({}))), { url });
    assert.deepEqual(await imageOf({ includeImageDescriptions: true }), { url, description: 'A flock' });
    const { results } = await (await client()).extract([page], {
      includeImages: true,
    });
    assert.deepEqual(results[0]?.images, [url]);
  });

  test('an exact phrase, chosen parameters, a topic and a country', async () => {
    const found = (await (
      await client()
    ).search('"picks sandhoppers" wading birds', {
      exactMatch: true,
      autoParameters: true,
      topic: 'general',
      country: 'norway',
    } as never)) as unknown as { results: { title: string }[]; autoParameters?: unknown };
    assert.deepEqual(
      found.results.map(({ title }) => title),
      ['Sanderling'],
    );
  });
}

function researches(client: ClientOf): void {
  test('a research is found as completed, with content and sources', async () => {
    const tavily = await client();
    const started = await tavily.research('What does the dunlin feed on?', { model: 'mini' });
    if (!('status' in started)) assert.fail('a stream was not asked for');
    assert.equal(started.status, 'completed');
    const done = (await tavily.getResearch(started.requestId)) as Record<string, unknown>;
    assert.equal(done.status, 'completed');
    assert.match(String(done.content), /worms and sandhoppers/);
    assert.ok((done.sources as unknown[]).length > 0);
  });

  test('a streamed research', async () => {
    const stream = await (await client()).research('What does the dunlin feed on?', { stream: true });
    let text = '';
    for await (const chunk of stream as AsyncIterable<Buffer>) text += String(chunk);
    assert.match(text, /^data: .*worms and sandhoppers/);
    assert.match(text, /event: done\n\n$/);
  });
}

const EVERY_OPTION = {
  searchDepth: 'advanced',
  topic: 'news',
  days: 3_650,
  maxResults: 1,
  includeImages: true,
  includeImageDescriptions: true,
  includeAnswer: 'advanced',
  includeRawContent: 'text',
  includeDomains: ['127.10.0.1'],
  excludeDomains: ['example.org'],
  includeDomainsMode: 'restrict',
  timeRange: null,
  chunksPerSource: 3,
  country: 'norway',
  startDate: '2024-01-01',
  endDate: '2027-12-31',
  maxHours: 5,
  autoParameters: true,
  includeFavicon: true,
  includeUsage: true,
  exactMatch: false,
  fetchTimeout: 5,
  cacheFallback: true,
  language: 'en',
  filterByLanguage: true,
  maxTokens: 100,
  timeout: 60,
  customField: { any: 1 },
};

function asksForMore(client: ClientOf): void {
  test('more results than there may be, and none', async () => {
    const many = await (await client()).search(QUERY, { maxResults: 40 });
    assert.ok(many.results.length > 0 && many.results.length <= 25);
    assert.deepEqual((await (await client()).search(QUERY, { maxResults: 0 })).results, []);
  });

  test('an answer alone, and a context as JSON', async () => {
    const exact = await client();
    const answer = await exact.searchQNA(QUERY, {});
    assert.ok(typeof answer === 'string' || answer === null || answer === undefined);
    const context = JSON.parse(await exact.searchContext(QUERY, {}));
    assert.ok(JSON.stringify(context).includes('wading bird'));
  });

  test('a slash at the end of the base address', async () => {
    assert.ok((await (await client({ path: '/' })).search(QUERY)).results.length > 0);
  });
}

function extracts(client: ClientOf): void {
  test('a good and a missing page: a result, a failure, one credit', async () => {
    const apiKey = await fixture.key(10);
    const missing = `${fixture.site.origin}/missing`;
    const exact = await client({ apiKey });
    const { results, failedResults, responseTime, usage } = await exact.extract([page, missing], {
      includeUsage: true,
    });
    assert.equal(results.length, 1);
    assert.equal(results[0]?.url, page);
    assert.match(results[0]?.rawContent ?? '', /small wading bird/);
    assert.equal(failedResults[0]?.url, missing);
    assert.equal(typeof failedResults[0]?.error, 'string');
    assert.equal(typeof responseTime, 'number');
    assert.deepEqual(usage, { credits: 1 });
    assert.equal(await fixture.left(apiKey), 9);
  });

  test('extract with a question gives passages, and as text no marks', async () => {
    const exact = await client();
    const options = { query: 'who follows every wave', chunksPerSource: 2, format: 'text' } as const;
    const { results } = await exact.extract([page], options);
    const raw = results[0]?.rawContent ?? '';
    // Passages that say the same count as one.
    assert.ok(raw.split(' [...] ').length <= 2 && raw.length < 1_500, `${raw.length} characters`);
    assert.match(raw, /every wave/);
    assert.doesNotMatch(raw, /^#/m);
  });

  test('extract as text has the whole page without marks', async () => {
    const { results } = await (await client()).extract([page], { format: 'text' });
    const raw = results[0]?.rawContent ?? '';
    assert.match(raw, /^Sanderling\n/);
    assert.match(raw, /Note 59/);
  });

  test('extract of a page that is slower than the client waits', async () => {
    const slow = `${fixture.site.origin}/slow`;
    const { results, failedResults } = await (await client()).extract([page, slow], { timeout: 1 });
    assert.equal(results.length, 1);
    assert.equal(failedResults[0]?.url, slow);
  });
}

function tellsFailures(client: ClientOf): void {
  const messageOf = async (call: Promise<unknown>): Promise<string> => {
    const error = await call.then(
      () => assert.fail('the call succeeded'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Error);
    assert.ok(!(error instanceof TavilyKeylessLimitError));
    return error.message;
  };

  test('a key without credits: the text has the link, and it is no matter of the free tier', async () => {
    const apiKey = await fixture.key(0);
    const exact = await client({ apiKey });
    assert.match(await messageOf(exact.search(QUERY)), /^insufficient_credits: .*\/buy\/instant/);
    assert.match(await messageOf(exact.extract([page])), /^insufficient_credits: .*\/buy\/instant/);
    const { status } = await fixture.served.post('/shapeB/search', { query: QUERY }, { 'x-api-key': apiKey });
    assert.equal(status, 432);
  });

  test('an unknown key', async () => {
    assert.equal(await messageOf((await client({ apiKey: 'nobody' })).search(QUERY)), 'invalid_api_key');
  });

  test('a query that is too long', async () => {
    assert.match(await messageOf((await client()).search('q'.repeat(2_001))), /^validation_error: query: /);
  });

  test('a page that is not public', async () => {
    const inside = 'http://127.0.0.1/';
    assert.equal(await messageOf((await client()).extract([inside])), 'url_not_allowed');
    const { results, failedResults } = await (await client()).extract([inside, page]);
    assert.deepEqual([results.length, failedResults[0]?.url], [1, inside]);
  });
}

test('without a key the client serves search and extract on the free tier', async () => {
  const nobody = tavily({ apiBaseURL: fixture.secondShape });
  assert.ok((await nobody.search(QUERY)).results.length > 0);
  assert.equal((await nobody.extract([page])).results.length, 1);
});
