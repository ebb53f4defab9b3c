import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SearchRequest, SearchResult } from '../../../src/search/search-types.ts';
import { type Answered, searchAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';

let asked: SearchRequest;
let fixture: ChargedFixture;
let key: Record<string, string>;
before(async () => {
  fixture = await openChargedFixture(null, {
    search: async (request) => {
      asked = request;
      return searchAnswer({
        results: Array.from({ length: request.numResults }, (_, place) => resultAt(place)),
      });
    },
  });
  key = { 'x-subscription-token': (await fixture.billing.keys.create({ credits: 100, label: null })).apiKey };
});
after(() => fixture.close());

const resultAt = (place: number): SearchResult => ({
  url: `https://www.example.org/${place + 1}`,
  title: `Page ${place + 1}`,
  score: 1,
  publishedDay: place === 0 ? '2025-01-31' : null,
  highlights: place === 1 ? [] : ['a'.repeat(400), 'b'.repeat(400)],
});

const get = (path: string): Promise<Answered> => fixture.served.get(`/res/v1/${path}`, key);

describe('GET /res/v1/web/search', () => {
  test('the fields of a result; the key in its own header pays', async () => {
    const { status, json, headers } = await get('web/search?q=q&count=2&extra_snippets=true');
    assert.deepEqual([status, headers.get('x-credits-remaining')], [200, '99']);
    assert.deepEqual(json.query, { original: 'q', more_results_available: true });
    assert.deepEqual(json.web.results[0], {
      is_source_local: false,
      is_source_both: false,
      family_friendly: true,
      type: 'search_result',
      subtype: 'generic',
      title: 'Page 1',
      url: 'https://www.example.org/1',
      description: 'a'.repeat(400),
      extra_snippets: ['b'.repeat(400)],
      page_age: '2025-01-31T00:00:00',
      age: '2025-01-31',
      meta_url: {
        scheme: 'https',
        netloc: 'www.example.org',
        hostname: 'www.example.org',
        path: '/1',
        favicon: 'https://www.example.org/favicon.ico',
      },
    });
    assert.deepEqual([json.web.results[1].description, 'page_age' in json.web.results[1]], ['', false]);
    assert.deepEqual(asked.opening, { copies: 'only' });
  });

  test('POST reads the parameters from JSON or a form', async () => {
    const post = (path: string, body: unknown, headers = {}): Promise<Answered> =>
      fixture.served.post(`/res/v1/${path}`, body, { ...key, ...headers });
    const { status, json } = await post('web/search', {
      q: 'knots site:a.org',
      count: 2,
      extra_snippets: true,
    });
    assert.deepEqual([status, json.web.family_friendly, json.web.results.length], [200, true, 2]);
    assert.deepEqual([asked.query, asked.includeDomains, asked.numResults], ['knots', ['a.org'], 2]);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const context = await post('llm/context', 'q=knots&maximum_number_of_urls=1', form);
    assert.deepEqual([context.status, asked.query, asked.numResults], [200, 'knots', 1]);
    assert.equal((await post('web/search?q=q', '')).status, 200);
    assert.equal((await post('web/search', { count: 2 })).status, 422);
  });

  test('pages by offset; behind the last one an empty list, free', async () => {
    const titles = ({ json }: Answered): string[] =>
      json.web.results.map(({ title }: { title: string }) => title);
    assert.deepEqual(titles(await get('web/search?q=q&count=2&offset=1')), ['Page 3', 'Page 4']);
    const last = await get('web/search?q=q&offset=2');
    assert.deepEqual([titles(last).length, last.json.query.more_results_available], [10, false]);
    const behind = await get('web/search?q=q&offset=3');
    assert.deepEqual([titles(behind), behind.json.query.more_results_available], [[], false]);
    assert.equal(behind.headers.get('x-credits-remaining'), last.headers.get('x-credits-remaining'));
  });

  test('operators and freshness filter', async () => {
    await get(`web/search?q=${encodeURIComponent('(knots) AND (site:a.org OR site:b.org)')}`);
    assert.deepEqual([asked.query, asked.includeDomains], ['knots', ['a.org', 'b.org']]);
    await get('web/search?q=q&freshness=2025-01-01to2025-01-31');
    assert.deepEqual([asked.publishedFrom, asked.publishedTo], ['2025-01-01', '2025-01-31']);
    for (const span of ['pd', 'pw', 'pm', 'py']) {
      await get(`web/search?q=q&freshness=${span}`);
      assert.match(asked.publishedFrom ?? '', /^\d{4}-/);
    }
    await get('web/search?q=q&freshness=');
    assert.equal(asked.publishedFrom, null);
  });

  test('what has no effect is named', async () => {
    const { headers } = await get('web/search?q=q&country=US&search_lang=en&text_decorations=false');
    assert.equal(headers.get('x-ignored-parameters'), 'country, search_lang, text_decorations');
  });
});

describe('GET /res/v1/llm/context', () => {
  test('passages of the opened pages within the budget; pages without any are left out', async () => {
    const { json } = await get(
      'llm/context?q=q&count=9&maximum_number_of_tokens=350&maximum_number_of_urls=4',
    );
    assert.deepEqual(
      json.grounding.generic.map(({ title, snippets }: { title: string; snippets: string[] }) => [
        title,
        snippets.length,
      ]),
      [
        ['Page 1', 2],
        ['Page 3', 1],
      ],
    );
    const [first] = json.grounding.generic;
    assert.deepEqual(json.sources[first.url], {
      title: 'Page 1',
      hostname: 'www.example.org',
      age: ['2025-01-31'],
    });
    assert.deepEqual([asked.numResults, asked.opening], [4, undefined]);
    await get('llm/context?q=q&maximum_number_of_snippets_per_url=2');
    assert.equal(asked.contents?.highlights?.perUrl, 2);
  });
});

describe('failures', () => {
  const wrong: [path: string, status: number, detail: RegExp][] = [
    ['web/search', 422, /^q: is required/],
    ['llm/context?q=+', 422, /^q: must not be empty/],
    ['web/search?q=q&count=0', 422, /^count: must be 1/],
    ['web/search?q=q&freshness=soon', 422, /^freshness: must be pd/],
    ['nothing', 404, /no such route/],
  ];
  for (const [path, status, detail] of wrong)
    test(`${status} ${path}`, async () => {
      const { status: got, json } = await get(path);
      assert.deepEqual([got, json.type, json.error.status], [status, 'ErrorResponse', status]);
      assert.match(json.error.detail, detail);
    });

  test('402 with the link, 401 for an unknown token', async () => {
    const { apiKey } = await fixture.billing.keys.create({ credits: 0, label: null });
    const { get: send } = fixture.served;
    const poor = await send('/res/v1/web/search?q=q', { 'x-subscription-token': apiKey });
    assert.deepEqual([poor.status, poor.json.error.code], [402, 'INSUFFICIENT_CREDITS']);
    assert.match(poor.json.error.detail, /\/buy\/instant/);
    assert.equal((await send('/res/v1/web/search?q=q', { 'x-subscription-token': 'nobody' })).status, 401);
  });
});
