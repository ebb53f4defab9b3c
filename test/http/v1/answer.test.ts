import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import type { SearchAnswer, SearchRequest } from '../../../src/search/search-types.ts';
import { type Served, searchAnswer, serveScripted } from '../../harness.ts';

let app: Served;
let asked: SearchRequest[] = [];
let script: () => Promise<SearchAnswer>;

const PROOF = {
  start: 4,
  end: 12,
  headingPath: ['B'],
  link: 'https://example.org/b#:~:text=It%20runs.',
  contentHash: `sha256:${'0a'.repeat(32)}`,
  score: 0.9,
};
const quoted = (): SearchAnswer =>
  searchAnswer({ answer: { text: 'It runs.\n"So"', url: 'https://example.org/b', title: 'B', ...PROOF } });

before(async () => {
  app = await serveScripted({
    search: (request) => {
      asked.push(request);
      return script();
    },
  });
});
beforeEach(() => {
  asked = [];
  script = async () => quoted();
});
after(() => app.close());

const CITATIONS = [
  {
    id: 'https://example.org/b',
    url: 'https://example.org/b',
    title: 'B',
    publishedDate: null,
    author: null,
    proof: PROOF,
  },
  {
    id: 'https://example.org/a',
    url: 'https://example.org/a',
    title: 'A',
    publishedDate: '2025-01-31',
    author: null,
  },
];

describe('200', () => {
  for (const path of ['/v1/answer', '/answer', '/shapeA/answer'])
    test(`${path} quotes, and names the quoted page first`, async () => {
      const { status, json, text } = await app.post(path, { query: 'does it run?' });
      assert.equal(status, 200, text);
      assert.equal(json.answer, 'It runs.\n"So"');
      assert.deepEqual(json.citations, CITATIONS);
      assert.deepEqual(json.costDollars, { total: 0.001 });
      assert.equal(asked[0]?.answer, true);
      assert.equal(asked[0]?.contents, null);
    });

  test('without a likely passage the answer is null, and the pages that were read are named', async () => {
    script = async () => searchAnswer({ answer: null });
    const { json } = await app.post('/v1/answer', { query: 'q' });
    assert.equal(json.answer, null);
    assert.deepEqual(
      json.citations.map(({ url }: { url: string }) => url),
      ['https://example.org/a', 'https://example.org/b'],
    );
  });

  test('text adds the text of the pages', async () => {
    script = async () => {
      const answer = quoted();
      return { ...answer, results: answer.results.map((result) => ({ ...result, text: '# T' })) };
    };
    const { json } = await app.post('/v1/answer', { query: 'q', text: { maxCharacters: 5 } });
    assert.equal(json.citations[0].text, '# T');
    assert.deepEqual(asked[0]?.contents?.text, { charsMax: 5 });
  });

  test('what takes a model is named as ignored', async () => {
    const { json, headers } = await app.post('/answer', {
      query: 'q',
      stream: false,
      text: false,
      model: 'exa',
      systemPrompt: 'Be kind.',
      output_schema: {},
      userLocation: null,
    });
    assert.deepEqual(json.service.ignored, ['model', 'systemPrompt', 'output_schema']);
    assert.equal(headers.get('x-ignored-parameters'), 'model, systemPrompt, output_schema');
  });

  test('store: false reaches the search', async () => {
    await app.post('/v1/answer', { query: 'q', store: false });
    assert.equal(asked[0]?.keep, false);
  });
});

describe('a stream', () => {
  const eventsOf = async (): Promise<{ lines: string[]; type: string | null; remaining: string | null }> => {
    const { text, headers } = await app.post('/answer', { query: 'q', stream: true });
    assert.ok(text.endsWith('\n\n'));
    const lines = text.trimEnd().split('\n\n');
    for (const line of lines) assert.match(line, /^data: [^\n]+$/);
    return {
      lines: lines.map((line) => line.slice('data: '.length)),
      type: headers.get('content-type'),
      remaining: headers.get('x-credits-remaining'),
    };
  };

  test('is the same answer as events, ended by [DONE]', async () => {
    const { lines, type, remaining } = await eventsOf();
    assert.equal(type, 'text/event-stream; charset=utf-8');
    assert.equal(remaining, '1');
    assert.equal(lines.pop(), '[DONE]');
    const [text, pages, ...more] = lines.map((line) => JSON.parse(line));
    assert.equal(text.choices[0].delta.content, 'It runs.\n"So"');
    assert.deepEqual(pages.citations, CITATIONS);
    assert.deepEqual(more, []);
  });

  test('without an answer has the pages alone', async () => {
    script = async () => searchAnswer({ answer: null });
    const { lines } = await eventsOf();
    assert.equal(lines.length, 2);
    assert.equal(JSON.parse(lines[0] ?? '').citations.length, 2);
  });

  test('that fails is an error in JSON', async () => {
    script = async () => {
      throw new Failure('recall_unavailable', 'None answered.');
    };
    const { status, json } = await app.post('/answer', { query: 'q', stream: true });
    assert.equal(status, 503);
    assert.equal(json.error, 'recall_unavailable');
  });
});

test('422 for a query that is missing or too long, and for a stream that is no boolean', async () => {
  for (const body of [{}, { query: 'q'.repeat(2_001) }, { query: 'q', stream: 'yes' }])
    assert.equal((await app.post('/answer', body)).status, 422);
});
