import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createFetchFailure } from '../../../src/contract/errors.ts';
import type { ReadRequest } from '../../../src/search/read.ts';
import type { SearchRequest } from '../../../src/search/search-types.ts';
import { type Answered, readAnswer, type Served, searchAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';

const searches: SearchRequest[] = [];
const reads: ReadRequest[] = [];
let fixture: ChargedFixture;
let key: Record<string, string>;

before(async () => {
  fixture = await openChargedFixture(null, {
    search: async (request) => {
      searches.push(request);
      const { results, ...others } = searchAnswer();
      return { ...others, results: results.map((one) => ({ ...one, highlights: [`About ${one.title}.`] })) };
    },
    read: async (request) => {
      reads.push(request);
      if (request.url.endsWith('/b')) throw createFetchFailure('timeout', 'the page was too slow');
      return readAnswer();
    },
  });
  const { apiKey } = await fixture.billing.keys.create({ credits: 100, label: null });
  key = { authorization: `Bearer ${apiKey}` };
});
after(() => fixture.close());

const send: Served['post'] = (path, body) => fixture.served.post(path, body, key);
const search = (body: object): Promise<Answered> => send('/v2/search', { query: 'birds', ...body });

describe('POST /v2/search', () => {
  test('groups results, each with a passage', async () => {
    const { status, json, headers } = await search({ limit: 2, origin: 'js-sdk@4' });
    assert.equal(status, 200);
    assert.deepEqual(json.data, {
      web: [
        { url: 'https://example.org/a', title: 'A', description: 'About A.', position: 1 },
        { url: 'https://example.org/b', title: 'B', description: 'About B.', position: 2 },
      ],
    });
    assert.deepEqual([json.success, json.creditsUsed, json.id], [true, 1, headers.get('x-request-id')]);
    assert.equal(headers.get('x-ignored-parameters'), null);
    assert.deepEqual(searches.at(-1)?.opening, { copies: 'only' });
  });

  test('is what clients get that are given the bare address, by the options that they alone send', async () => {
    const asLitellm = {
      query: 'birds',
      limit: 2,
      scrapeOptions: { formats: ['markdown'], onlyMainContent: true },
    };
    for (const path of ['/search', '/firecrawl/search']) {
      const { status, json } = await send(path, asLitellm);
      assert.equal(status, 200);
      assert.deepEqual([json.data.web[0].markdown, json.creditsUsed], ['# A\n', 2]);
    }
    const own = await send('/search', { query: 'birds' });
    assert.deepEqual([own.json.results.length, 'data' in own.json], [2, false]);
  });

  test('news have a snippet and a date', async () => {
    const { data } = (await search({ sources: [{ type: 'news' }] })).json;
    assert.deepEqual(data.news[0], {
      url: 'https://example.org/a',
      title: 'A',
      snippet: 'About A.',
      date: '2025-01-31',
      position: 1,
    });
  });

  test('reads every result for scrapeOptions; one that fails keeps its passage and says why', async () => {
    const before = reads.length;
    const { json, headers } = await search({
      scrapeOptions: { formats: ['markdown', 'rawHtml'], headers: { x_own: 'as written' }, waitFor: 9 },
      limit: 2,
    });
    const [first, second] = json.data.web;
    assert.deepEqual([first.markdown, first.metadata.sourceURL], ['# A\n', 'https://example.org/a']);
    assert.deepEqual(second.metadata, { sourceURL: 'https://example.org/b', error: 'the page was too slow' });
    assert.deepEqual([second.markdown, second.description, json.creditsUsed], [undefined, 'About B.', 2]);
    assert.deepEqual(reads[before]?.opening?.extras, { selection: null, rawHtml: true });
    assert.deepEqual(reads[before]?.opening?.headers, { x_own: 'as written' });
    assert.equal(headers.get('x-ignored-parameters'), 'scrapeOptions.waitFor');
  });

  test('spans and domains', async () => {
    const spanOf = async (tbs: string): Promise<unknown[]> => {
      await search({ tbs, includeDomains: ['example.org'] });
      const { publishedFrom, publishedTo, includeDomains } = searches.at(-1) ?? {};
      assert.deepEqual(includeDomains, ['example.org']);
      return [publishedFrom, publishedTo];
    };
    // The clock stands at 2026-11-21.
    assert.deepEqual(await spanOf('qdr:w'), ['2026-11-14', null]);
    assert.deepEqual(await spanOf('qdr:d2'), ['2026-11-19', null]);
    assert.deepEqual(await spanOf('cdr:1,cd_min:12/31/2025,cd_max:1/31/2026'), ['2025-12-31', '2026-01-31']);
    assert.deepEqual(await spanOf('sbd:1'), [null, null]);
  });

  test('what has no effect is named', async () => {
    const { headers } = await search({
      location: 'Berlin',
      country: 'de',
      categories: ['pdf'],
      sources: ['web', 'images'],
    });
    assert.equal(headers.get('x-ignored-parameters'), 'location, country, categories, sources.images');
  });

  test('version 1 lists results without groups', async () => {
    const { data } = (await send('/firecrawl/v1/search', { query: 'birds', lang: 'en' })).json;
    assert.deepEqual(
      data.map(({ url }: { url: string }) => url),
      ['https://example.org/a', 'https://example.org/b'],
    );
  });

  test('422 for a missing query, and for options that cannot be read', async () => {
    for (const [body, error] of [
      [{ query: '' }, 'query: must not be empty'],
      [{ scrapeOptions: { includeTags: ['p['] } }, /^scrapeOptions.includeTags: the selector "p\["/],
      [{ limit: 0 }, /^limit: must be/],
    ] as const) {
      const { status, json } = await search(body);
      assert.deepEqual([status, json.success, json.code], [422, false, 'validation_error']);
      assert.match(json.error, error instanceof RegExp ? error : new RegExp(`^${error}`));
    }
  });

  test('402 when the results could cost more than is left', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 2, label: null });
    const poor = { authorization: `Bearer ${apiKey}` };
    const body = { query: 'birds', limit: 2, scrapeOptions: {} };
    assert.equal((await fixture.served.post('/v2/search', body, poor)).status, 402);
    assert.equal((await fixture.served.post('/v2/search', { query: 'birds' }, poor)).status, 200);
  });
});
