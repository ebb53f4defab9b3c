import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../../src/contract/errors.ts';
import type { ReadAnswer, ReadRequest } from '../../src/search/read.ts';
import { readAnswer, type Served, serveScripted } from '../harness.ts';
import { rawExchange } from './server/raw-exchange.ts';

let app: Served;
let asked: ReadRequest[] = [];
let script: () => Promise<ReadAnswer>;

before(async () => {
  app = await serveScripted({
    read: (request) => {
      asked.push(request);
      return script();
    },
  });
});
beforeEach(() => {
  asked = [];
  script = async () => readAnswer();
});
after(() => app.close());

describe('200', () => {
  test('Markdown with its figures in headers', async () => {
    script = async () => readAnswer({ markdown: '# Sanderling\n\nÆ 🐦\n', cache: 'stale' });
    const { status, text, headers } = await app.get('/r/https://example.org/a');
    assert.equal(status, 200);
    assert.equal(text, '# Sanderling\n\nÆ 🐦\n');
    assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8');
    assert.equal(headers.get('x-token-savings'), '75');
    assert.equal(headers.get('x-raw-tokens'), '100');
    assert.equal(headers.get('x-output-tokens'), '25');
    assert.equal(headers.get('x-cache'), 'stale');
    assert.equal(headers.get('x-reader-route'), 'markdown');
    assert.equal(headers.get('cache-control'), 'private, no-store');
    assert.match(headers.get('x-request-id') ?? '', /^req_/);
  });

  test('the page and the question reach the operation', async () => {
    await app.get('/r/https://example.org/s?b=1&q=two+words&c=2');
    const [request] = asked;
    assert.equal(request?.url, 'https://example.org/s?b=1&c=2');
    assert.equal(request?.question, 'two words');
  });

  describe('one table of the page', () => {
    const markdown = '# Ships\n\n| Ship | Length |\n| --- | --- |\n| **Ann** | 12 |\n| Bob | 9 |\n';
    const { article } = readAnswer();
    beforeEach(() => {
      script = async () => readAnswer({ markdown, article: { ...article, markdown } });
    });

    test('as Markdown, with the rows that were asked for', async () => {
      const { text } = await app.get('/r/https://example.org/a', {
        'X-Table': '1',
        'X-Table-Row': 'ann',
      });
      assert.equal(text, '| Ship | Length |\n| --- | --- |\n| **Ann** | 12 |');
    });

    test('as comma separated values', async () => {
      const { text, headers } = await app.get('/r/https://example.org/a', {
        'X-Table': '1',
        'X-Table-Format': 'csv',
      });
      assert.equal(text, 'Ship,Length\r\nAnn,12\r\nBob,9\r\n');
      assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
    });

    test('as records', async () => {
      const { json } = await app.get('/r/https://example.org/a', {
        'X-Table': '1',
        'X-Table-Row': '2',
        accept: 'application/json',
      });
      assert.deepEqual(json.data.table, {
        columns: ['Ship', 'Length'],
        records: [{ Ship: 'Bob', Length: '9' }],
      });
    });

    test('422 for a table that the page does not have', async () => {
      const { status, text } = await app.get('/r/https://example.org/a', { 'X-Table': '2' });
      assert.equal(status, 422);
      assert.match(text, /X-Table.{0,40}the page has one table/);
    });
  });

  // fetch() would tidy these targets up before sending them.
  const targets: [target: string, url: string][] = [
    ['/r/https://example.org/a//b/../c', 'https://example.org/a//b/../c'],
    ['//r//https:/example.org/', 'https://example.org/'],
    ['/r/https://example.org/%zz', 'https://example.org/%zz'],
    ['/r/https%3A%2F%2Fexample.org%2F%3Fq%3D1', 'https://example.org/?q=1'],
  ];
  for (const [target, url] of targets)
    test(`the target ${target} as it is sent`, async () => {
      const answer = await rawExchange(
        app.address,
        `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      assert.match(answer, /^HTTP\/1\.1 200 /);
      assert.equal(asked[0]?.url, url);
    });

  test('an address of 8,000 characters, percent-encoded three bytes each', async () => {
    const { status } = await app.get(`/r/${encodeURIComponent(`https://example.org/?${'/'.repeat(7_900)}`)}`);
    assert.equal(status, 200);
    assert.equal(asked[0]?.url.length, 7_921);
  });
});

describe('400', () => {
  for (const path of [
    '/r',
    '/r/',
    '/r?q=x',
    '/r/ftp://example.org/',
    '/r/javascript:alert(1)',
    '/r/https://',
  ])
    test(`${path} names no page`, async () => {
      const { status, json } = await app.get(path);
      assert.equal(status, 400);
      assert.equal(json.error, 'url_not_allowed');
      assert.match(json.requestId, /^req_/);
      assert.equal(asked.length, 0);
    });

  test('a page that is not public', async () => {
    script = async () => {
      throw new Failure('url_not_allowed', 'This address is not public.');
    };
    const { status, json } = await app.get('/r/http://127.0.0.1/');
    assert.equal(status, 400);
    assert.equal(json.error, 'url_not_allowed');
  });

  test('an address beyond 8,192 characters', async () => {
    const { status, json } = await app.get(`/r/https://example.org/${'a'.repeat(8_200)}`);
    assert.equal(status, 400);
    assert.equal(json.error, 'url_not_allowed');
  });
});

describe('401', () => {
  test('an unknown key', async () => {
    const { status, json } = await app.get('/r/https://example.org/', { authorization: 'Bearer nobody' });
    assert.equal(status, 401);
    assert.equal(json.error, 'invalid_api_key');
    assert.equal(asked.length, 0);
  });
});

describe('422', () => {
  test('a question of more than 2,000 characters', async () => {
    const { status, json } = await app.get(`/r/https://example.org/?q=${'a'.repeat(2_001)}`);
    assert.equal(status, 422);
    assert.equal(json.message, 'q: must have at most 2,000 characters');
  });
});

describe('502', () => {
  test('a page that cannot be fetched', async () => {
    script = async () => {
      throw createFetchFailure('http_status', 'The page answered 500.', { httpStatus: 500 });
    };
    const { status, json, headers } = await app.get('/r/https://example.org/');
    assert.equal(status, 502);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(json.error, 'fetch_failed');
    assert.equal(json.message, 'The page answered 500.');
  });
});
