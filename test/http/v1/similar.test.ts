import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../../../src/contract/errors.ts';
import type { SearchAnswer } from '../../../src/search/search-types.ts';
import type { SimilarRequest } from '../../../src/search/similar.ts';
import { type Answered, type Served, searchAnswer, serveScripted } from '../../harness.ts';

const URL = 'https://example.org/sanderling';

let app: Served;
let asked: SimilarRequest[] = [];
let script: () => Promise<SearchAnswer>;

before(async () => {
  app = await serveScripted({
    similar: (request) => {
      asked.push(request);
      return script();
    },
  });
});
beforeEach(() => {
  asked = [];
  script = async () => searchAnswer();
});
after(() => app.close());

const similar = (body: unknown, path = '/v1/findSimilar'): Promise<Answered> => app.post(path, body);

/** What the operation was asked for, without its signal. */
async function understood(body: unknown): Promise<Omit<SimilarRequest, 'signal'>> {
  const { status, text } = await similar(body);
  assert.equal(status, 200, text);
  const [{ signal: _, tenant: _tenant, keep: _keep, ...request }] = asked.splice(0) as [SimilarRequest];
  return request;
}

describe('200', () => {
  for (const path of ['/v1/findSimilar', '/findSimilar', '/shapeA/findSimilar'])
    test(`${path} answers like a search`, async () => {
      const { status, json, text } = await similar({ url: URL }, path);
      assert.equal(status, 200, text);
      assert.deepEqual(
        json.results.map(({ id, score }: { id: string; score: number }) => [id, score]),
        [
          ['https://example.org/a', 0.9123],
          ['https://example.org/b', 0.5],
        ],
      );
      assert.deepEqual(json.costDollars, { total: 0.001 });
      assert.deepEqual([json.searchTimeMs, json.service.cache], [5, 'miss']);
    });

  test('the defaults', async () => {
    assert.deepEqual(await understood({ url: URL }), {
      url: URL,
      numResults: 10,
      includeDomains: [],
      excludeDomains: [],
      publishedFrom: null,
      publishedTo: null,
      contents: null,
    });
  });

  test('every field, in both spellings; excludeSourceDomain says nothing new', async () => {
    const request = await understood({
      url: ` ${URL} `,
      num_results: 99,
      include_domains: ['a.org'],
      excludeDomains: ['b.org'],
      start_published_date: '2025-01-31',
      excludeSourceDomain: true,
      contents: { text: { max_characters: 100 }, pruned_context: true },
    });
    assert.deepEqual(request, {
      url: URL,
      numResults: 25,
      includeDomains: ['a.org'],
      excludeDomains: ['b.org'],
      publishedFrom: '2025-01-31',
      publishedTo: null,
      contents: { text: { charsMax: 100 }, highlights: null, pruned: { query: null } },
    });
  });
});

const failures: [status: number, failure: Failure][] = [
  [400, new Failure('url_not_allowed', 'This address is not public.')],
  [502, createFetchFailure('http_status', 'The page answered 404.', { httpStatus: 404 })],
  [503, new Failure('recall_unavailable', 'No search source answered; try again in a moment.')],
];
for (const [expected, failure] of failures)
  describe(String(expected), () => {
    test(failure.code, async () => {
      script = async () => {
        throw failure;
      };
      const { status, json } = await similar({ url: URL });
      assert.deepEqual([status, json.error, json.message], [expected, failure.code, failure.message]);
    });
  });

describe('422', () => {
  const table: [body: unknown, field: string, message?: string][] = [
    [{}, 'url', 'is required'],
    [{ url: null }, 'url', 'is required'],
    [{ url: '  ' }, 'url'],
    [{ url: 7 }, 'url'],
    [{ url: `https://example.org/${'a'.repeat(8_192)}` }, 'url'],
    [{ url: URL, num_results: 0 }, 'num_results'],
    [{ url: URL, excludeDomains: ['/'] }, 'excludeDomains[0]'],
  ];
  for (const [body, field, message] of table)
    test(JSON.stringify(body).slice(0, 80), async () => {
      const { status, json } = await similar(body);
      assert.equal(status, 422);
      assert.equal(json.details[0].field, field);
      if (message !== undefined) assert.equal(json.details[0].message, message);
      assert.equal(asked.length, 0);
    });
});
