import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import type { SearchAnswer, SearchRequest } from '../../../src/search/search-types.ts';
import { type Served, searchAnswer, serveScripted } from '../../harness.ts';

const JSON_ONLY = { accept: 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let app: Served;
let asked: SearchRequest[] = [];
let script: (request: SearchRequest) => Promise<SearchAnswer>;
before(async () => {
  app = await serveScripted({
    search: (request) => {
      asked.push(request);
      return script(request);
    },
  });
});
beforeEach(() => {
  asked = [];
  script = async ({ contents, numResults }) =>
    searchAnswer({
      results: Array.from({ length: Math.min(8, numResults) }, (_, place) => ({
        url: `https://example.org/${place + 1}`,
        title: `Page ${place + 1}`,
        score: 1 / (place + 1),
        publishedDay: place === 0 ? '2026-03-02' : null,
        highlights: [`A passage\nof ${place + 1}.`],
        ...(contents?.text ? { text: `# Page ${place + 1}` } : {}),
      })),
    });
});
after(() => app.close());

describe('200', () => {
  const places: [how: string, call: () => ReturnType<Served['get']>, query: string][] = [
    ['GET /s/{query}', () => app.get('/s/two%20words'), 'two words'],
    ['GET /s/{query} with plus signs', () => app.get('/s/two+words'), 'two words'],
    ['GET /s/{query} with a slash', () => app.get('/s/either/or'), 'either/or'],
    ['GET /s/{query} with an invalid escape', () => app.get('/s/100%'), '100%'],
    ['GET /s/?q=', () => app.get('/s/?q=two+words'), 'two words'],
    ['GET /s?q=', () => app.get('/s?q=two+words'), 'two words'],
    ['POST /s with JSON', () => app.post('/s', { q: 'two words' }), 'two words'],
    ['POST /s/ with a form', () => app.post('/s/', 'q=two+words', FORM), 'two words'],
    ['POST /s/{query} without a body', () => app.post('/s/two%20words', ''), 'two words'],
  ];
  for (const [how, call, query] of places)
    test(how, async () => {
      const { status, headers, text } = await call();
      assert.equal(status, 200, text);
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.equal(asked[0]?.query, query);
    });

  for (const sent of ['X-Target-Selector', 'X-Remove-Selector'])
    test(`${sent}, which selects parts of one page, is named as ignored alone`, async () => {
      const { headers } = await app.get('/s/q', { [sent]: 'main' });
      assert.equal(headers.get('x-ignored-parameters'), sent);
    });

  test('as text: each page with its place', async () => {
    const { text } = await app.get('/s/q?count=2');
    assert.equal(
      text,
      `[1] Title: Page 1
[1] URL Source: https://example.org/1
[1] Description: A passage of 1.
[1] Published Time: 2026-03-02
[1] Markdown Content:${' '}
# Page 1

[2] Title: Page 2
[2] URL Source: https://example.org/2
[2] Description: A passage of 2.
[2] Markdown Content:${' '}
# Page 2`,
    );
  });

  test('Open WebUI: POST with a bare key, q and count', async () => {
    const { json } = await app.post(
      '/s/',
      { q: 'tides', count: 3 },
      { ...JSON_ONLY, Authorization: 'keyless', 'X-Retain-Images': 'none' },
    );
    assert.equal(json.data.length, 3);
    for (const { url, title, content } of json.data)
      assert.ok(URL.canParse(url) && title !== '' && content !== '');
  });

  test('n8n: GET with q, an empty page and empty headers', async () => {
    const { json } = await app.get('/s/?q=tides&page=', {
      ...JSON_ONLY,
      'X-Return-Format': '',
      'X-Site': 'example.org, example.com',
    });
    assert.deepEqual(asked[0]?.includeDomains, ['example.org', 'example.com']);
    const [first] = json.data;
    assert.deepEqual(first, {
      title: 'Page 1',
      url: 'https://example.org/1',
      description: 'A passage\nof 1.',
      publishedTime: '2026-03-02',
      content: '# Page 1',
      usage: { tokens: 2 },
    });
    assert.deepEqual([json.code, json.status, json.meta.usage.tokens], [200, 20_000, 10]);
    assert.equal(json.costDollars.total, 0.001);
  });

  test('five results, as many as asked for, at most 25; the next page follows on', async () => {
    const counts: [query: string, asked: number, urls: string[]][] = [
      ['', 5, ['1', '2', '3', '4', '5']],
      ['num=2&count=9', 2, ['1', '2']],
      ['count=100', 25, ['1', '2', '3', '4', '5', '6', '7', '8']],
      ['count=3&page=2', 6, ['4', '5', '6']],
      ['count=3&page=99', 18, []],
    ];
    for (const [query, numResults, urls] of counts) {
      asked = [];
      const { json } = await app.get(`/s/q?${query}`, JSON_ONLY);
      assert.equal(asked[0]?.numResults, numResults, query);
      assert.deepEqual(
        json.data.map(({ url }: { url: string }) => url.slice(20)),
        urls,
      );
    }
  });

  test('without texts: no page is fetched', async () => {
    const { json, headers } = await app.get('/s/q', { ...JSON_ONLY, 'X-Respond-With': 'no-content' });
    assert.equal(asked[0]?.contents?.text, null);
    assert.deepEqual(asked[0]?.opening, { copies: 'only' });
    assert.equal(json.data[0].content, undefined);
    assert.equal(json.data[0].description, 'A passage\nof 1.');
    assert.equal(headers.get('x-ignored-parameters'), null);
  });

  test('the headers of caches, time, tokens and text', async () => {
    await app.get('/s/q', {
      'X-No-Cache': 'true',
      'X-Timeout': '4',
      'X-Max-Tokens': '100',
      'X-Return-Format': 'text',
    });
    assert.deepEqual(asked[0]?.opening, { freshMs: 0, copies: 'never', timeoutMs: 4_000 });
    assert.deepEqual(asked[0]?.contents?.text, { charsMax: 400 });
    assert.equal(asked[0]?.contents?.plain, true);
  });

  test('what has no effect is named', async () => {
    const { headers } = await app.get('/s/q?gl=de&hl=de', {
      'X-Target-Selector': 'main',
      'X-Engine': 'direct',
    });
    assert.equal(headers.get('x-ignored-parameters'), 'gl, hl, X-Target-Selector, X-Engine');
  });
});

describe('failures', () => {
  for (const [why, path] of [
    ['no query', '/s'],
    ['an empty one', '/s/%20'],
    ['a count of 0', '/s/q?count=0'],
    ['a site that is none', '/s/q?site=a%20b'],
  ])
    test(`422: ${why}`, async () => {
      const { status, json } = await app.get(path ?? '');
      assert.deepEqual([status, json.error], [422, 'validation_error']);
      assert.deepEqual(asked, []);
    });

  test('503 when every source fails', async () => {
    script = async () => {
      throw new Failure('recall_unavailable', 'No source answered.');
    };
    const { status, json } = await app.get('/s/q');
    assert.deepEqual([status, json.error], [503, 'recall_unavailable']);
  });

  test('HEAD is closed, and /site.css is no search', async () => {
    assert.equal((await fetch(`${app.address}/s/q`, { method: 'HEAD' })).status, 405);
    assert.equal((await app.get('/site.css')).status, 200);
    assert.equal((await app.get('/similar')).status, 404);
    assert.deepEqual(asked, []);
  });
});
