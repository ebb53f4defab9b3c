import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import type { CacheState } from '../../../src/pages/article.ts';
import { contentsAnswer } from '../../harness.ts';
import { scriptedContents } from './scripted-contents.ts';

const service = scriptedContents();
const { contents } = service;

const url = 'https://example.org/a';

describe('200', () => {
  test('how the pruned context of each page came about is told beside the results', async () => {
    const page = { url, title: 'A', author: null, publishedDay: null, prunedContext: '[…]' };
    const prunedProofs = [{ start: 0, end: 3, headingPath: ['A'], link: `${url}#:~:text=one` }];
    service.script = async () => ({
      results: [
        { ...page, id: url, prunedBy: 'relevance', prunedProofs, contentHash: 'sha256:00' },
        { ...page, id: url, prunedBy: 'opening' },
      ],
      statuses: [],
      incomplete: [],
    });
    const { json } = await contents({ urls: [url], prunedContext: { query: 'q' } });
    assert.deepEqual(json.service, { ignored: [], pruned: ['relevance', 'opening'] });
    assert.equal('prunedBy' in json.results[0], false);
    assert.partialDeepStrictEqual(json.results[0], { prunedProofs, contentHash: 'sha256:00' });
    for (const proof of ['prunedProofs', 'contentHash']) assert.equal(proof in json.results[1], false);
  });

  test('how the text of each page was obtained is told beside the results', async () => {
    const page = { id: url, url, title: 'A', author: null, publishedDay: null };
    const results = (['html', 'hydration'] as const).map((readRoute) => ({ ...page, readRoute }));
    service.script = async () => ({ results, statuses: [], incomplete: [] });
    const { json } = await contents({ urls: [url] });
    assert.deepEqual(json.service, { ignored: [], routes: ['html', 'hydration'] });
    assert.equal('readRoute' in json.results[0], false);
  });

  test('fields without effect are named as they were spelled', async () => {
    const { json } = await contents({
      ids: [url],
      api_key: 'keyless',
      subpages: 'two',
      text: { max_characters: 5, includeHtmlTags: true },
      highlights: { query: 'q', num_sentences: 3, highlightsPerUrl: 1 },
      pruned_context: { query: 'q' },
      max_age_hours: 1,
      livecrawl: 'always',
    });
    assert.deepEqual(json.service.ignored, ['subpages', 'text.includeHtmlTags', 'highlights.num_sentences']);
  });

  const states: [pages: CacheState[], header: string][] = [
    [[], 'miss'],
    [['miss'], 'miss'],
    [['hit', 'hit'], 'hit'],
    [['hit', 'miss'], 'miss'],
    [['hit', 'stale', 'miss'], 'stale'],
  ];
  for (const [pages, header] of states)
    test(`X-Cache of pages that were ${pages.join(', ') || 'not loaded'} is ${header}`, async () => {
      const statuses = pages.map((cache) => ({ ok: true, id: url, cache }) as const);
      service.script = async () => contentsAnswer({ statuses });
      assert.equal((await contents({ urls: [url] })).headers.get('x-cache'), header);
      assert.equal(
        (await service.app.post('/shapeB/extract', { urls: [url] })).headers.get('x-cache'),
        header,
      );
    });

  test('one result per URL that loaded, one status per requested URL, one credit per loaded URL', async () => {
    service.script = async () => ({
      results: [
        {
          id: 'https://example.org/old',
          url,
          title: 'A',
          author: 'Ann',
          publishedDay: '2025-01-31',
          text: '# A',
        },
        {
          id: 'https://example.org/b',
          url: 'https://example.org/b',
          title: '',
          author: null,
          publishedDay: null,
          text: '',
        },
      ],
      statuses: [
        { ok: true, id: 'https://example.org/old', cache: 'miss' },
        {
          ok: false,
          id: 'https://example.org/gone',
          reason: 'http_status',
          httpStatus: 404,
          message: 'gone',
        },
        { ok: true, id: 'https://example.org/b', cache: 'hit' },
      ],
      incomplete: [],
    });
    const urls = ['https://example.org/old', 'https://example.org/gone', 'https://example.org/b'];
    const { status, json, headers } = await contents({ urls });
    assert.equal(status, 200);
    assert.equal(headers.get('x-request-id'), json.requestId);
    const { requestId: _, ...rest } = json;
    assert.deepEqual(rest, {
      results: [
        { id: url, url, title: 'A', author: 'Ann', publishedDate: '2025-01-31', text: '# A' },
        { id: 'https://example.org/b', url: 'https://example.org/b', title: '', text: '' },
      ],
      costDollars: { total: 0.002 },
      statuses: [
        { id: urls[0], status: 'success', source: 'crawled' },
        {
          id: urls[1],
          status: 'error',
          source: 'crawled',
          error: { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 },
        },
        { id: urls[2], status: 'success', source: 'cached' },
      ],
      service: { ignored: [] },
    });
  });

  test('when no URL loaded the call still succeeds and costs nothing', async () => {
    service.script = async () => ({
      results: [],
      statuses: [{ ok: false, id: url, reason: 'dns', httpStatus: null, message: 'no such name' }],
      incomplete: [],
    });
    const { status, json } = await contents({ urls: [url] });
    assert.equal(status, 200);
    assert.deepEqual(json.results, []);
    assert.deepEqual(json.costDollars, { total: 0 });
  });

  test('nine loaded URLs cost exactly 0.009', async () => {
    const statuses = Array.from({ length: 9 }, () => ({ ok: true, id: url, cache: 'miss' }) as const);
    service.script = async () => contentsAnswer({ statuses });
    assert.deepEqual((await contents({ urls: [url] })).json.costDollars, { total: 0.009 });
  });

  for (const path of ['/v1/contents', '/contents', '/shapeA/contents', '//contents', '/contents/'])
    test(`${path} is the same`, async () =>
      assert.equal((await service.app.post(path, { urls: [url] })).status, 200));
});

describe('how fresh the pages must be', () => {
  test('a page that was late by the limit of the caller, and one of which no copy is kept', async () => {
    service.script = async () =>
      contentsAnswer({
        results: [],
        statuses: [
          { ok: false, id: url, reason: 'timeout', httpStatus: null, message: 'late' },
          { ok: false, id: url, reason: 'not_kept', httpStatus: null, message: 'not kept' },
        ],
      });
    const tagsOf = async (given: object): Promise<string[]> =>
      (await contents({ urls: [url, url], ...given })).json.statuses.map(
        (status: { error: { tag: string } }) => status.error.tag,
      );
    assert.deepEqual(await tagsOf({}), ['CRAWL_TIMEOUT', 'SOURCE_NOT_AVAILABLE']);
    assert.deepEqual(await tagsOf({ livecrawlTimeout: 10 }), [
      'CRAWL_LIVECRAWL_TIMEOUT',
      'SOURCE_NOT_AVAILABLE',
    ]);
  });
});

describe('400', () => {
  test('a URL that is not public', async () => {
    service.script = async () => {
      throw new Failure('url_not_allowed', 'This address is not public.');
    };
    const { status, json } = await contents({ urls: ['http://127.0.0.1/'] });
    assert.equal(status, 400);
    assert.equal(json.error, 'url_not_allowed');
  });
});

describe('401', () => {
  test('an unknown key', async () => {
    const { status, json } = await contents({ urls: [url] }, { 'x-api-key': 'nobody' });
    assert.equal(status, 401);
    assert.equal(json.error, 'invalid_api_key');
    assert.equal(service.asked.length, 0);
  });
});

describe('422', () => {
  const eleven = Array.from({ length: 11 }, (_, place) => `https://example.org/${place}`);
  const refused: [body: unknown, message: string][] = [
    [{}, 'urls: must name 1 to 10 URLs'],
    [{ urls: [] }, 'urls: must name 1 to 10 URLs'],
    [{ urls: null }, 'urls: must name 1 to 10 URLs'],
    [{ urls: eleven }, 'urls: must have at most 10 URLs'],
    [{ ids: eleven }, 'ids: must have at most 10 URLs'],
    [{ urls: eleven.slice(0, 6), ids: eleven.slice(6) }, 'urls: must have at most 10 URLs together with ids'],
    [{ urls: [7] }, 'urls[0]: must be a string'],
    [{ urls: [null] }, 'urls[0]: must be a string'],
    [{ urls: {} }, 'urls: must be an array of URLs'],
    [{ urls: [' '] }, 'urls[0]: must not be empty'],
    [{ urls: [`https://example.org/${'a'.repeat(8_200)}`] }, 'urls[0]: must have at most 8,192 characters'],
    [{ urls: [url], text: 1 }, 'text: must be true, false or an object of options'],
    [
      { urls: [url], highlights: { highlights_per_url: 0 } },
      'highlights.highlights_per_url: must be 1 or more',
    ],
    ['nonsense', 'body: must be valid JSON'],
  ];
  for (const [body, message] of refused)
    test(message, async () => {
      const { status, json } = await contents(body);
      assert.equal(status, 422);
      assert.equal(json.error, 'validation_error');
      assert.equal(json.message, message);
      assert.equal(service.asked.length, 0);
    });
});

describe('503', () => {
  test('a failure that ends the whole call', async () => {
    service.script = async () => {
      throw new Failure('overloaded', 'The pages took too long; try again in a moment.');
    };
    const { status, json } = await contents({ urls: [url] });
    assert.equal(status, 503);
    assert.equal(json.error, 'overloaded');
    assert.equal(json.message, 'The pages took too long; try again in a moment.');
  });
});
