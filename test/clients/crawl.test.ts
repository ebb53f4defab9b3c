import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TavilyCrawl, TavilyMap } from '@langchain/tavily';
import { tavilyCrawl, tavilyMap } from '@tavily/ai-sdk';
import { tavily } from '@tavily/core';
import { tavily as oldTavily } from 'tavily-core-0.6';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** Walks over a site by the clients of the second shape; B8, B14 to B17, B19 and B20 of the acceptance tests. */
let fixture: ClientFixture;
let site: string;
before(async () => {
  fixture = await openClientFixture();
  site = `${fixture.site.origin}/`;
});
after(() => fixture.close());

const VERSIONS: [name: string, make: typeof tavily][] = [
  ['@tavily/core 0.7.13', tavily],
  ['@tavily/core 0.6.4', oldTavily as unknown as typeof tavily],
];

for (const [name, make] of VERSIONS)
  describe(name, () => {
    const client = async (apiKey?: string): Promise<ReturnType<typeof tavily>> =>
      make({ apiKey: apiKey ?? (await fixture.key()), apiBaseURL: fixture.secondShape });

    test('crawl and map with the word keyless', async () => {
      const keyless = await client('keyless');
      assert.ok((await keyless.crawl(site)).results.length > 0);
      assert.ok((await keyless.map(site)).results.length > 0);
    });

    test('crawl keeps to depth, limit and paths, and costs a credit for each page', async () => {
      const key = await fixture.key(10);
      const options = { maxDepth: 2, limit: 5, selectPaths: ['/docs/.*'], includeUsage: true };
      const { baseUrl, results, usage, responseTime } = await (await client(key)).crawl(site, options);
      assert.equal(baseUrl, site);
      assert.ok(results.length > 0 && results.length <= 5);
      for (const { url, rawContent, images } of results) {
        assert.match(new URL(url).pathname, /^\/docs\//);
        assert.match(rawContent, /^# How to|^# The book/);
        assert.deepEqual(images, []);
      }
      assert.equal(usage?.credits, results.length);
      assert.equal(await fixture.left(key), 10 - results.length);
      assert.equal(typeof responseTime, 'number');
    });

    test('map gives addresses, each once, for one credit', async () => {
      const key = await fixture.key(10);
      const { baseUrl, results } = await (await client(key)).map(site, { maxDepth: 2 });
      assert.equal(baseUrl, site);
      assert.ok(results.includes(`${site}docs/count`));
      for (const url of results) assert.ok(URL.canParse(url));
      assert.equal(new Set(results).size, results.length);
      assert.equal(await fixture.left(key), 9);
    });

    test('a site without a scheme', async () => {
      const { results } = await (await client()).crawl(new URL(site).host);
      assert.ok(results.length > 0);
      assert.ok((await (await client()).map(new URL(site).host)).results.length > 0);
    });

    test('a slow site ends in time with what was there', async () => {
      const { results } = await (await client()).crawl(`${site}entry`, { timeout: 1, maxDepth: 2 });
      assert.ok(results.length > 0);
    });

    test('a start that is not public, cannot be had, or is not paid for', async () => {
      const exact = await client();
      await assert.rejects(exact.crawl('http://127.0.0.1/'), /^Error: url_not_allowed$/);
      await assert.rejects(exact.crawl(`${site}missing`), /^Error: fetch_failed$/);
      const poor = await client(await fixture.key(0));
      for (const call of [poor.crawl(site), poor.map(site)])
        await assert.rejects(call, /^Error: insufficient_credits: .*\/buy\/instant/);
    });
  });

type Walked = { results: unknown[]; error?: string };

describe('@langchain/tavily 1.2.0', () => {
  test('crawl and map give objects', async () => {
    const settings = { tavilyApiKey: await fixture.key(), apiBaseUrl: fixture.secondShape };
    const crawled: Walked = await new TavilyCrawl({ ...settings, limit: 3 }).invoke({ url: site });
    assert.equal(crawled.results.length, 3);
    const mapped: Walked = await new TavilyMap(settings).invoke({ url: site, categories: ['Documentation'] });
    assert.equal(typeof mapped.results[0], 'string');
  });

  test('without credits they tell where to pay', async () => {
    const settings = { tavilyApiKey: await fixture.key(0), apiBaseUrl: fixture.secondShape };
    const answers: Walked[] = [
      await new TavilyCrawl(settings).invoke({ url: site }),
      await new TavilyMap(settings).invoke({ url: site }),
    ];
    for (const { error } of answers)
      assert.match(error ?? '', /^Error 432: insufficient_credits: .*\/buy\/instant/);
  });
});

describe('@tavily/ai-sdk 0.5.0', () => {
  test('crawl and map', async () => {
    const settings = { apiKey: await fixture.key(), apiBaseURL: fixture.secondShape };
    for (const tool of [tavilyCrawl(settings), tavilyMap(settings)] as unknown[]) {
      const { execute } = tool as { execute(input: object, options: object): Promise<Walked> };
      const { results } = await execute({ url: site }, { toolCallId: 'one', messages: [] });
      assert.ok(results.length > 0);
    }
  });
});

describe('tavily-python', () => {
  for (const path of ['crawl', 'map'])
    test(`${path}`, async () => {
      const { post } = await fixture.served.owner();
      const { status, json } = await post(`/shapeB/${path}`, { url: site, timeout: 150 });
      assert.equal(status, 200);
      assert.equal(json.base_url, site);
      assert.ok(json.results.length > 0);
    });
});
