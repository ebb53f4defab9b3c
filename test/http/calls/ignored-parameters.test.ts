import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  contentsAnswer,
  researchAnswer,
  type Served,
  searchAnswer,
  serveScripted,
  verifyAnswer,
} from '../../harness.ts';

let app: Served;
before(async () => {
  app = await serveScripted({
    search: async () => searchAnswer(),
    contents: async () => contentsAnswer(),
    similar: async () => searchAnswer(),
    research: async () => researchAnswer(),
    verify: async () => verifyAnswer(),
    siteCrawl: async () => [],
    siteMap: async () => [],
  });
});
after(() => app.close());

const url = 'https://example.org/a';
const CALLS: [path: string, body: Record<string, unknown>][] = [
  ['/v1/search', { query: 'q' }],
  ['/v1/contents', { urls: [url] }],
  ['/v1/findSimilar', { url }],
  ['/v1/research', { question: 'q' }],
  ['/v1/verify', { url, quote: 'one' }],
  ['/shapeB/search', { query: 'q' }],
  ['/shapeB/extract', { urls: [url] }],
  ['/shapeB/crawl', { url }],
  ['/shapeB/map', { url }],
];

describe('X-Ignored-Parameters', () => {
  for (const [path, body] of CALLS)
    test(`${path} names what had no effect as the caller spelled it, and nothing else`, async () => {
      const { status, headers, text } = await app.post(path, {
        ...body,
        api_key: 'keyless',
        store: true,
        no_such_field: 1,
        another: null,
        größe: 2,
      });
      assert.equal(status, 200, text);
      assert.equal(headers.get('x-ignored-parameters'), 'no_such_field, gr%C3%B6%C3%9Fe');
    });

  for (const [path, body] of CALLS)
    test(`${path} has no such header where every field had an effect`, async () => {
      assert.equal((await app.post(path, body)).headers.get('x-ignored-parameters'), null);
    });
});
