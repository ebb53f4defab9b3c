import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../../../src/contract/errors.ts';
import type { ReadRequest } from '../../../src/search/read.ts';
import type { SearchRequest } from '../../../src/search/search-types.ts';
import { readAnswer, type Served, searchAnswer, serveScripted } from '../../harness.ts';
import { openChargedFixture } from '../calls/charged-service.ts';

let asked: SearchRequest;
let read: ReadRequest;
let failing: Failure | null = null;
let served: Served;
before(async () => {
  served = await serveScripted({
    read: async (request) => {
      read = request;
      if (failing !== null) throw failing;
      const extras = {
        markdown: '# A\n',
        rawHtml: '<h1>A</h1>',
        images: [{ url: 'https://example.org/i.png', alt: 'A flock' }],
      };
      return readAnswer(request.opening === undefined ? {} : { extras });
    },
    search: async (request) => {
      asked = request;
      const url = 'https://example.org/a';
      const proof = { start: 0, end: 3, headingPath: [], link: url, contentHash: 'sha256:0' };
      const answer =
        request.query === 'none' ? null : { text: 'It was.', score: 1, url, title: 'A', ...proof };
      const [first] = searchAnswer().results;
      const details = {
        image: null,
        favicon: null,
        links: [],
        images: [{ url: 'https://example.org/i.png', description: 'A flock' }],
      };
      const shown = request.details === undefined ? {} : { details };
      const results = first === undefined ? [] : [{ ...first, ...shown, highlights: ['One.', 'Two.'] }];
      return searchAnswer({ results, ...(request.answer ? { answer } : {}) });
    },
  });
});
after(() => served.close());

const SEARCH = '/linkup/v1/search';

describe('POST /linkup/v1/search', () => {
  test('searchResults', async () => {
    const { json } = await served.post(SEARCH, { q: 'q', depth: 'standard', outputType: 'searchResults' });
    const favicon = 'https://example.org/favicon.ico';
    assert.deepEqual(json, {
      results: [{ type: 'text', name: 'A', url: 'https://example.org/a', favicon, content: 'One.\n\nTwo.' }],
    });
    assert.equal(asked.answer, false);
  });

  test('sourcedAnswer quotes, or has an empty answer', async () => {
    const { json } = await served.post(SEARCH, { q: 'q', depth: 'deep', outputType: 'sourcedAnswer' });
    assert.equal(json.answer, 'It was.');
    assert.deepEqual(Object.keys(json.sources[0]).sort(), ['favicon', 'name', 'snippet', 'url']);
    assert.equal((await served.post(SEARCH, { q: 'none', outputType: 'sourcedAnswer' })).json.answer, '');
  });

  test('filters, and what has no effect', async () => {
    const { headers } = await served.post(SEARCH, {
      q: 'q',
      depth: 'standard',
      outputType: 'searchResults',
      maxResults: 3,
      includeImages: true,
      includeDomains: ['a.org'],
      excludeDomains: ['b.org'],
      fromDate: '2025-01-31T00:00:00.000Z',
      toDate: '2025-02-01',
    });
    const { numResults, includeDomains, excludeDomains, publishedFrom, publishedTo } = asked;
    assert.deepEqual([numResults, includeDomains, excludeDomains], [3, ['a.org'], ['b.org']]);
    assert.deepEqual([publishedFrom, publishedTo], ['2025-01-31', '2025-02-01']);
    assert.equal(headers.get('x-ignored-parameters'), null);
    assert.deepEqual(asked.details, { links: 0, images: 5 });
  });

  test('images follow the pages; answers with sources have no place for them', async () => {
    const { json } = await served.post(SEARCH, { q: 'q', outputType: 'searchResults', includeImages: true });
    assert.deepEqual(json.results[1], { type: 'image', name: 'A flock', url: 'https://example.org/i.png' });
    const answered = await served.post(SEARCH, { q: 'q', outputType: 'sourcedAnswer', includeImages: true });
    assert.equal(answered.headers.get('x-ignored-parameters'), 'includeImages');
    assert.equal(asked.details, undefined);
  });

  test('400 in the body that its clients read', async () => {
    for (const [body, field] of [
      [{ outputType: 'searchResults' }, 'q'],
      [{ q: 'q', outputType: 'structured', structuredOutputSchema: '{}' }, 'outputType'],
      [{ q: 'q', fromDate: 'soon' }, 'fromDate'],
    ] as const) {
      const { status, json } = await served.post(SEARCH, body);
      assert.deepEqual([status, json.statusCode, json.error.code], [400, 400, 'VALIDATION_ERROR']);
      assert.equal(json.error.details[0].field, field);
    }
  });
});

const FETCH = '/linkup/v1/fetch';

describe('POST /linkup/v1/fetch', () => {
  test('a page with its icon, which clients require', async () => {
    const { json, headers } = await served.post(FETCH, { url: 'example.org/a', renderJs: false });
    assert.deepEqual(json, { markdown: '# A\n', favicon: 'https://example.org/favicon.ico' });
    assert.equal(headers.get('x-ignored-parameters'), 'renderJs');
    assert.equal(read.opening, undefined);
  });

  test('its source and its images', async () => {
    const { json, headers } = await served.post(FETCH, {
      url: 'example.org/a',
      includeRawHtml: true,
      includeRawContent: true,
      extractImages: true,
    });
    assert.deepEqual([json.rawHtml, json.rawContent], ['<h1>A</h1>', '<h1>A</h1>']);
    assert.deepEqual(json.images, [{ url: 'https://example.org/i.png', alt: 'A flock' }]);
    assert.deepEqual(read.opening?.extras, { selection: null, rawHtml: true, images: 'selection' });
    assert.equal(headers.get('x-ignored-parameters'), null);
  });

  test('400 with the codes that its clients know', async () => {
    const invalid = await served.post(FETCH, {});
    assert.deepEqual([invalid.status, invalid.json.error.code], [400, 'VALIDATION_ERROR']);
    const failures: [failure: Failure, code: string][] = [
      [
        createFetchFailure('http_status', 'The page answered with 404.', { httpStatus: 404 }),
        'FETCH_TARGET_NOT_FOUND',
      ],
      [createFetchFailure('http_status', 'The page answered with 500.', { httpStatus: 500 }), 'FETCH_ERROR'],
      [createFetchFailure('dns', 'No such host.'), 'FETCH_TARGET_UNREACHABLE'],
      [createFetchFailure('too_large', 'Too large.'), 'FETCH_RESPONSE_TOO_LARGE'],
      [createFetchFailure('unsupported_type', 'A film.'), 'FETCH_UNSUPPORTED_CONTENT_TYPE'],
      [new Failure('url_not_allowed', 'Not public.'), 'URL_NOT_ALLOWED'],
    ];
    for (const [failure, code] of failures) {
      failing = failure;
      const { status, json } = await served.post(FETCH, { url: 'example.org/a' });
      assert.deepEqual([status, json.statusCode, json.error.code], [400, 400, code]);
    }
    failing = null;
  });
});

test('GET /linkup/v1/credits/balance', async () => {
  const fixture = await openChargedFixture(null);
  const { apiKey } = await fixture.billing.keys.create({ credits: 7, label: null });
  const path = '/linkup/v1/credits/balance';
  const { get } = fixture.served;
  assert.deepEqual((await get(path, { authorization: `Bearer ${apiKey}` })).json, { balance: 7 });
  assert.equal((await get(path)).status, 401);
  await fixture.close();
});
