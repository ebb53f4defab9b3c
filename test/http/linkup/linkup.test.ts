import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SearchRequest } from '../../../src/search/search-types.ts';
import { readAnswer, type Served, searchAnswer, serveScripted } from '../../harness.ts';

let asked: SearchRequest;
let served: Served;
before(async () => {
  served = await serveScripted({
    read: async () => readAnswer(),
    search: async (request) => {
      asked = request;
      const url = 'https://example.org/a';
      const proof = { start: 0, end: 3, headingPath: [], link: url, contentHash: 'sha256:0' };
      const answer =
        request.query === 'none' ? null : { text: 'It was.', score: 1, url, title: 'A', ...proof };
      const [first] = searchAnswer().results;
      const results = first === undefined ? [] : [{ ...first, highlights: ['One.', 'Two.'] }];
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
      ...{ q: 'q', depth: 'standard', outputType: 'searchResults', maxResults: 3, includeImages: true },
      ...{ includeDomains: ['a.org'], excludeDomains: ['b.org'] },
      ...{ fromDate: '2025-01-31T00:00:00.000Z', toDate: '2025-02-01' },
    });
    const { numResults, includeDomains, excludeDomains, publishedFrom, publishedTo } = asked;
    assert.deepEqual([numResults, includeDomains, excludeDomains], [3, ['a.org'], ['b.org']]);
    assert.deepEqual([publishedFrom, publishedTo], ['2025-01-31', '2025-02-01']);
    assert.equal(headers.get('x-ignored-parameters'), 'includeImages');
  });

  test('422 in the body that its clients read', async () => {
    for (const [body, field] of [
      [{ outputType: 'searchResults' }, 'q'],
      [{ q: 'q', outputType: 'structured', structuredOutputSchema: '{}' }, 'outputType'],
      [{ q: 'q', fromDate: 'soon' }, 'fromDate'],
    ] as const) {
      const { status, json } = await served.post(SEARCH, body);
      assert.deepEqual([status, json.statusCode, json.error.code], [422, 422, 'VALIDATION_ERROR']);
      assert.equal(json.error.details[0].field, field);
    }
  });
});

test('POST /linkup/v1/fetch', async () => {
  const { json } = await served.post('/linkup/v1/fetch', { url: 'example.org/a', renderJs: false });
  assert.deepEqual(json, { markdown: '# A\n' });
  assert.equal((await served.post('/linkup/v1/fetch', {})).status, 422);
});
