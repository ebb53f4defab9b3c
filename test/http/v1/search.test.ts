import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import { searchAnswer } from '../../harness.ts';
import { scriptedSearch } from '../scripted-search.ts';

const service = scriptedSearch('/v1/search');
const { search } = service;

describe('200', () => {
  test('the answer has every field of the contract and of the clients', async () => {
    const { status, json, headers } = await search({ query: 'wading birds' });
    assert.equal(status, 200);
    assert.match(json.requestId, /^req_[0-9a-f]{24}$/);
    assert.equal(headers.get('x-request-id'), json.requestId);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    const { requestId: _, ...rest } = json;
    assert.deepEqual(rest, {
      results: [
        {
          id: 'https://example.org/a',
          url: 'https://example.org/a',
          title: 'A',
          score: 0.9123,
          publishedDate: '2025-01-31',
        },
        {
          id: 'https://example.org/b',
          url: 'https://example.org/b',
          title: 'B',
          score: 0.5,
          publishedDate: null,
        },
      ],
      costDollars: { total: 0.001 },
      searchTimeMs: 5,
      searchTime: 5,
      service: {
        cache: 'miss',
        timingsMs: { recall: 3, total: 5 },
        tokens: { raw: 0, output: 0 },
        sources: { index: { ok: true, results: 2, ms: 3 } },
        ignored: [],
        filters: {},
      },
    });
  });

  test('what had no effect is named, and what the filters kept out is counted', async () => {
    service.script = async () => searchAnswer({ filters: { includeDomains: { removed: 3 } } });
    const { json } = await search({
      query: 'q',
      type: 'neural',
      category: 'company',
      api_key: 'good',
      include_domains: ['example.org'],
      contents: { highlights: { numSentences: 2 } },
    });
    assert.deepEqual(json.service.ignored, ['type', 'category', 'contents.highlights.numSentences']);
    assert.deepEqual(json.service.filters, { includeDomains: { removed: 3 } });
  });

  for (const path of ['/v1/search', '/search', '/shapeA/search', '//search', '/v1//search/'])
    test(`${path} is the same`, async () => {
      const { status, json } = await service.app.post(path, { query: 'q' });
      assert.equal(status, 200);
      assert.equal(json.results.length, 2);
    });

  test('parts that were asked for are there, and none is null', async () => {
    service.script = async () =>
      searchAnswer({
        results: [
          {
            url: 'https://example.org/a',
            title: 'A',
            score: 1,
            publishedDay: null,
            text: '',
            highlights: ['one'],
            highlightScores: [0.123456],
            prunedContext: 'one',
            highlightProofs: [
              { start: 3, end: 6, headingPath: ['A'], link: 'https://example.org/a#:~:text=one' },
            ],
            prunedProofs: [
              { start: 3, end: 9, headingPath: ['A'], link: 'https://example.org/a#:~:text=pruned' },
            ],
            contentHash: 'sha256:00',
            prunedBy: 'opening',
          },
        ],
      });
    const { json } = await search({ query: 'q', contents: { text: true } });
    const [{ text, highlights, highlightScores, prunedContext, ...proofs }] = json.results;
    assert.partialDeepStrictEqual(proofs, {
      highlightProofs: [{ start: 3, end: 6, headingPath: ['A'], link: 'https://example.org/a#:~:text=one' }],
      prunedProofs: [{ start: 3, end: 9, headingPath: ['A'], link: 'https://example.org/a#:~:text=pruned' }],
      contentHash: 'sha256:00',
    });
    assert.deepEqual(
      { text, highlights, highlightScores, prunedContext },
      { text: '', highlights: ['one'], highlightScores: [0.1235], prunedContext: 'one' },
    );
    assert.deepEqual(json.service.pruned, ['opening']);
    for (const untold of ['prunedBy', 'prunedPlaces']) assert.equal(untold in json.results[0], false);
  });

  test('the body is JSON whatever its content type says', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      ';;',
    ])
      assert.equal((await search({ query: 'q' }, { 'content-type': type })).status, 200, type);
  });

  test('a known key, the word keyless and no key are all served', async () => {
    for (const headers of [
      { 'x-api-key': 'good' },
      { authorization: 'Bearer keyless' },
      { 'x-api-key': '' },
      {},
    ])
      assert.equal((await search({ query: 'q' }, headers)).status, 200);
    assert.equal((await search({ query: 'q', api_key: 'good' })).status, 200);
  });
});

describe('401', () => {
  const places: [name: string, headers: Record<string, string>, body: object][] = [
    ['Authorization', { authorization: 'Bearer nobody' }, {}],
    ['x-api-key', { 'x-api-key': 'nobody' }, {}],
    ['api_key', {}, { api_key: 'nobody' }],
  ];
  for (const [name, headers, body] of places)
    test(`an unknown key in ${name}`, async () => {
      const { status, json } = await search({ query: 'q', ...body }, headers);
      assert.equal(status, 401);
      assert.equal(json.error, 'invalid_api_key');
      assert.equal(service.asked.length, 0);
    });
});

describe('X-Cache', () => {
  for (const cache of ['miss', 'hit', 'stale'] as const)
    test(cache, async () => {
      service.script = async () => searchAnswer({ cache });
      for (const path of ['/v1/search', '/shapeB/search'])
        assert.equal((await service.app.post(path, { query: 'q' })).headers.get('x-cache'), cache);
    });
});

describe('422', () => {
  const refused: [body: unknown, message: string][] = [
    [{}, 'query: is required'],
    [{ query: null }, 'query: is required'],
    [{ query: '' }, 'query: must not be empty'],
    [{ query: ' \n' }, 'query: must not be empty'],
    [{ query: 7 }, 'query: must be a string'],
    [{ query: 'a'.repeat(2_001) }, 'query: must have at most 2,000 characters'],
    [{ query: 'q', numResults: 0 }, 'numResults: must be 1 or more'],
    [{ query: 'q', num_results: -3 }, 'num_results: must be 1 or more'],
    [{ query: 'q', numResults: 2.5 }, 'numResults: must be a whole number'],
    [{ query: 'q', numResults: 30.5 }, 'numResults: must be a whole number'],
    [{ query: 'q', numResults: '5' }, 'numResults: must be a whole number'],
    [{ query: 'q', includeDomains: 'example.org' }, 'includeDomains: must be an array of domains'],
    [{ query: 'q', include_domains: ['a.org', 5] }, 'include_domains[1]: must be a string'],
    [{ query: 'q', excludeDomains: [''] }, 'excludeDomains[0]: must be a domain such as example.org'],
    [
      { query: 'q', exclude_domains: Array.from({ length: 101 }, (_, place) => `${place}.org`) },
      'exclude_domains: must have at most 100 entries',
    ],
    [
      { query: 'q', startPublishedDate: '2025-02-30' },
      'startPublishedDate: must be a date such as 2025-01-31 or a timestamp such as 2025-01-31T12:00:00Z',
    ],
    [
      { query: 'q', end_published_date: 5 },
      'end_published_date: must be a date such as 2025-01-31 or a timestamp such as 2025-01-31T12:00:00Z',
    ],
    [{ query: 'q', contents: 'text' }, 'contents: must be true, false or an object of options'],
    [{ query: 'q', contents: { text: 'yes' } }, 'contents.text: must be true, false or an object of options'],
    [
      { query: 'q', contents: { text: { max_characters: 0 } } },
      'contents.text.max_characters: must be 1 or more',
    ],
    [
      { query: 'q', contents: { highlights: { query: 'a'.repeat(2_001) } } },
      'contents.highlights.query: must have at most 2,000 characters',
    ],
    [
      { query: 'q', contents: { pruned_context: 1 } },
      'contents.pruned_context: must be true, false or an object of options',
    ],
    [{ query: 'q', stream: true }, 'stream: must be false: answers are not streamed'],
    [{ query: 'q', api_key: 5 }, 'api_key: must be a string'],
    ['', 'body: must be a JSON object, but is empty'],
    ['{"query":', 'body: must be valid JSON'],
    ['["q"]', 'body: must be a JSON object'],
    ['null', 'body: must be a JSON object'],
  ];
  for (const [body, message] of refused)
    test(message, async () => {
      const { status, json } = await search(body);
      assert.equal(status, 422);
      assert.equal(json.error, 'validation_error');
      assert.equal(json.message, message);
      const [field = '', ...reason] = message.split(': ');
      assert.deepEqual(json.details, [{ field, message: reason.join(': ') }]);
      assert.match(json.requestId, /^req_/);
      assert.equal(service.asked.length, 0);
    });

  test('100 domains are taken, several problems are all told', async () => {
    const hundred = Array.from({ length: 100 }, (_, place) => `${place}.org`);
    assert.equal((await search({ query: 'q', includeDomains: hundred })).status, 200);
    const { json } = await search({ numResults: 0, includeDomains: {} });
    assert.deepEqual(
      json.details.map(({ field }: { field: string }) => field),
      ['query', 'numResults', 'includeDomains'],
    );
  });
});

describe('503', () => {
  test('no source answers', async () => {
    service.script = async () => {
      throw new Failure('recall_unavailable', 'No search source answered; try again in a moment.');
    };
    const { status, json, headers } = await search({ query: 'q' });
    assert.equal(status, 503);
    assert.equal(json.error, 'recall_unavailable');
    assert.match(json.message, /try again/);
    assert.ok(Number(headers.get('retry-after')) > 0);
  });
});

describe('500', () => {
  test('what nobody expected is told without its inside', async () => {
    service.script = async () => {
      throw new TypeError('secret detail');
    };
    const { status, json } = await search({ query: 'q' });
    assert.equal(status, 500);
    assert.deepEqual(Object.keys(json), ['error', 'requestId']);
    assert.equal(json.error, 'internal');
  });
});
