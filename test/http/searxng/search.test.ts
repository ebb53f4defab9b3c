import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../../src/contract/errors.ts';
import type { SearchRequest, SearchResult } from '../../../src/search/search-types.ts';
import { type Served, searchAnswer, serveScripted } from '../../harness.ts';

/** What the last search was asked for. */
let asked: SearchRequest;
let served: Served;
before(async () => {
  served = await serveScripted({
    search: async (request) => {
      asked = request;
      if (request.query === 'down') throw new Failure('recall_unavailable', 'No source answered.');
      return searchAnswer({
        results: resultsOf(request.numResults),
        sources: { index: { ok: true, results: 2, ms: 3 }, mojeek: { ok: false, error: 'timeout', ms: 9 } },
      });
    },
  });
});
after(() => served.close());

const resultsOf = (count: number): SearchResult[] =>
  Array.from({ length: count }, (_, place) => ({
    url: `https://example.org/${place + 1}?a=1#b`,
    title: place === 0 ? 'Knots, "bends" & <hitches>' : `Page ${place + 1}`,
    score: 0.912345 - place / 100,
    publishedDay: place === 0 ? '2025-01-31' : null,
    highlights: place === 0 ? ['First line,\nsecond "line" \u0001& more'] : [],
  }));

describe('200', () => {
  test('every field that clients read', async () => {
    const { status, json, headers } = await served.get('/searxng/search?q=tie+a+knot&format=json');
    assert.equal(status, 200);
    const { results, ...rest } = json;
    assert.deepEqual(rest, {
      query: 'tie a knot',
      number_of_results: 10,
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [['mojeek', 'timeout']],
    });
    assert.deepEqual(results[0], {
      url: 'https://example.org/1?a=1#b',
      title: 'Knots, "bends" & <hitches>',
      content: 'First line,\nsecond "line" \u0001& more',
      engine: 'sanderling',
      engines: ['sanderling'],
      score: 0.9123,
      category: 'general',
      publishedDate: '2025-01-31T00:00:00',
      pubdate: '2025-01-31T00:00:00',
      template: 'default.html',
      positions: [1],
      img_src: '',
      thumbnail: '',
      priority: '',
      parsed_url: ['https', 'example.org', '/1', '', 'a=1', 'b'],
    });
    assert.equal(results[1].publishedDate, null);
    assert.equal(headers.get('x-ignored-parameters'), null);
  });

  test('fetches no page and asks for one page of results', async () => {
    await served.get('/searxng/search?q=q');
    assert.equal(asked.numResults, 10);
    assert.deepEqual(asked.opening, { copies: 'only' });
    assert.equal(asked.contents?.highlights?.perUrl, 1);
  });

  test('pageno: further results, and an empty list behind the last page', async () => {
    const urls = async (pageno: number | string): Promise<string[]> => {
      const { json } = await served.get(`/searxng/search?q=q&pageno=${pageno}`);
      return json.results.map(({ url }: { url: string }) => /\d+/.exec(url)?.[0]);
    };
    assert.deepEqual(await urls(''), await urls(1));
    assert.deepEqual((await urls(2)).slice(0, 2), ['11', '12']);
    assert.equal((await urls(5)).at(-1), '50');
    for (const behind of [6, 7, 1_000_000]) assert.deepEqual(await urls(behind), []);
  });

  test('time_range limits the published day', async () => {
    await served.get('/searxng/search?q=q&time_range=week');
    assert.match(asked.publishedFrom ?? '', /^\d{4}-\d\d-\d\d$/);
    await served.get('/searxng/search?q=q&time_range=');
    assert.equal(asked.publishedFrom, null);
  });

  test('the format decides, not what the client accepts', async () => {
    for (const accept of ['text/html', 'application/xml', '*/*'])
      assert.equal((await served.get('/searxng/search?q=q&format=json', { accept })).json.query, 'q');
    const other = await served.get('/searxng/search?q=q&format=html');
    assert.deepEqual([other.json.query, other.headers.get('x-ignored-parameters')], ['q', 'format']);
  });

  test('what it cannot do is ignored and named, what asks for nothing is not', async () => {
    const { status, headers } = await served.get(
      '/searxng/search?q=q&engines=google,nosuch&categories=files&language=de&safesearch=2&theme=simple&pageno=1',
    );
    assert.equal(status, 200);
    assert.equal(headers.get('x-ignored-parameters'), 'engines, categories, language, safesearch, theme');
    const plain = await served.get(
      '/searxng/search?q=q&engines=&categories=general&language=all&safesearch=0',
    );
    assert.equal(plain.headers.get('x-ignored-parameters'), null);
  });

  test('POST: a form, JSON, or an empty body behind a query string', async () => {
    const bodies: [path: string, body: string][] = [
      ['/searxng/search', 'q=tie+a+knot&format=json'],
      ['/searxng/search', '{"q": "tie a knot", "format": "json"}'],
      ['/searxng/search?q=tie+a+knot&format=json', ''],
      ['/searxng/search?q=another', 'q=tie+a+knot'],
    ];
    for (const [path, body] of bodies) {
      const { status, json } = await served.post(path, body);
      assert.deepEqual([status, json.query], [200, 'tie a knot'], `${path} ${body}`);
    }
  });

  test('csv quotes what needs it', async () => {
    const { text, headers } = await served.get('/searxng/search?q=q&format=csv');
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    const [head, first] = text.split('\r\n');
    assert.equal(head, 'title,url,content,host,engine,score,type');
    assert.equal(
      first,
      '"Knots, ""bends"" & <hitches>",https://example.org/1?a=1#b,"First line,\nsecond ""line"" \u0001& more",example.org,sanderling,0.9123,result',
    );
  });

  test('rss escapes and leaves out what XML cannot hold', async () => {
    const { text, headers } = await served.get('/searxng/search?q=a%3Cb&format=rss');
    assert.equal(headers.get('content-type'), 'application/rss+xml; charset=utf-8');
    assert.ok(text.includes('<title>Sanderling search: a&lt;b</title>'));
    assert.ok(text.includes('<title>Knots, &quot;bends&quot; &amp; &lt;hitches&gt;</title>'));
    assert.ok(text.includes('<description>First line,\nsecond &quot;line&quot; &amp; more</description>'));
    assert.ok(text.includes('<pubDate>Fri, 31 Jan 2025 00:00:00 GMT</pubDate>'));
    assert.equal(text.match(/<item>/g)?.length, 10);
  });

  test('config and healthz', async () => {
    const config = await served.get('/searxng/config');
    assert.deepEqual([config.json.categories, config.json.engines], [['general'], []]);
    for (const path of ['/searxng/healthz', '/searxng/anykey/healthz'])
      assert.equal((await served.get(path)).text, 'OK');
  });
});

describe('GET /search', () => {
  test('with a format is this shape, as is the root with a query', async () => {
    for (const path of [
      '/search?q=knots&format=json',
      '/search/?format=JSON&q=knots',
      '/?q=knots&format=json',
    ]) {
      const { status, json } = await served.get(path, { accept: 'text/html' });
      assert.deepEqual([status, json?.query], [200, 'knots'], path);
    }
    assert.match((await served.get('/search?q=q&format=rss')).text, /^<\?xml/);
  });

  test('without one is 405, and POST /search is the first shape whatever stands in the query', async () => {
    for (const path of ['/search', '/search?q=knots', '/search?q=knots&format=html'])
      assert.equal((await served.get(path)).status, 405, path);
    const { json } = await served.post('/search?q=a&format=json', { query: 'knots' });
    assert.ok(Array.isArray(json.results) && json.costDollars !== undefined);
    assert.equal((await served.get('/?format=json')).json.name, 'Sanderling');
  });
});

describe('failures are JSON with a text', () => {
  const wrong: [path: string, status: number, error: RegExp][] = [
    ['/searxng/search?format=json', 422, /^q: is required/],
    ['/search?format=json', 422, /^q: is required/],
    ['/searxng/search?q=+&format=csv', 422, /^q: must not be empty/],
    [`/searxng/search?q=${'a'.repeat(2_001)}`, 422, /^q: must have at most 2,000/],
    ['/searxng/search?q=q&pageno=0', 422, /^pageno: must be 1 or more/],
    ['/searxng/search?q=q&time_range=decade', 422, /^time_range: must be day/],
    ['/searxng/search?q=down', 503, /^No source answered/],
    ['/searxng/a/b/nothing', 404, /no such route/],
  ];
  for (const [path, status, error] of wrong)
    test(`${status} ${path.slice(0, 60)}`, async () => {
      const answer = await served.get(path, { accept: 'text/html' });
      assert.equal(answer.status, status);
      assert.match(answer.json.error, error);
    });

  test('422 for JSON that is none and for too many fields', async () => {
    for (const body of ['{"q":', '[]&q', `${'a&'.repeat(2_001)}q=1`]) {
      const { status } = await served.post('/searxng/search', body);
      assert.equal(status, 422, body.slice(0, 20));
    }
  });

  test('405 for HEAD, which would search', async () => {
    for (const path of ['/searxng/search?q=q', '/search?q=q&format=json'])
      assert.equal((await fetch(served.address + path, { method: 'HEAD' })).status, 405);
  });
});

test('no parameters make it fail', async () => {
  const names = [
    'q',
    'format',
    'pageno',
    'time_range',
    'language',
    'categories',
    'store',
    'api_key',
    'constructor',
    '__proto__',
  ];
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('json', 'csv', 'rss', '1', 'day'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 8 }),
      async (pairs) => {
        const parameters = new URLSearchParams(
          pairs.map(([name, given]): [string, string] => [name, given.toWellFormed()]),
        );
        const asForm = await served.post('/searxng/search', `${parameters}`);
        const asQuery = await served.get(`/searxng/search?${parameters}`);
        for (const { status, text } of [asForm, asQuery]) assert.ok([200, 401, 422].includes(status), text);
      },
    ),
    { numRuns: 150 },
  );
});
