import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import type { ContentsAnswer, ContentsRequest } from '../../../src/search/contents.ts';
import { type Answered, contentsAnswer, type Served, serveScripted } from '../../harness.ts';

let app: Served;
let asked: ContentsRequest[] = [];
let script: (request: ContentsRequest) => Promise<ContentsAnswer>;

before(async () => {
  app = await serveScripted({
    contents: (request) => {
      asked.push(request);
      return script(request);
    },
  });
});
beforeEach(() => {
  asked = [];
  script = async () => contentsAnswer();
});
after(() => app.close());

const url = 'https://example.org/a';
const extract = (body: unknown): Promise<Answered> => app.post('/shapeB/extract', body);

async function understood(body: unknown): Promise<Omit<ContentsRequest, 'signal'>> {
  const { status, text } = await extract(body);
  assert.equal(status, 200, text);
  const [{ signal: _, tenant: _tenant, keep: _keep, ...request }] = asked.splice(0) as [ContentsRequest];
  return request;
}

const wholePage = { text: { charsMax: null }, highlights: null, pruned: null };
const BY_DEFAULT = { urls: [url], wanted: wholePage, openMs: 17_000, eachAlone: true };

describe('200', () => {
  test('a page that loads is a result, one that does not has failed', async () => {
    script = async () =>
      contentsAnswer({
        statuses: [
          { ok: true, id: url, cache: 'miss' },
          {
            ok: false,
            id: 'https://example.org/b',
            reason: 'http_status',
            httpStatus: 404,
            message: 'the page answered with status 404',
          },
        ],
      });
    const { json } = await extract({ urls: [url, 'https://example.org/b'], include_usage: true });
    const { response_time, request_id, ...rest } = json;
    assert.equal(typeof response_time, 'number');
    assert.match(request_id, /^req_/);
    assert.deepEqual(rest, {
      results: [{ url, title: 'A', raw_content: '# A', images: [] }],
      failed_results: [{ url: 'https://example.org/b', error: 'the page answered with status 404' }],
      usage: { credits: 1 },
    });
  });

  test('both lists are there when every page fails', async () => {
    script = async () =>
      contentsAnswer({
        results: [],
        statuses: [{ ok: false, id: url, reason: 'dns', httpStatus: null, message: 'no such host' }],
      });
    const { status, json } = await extract({ urls: url });
    assert.equal(status, 200);
    assert.deepEqual(json.results, []);
    assert.deepEqual(json.failed_results, [{ url, error: 'no such host' }]);
    assert.equal('usage' in json, false);
  });

  test('with a question the best passages stand for the page', async () => {
    script = async () =>
      contentsAnswer({
        results: [
          {
            id: url,
            url,
            title: 'A',
            author: null,
            publishedDay: null,
            highlights: ['One.', 'Two.'],
            highlightScores: [1, 1],
          },
        ],
      });
    const { json } = await extract({ urls: [url], query: 'what' });
    assert.equal(json.results[0].raw_content, 'One. [...] Two.');
  });

  test('addresses are told as they were given', async () => {
    script = async ({ urls: [id = ''] }) =>
      contentsAnswer({
        results: [
          { id, url: 'https://www.example.org/', title: 'A', author: null, publishedDay: null, text: 'x' },
        ],
      });
    const { json } = await extract({ urls: ['example.org'], include_favicon: true });
    assert.deepEqual(asked[0]?.urls, ['https://example.org']);
    assert.equal(json.results[0].url, 'example.org');
    assert.equal(json.results[0].favicon, 'https://example.org/favicon.ico');
  });
});

describe('what is asked for', () => {
  const passages = (perUrl: number) => ({
    text: null,
    highlights: { query: 'what', perUrl, charsMax: null },
    pruned: null,
  });
  const cases: [given: object, changed: object][] = [
    [{}, {}],
    [{ urls: url }, {}],
    [{ format: 'markdown', extract_depth: 'advanced' }, {}],
    [{ format: 'text' }, { wanted: { ...wholePage, plain: true } }],
    [{ query: 'what' }, { wanted: passages(3) }],
    [{ query: 'what', chunks_per_source: 5 }, { wanted: passages(5) }],
    [{ query: 'what', chunks_per_source: 99, format: 'text' }, { wanted: { ...passages(5), plain: true } }],
    [{ query: ' ', chunks_per_source: 2 }, {}],
    [{ query: null }, {}],
    [{ timeout: 10 }, { openMs: 8_500 }],
    [{ timeout: 0 }, { openMs: 850 }],
    [{ timeout: 150 }, {}],
    [{ api_key: 'keyless', client_source: 'x', apiKey: 'y', unknown: [] }, {}],
  ];
  for (const [given, changed] of cases)
    test(JSON.stringify(given), async () => {
      assert.deepEqual(await understood({ urls: [url], ...given }), { ...BY_DEFAULT, ...changed });
    });
});

test('the pictures and the icon of pages, when requested', async () => {
  const details = {
    image: null,
    favicon: 'https://example.org/i.svg',
    links: [],
    images: [{ url: 'https://example.org/1.jpg', description: 'One' }],
  };
  script = async () => {
    const answer = contentsAnswer();
    return { ...answer, results: answer.results.map((result) => ({ ...result, details })) };
  };
  const { json } = await app.post('/shapeB/extract', {
    urls: [url],
    include_images: true,
    include_favicon: true,
  });
  assert.deepEqual(json.results[0].images, ['https://example.org/1.jpg']);
  assert.equal(json.results[0].favicon, 'https://example.org/i.svg');
  assert.deepEqual(asked[0]?.details, { links: 0, images: 5 });
  const plain = await app.post('/shapeB/extract', { urls: [url] });
  assert.deepEqual(plain.json.results[0].images, []);
});

describe('400', () => {
  test('an address that is not public', async () => {
    script = async () => {
      throw new Failure('url_not_allowed', 'not public');
    };
    const { status, json } = await extract({ urls: 'http://127.0.0.1/' });
    assert.equal(status, 400);
    assert.deepEqual(json, { detail: { error: 'url_not_allowed' } });
  });
});

describe('422', () => {
  const cases: [body: unknown, error: RegExp][] = [
    [{}, /^validation_error: urls: is required$/],
    [{ urls: [] }, /^validation_error: urls: must name 1 to 20 URLs$/],
    [{ urls: Array(21).fill(url) }, /^validation_error: urls: must have at most 20 URLs$/],
    [{ urls: 7 }, /^validation_error: urls: must be a URL or an array of URLs$/],
    [{ urls: [7] }, /^validation_error: urls\[0\]: must be a string$/],
    [{ urls: [' '] }, /^validation_error: urls\[0\]: must not be empty$/],
    [{ urls: url, query: 7 }, /^validation_error: query: must be a string$/],
    [
      { urls: url, query: 'q'.repeat(2_001) },
      /^validation_error: query: must have at most 2,000 characters$/,
    ],
    [{ urls: url, timeout: 'soon' }, /^validation_error: timeout: must be a number$/],
  ];
  for (const [body, error] of cases)
    test(String(error), async () => {
      const { status, json } = await extract(body);
      assert.equal(status, 422);
      assert.match(json.detail.error, error);
    });
  test('20 URLs are taken', async () => {
    assert.equal((await understood({ urls: Array(20).fill(url) })).urls.length, 20);
  });
});
