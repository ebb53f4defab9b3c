import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type Answered, contentsAnswer, type Served, searchAnswer, serveScripted } from '../../harness.ts';

let app: Served;
before(async () => {
  app = await serveScripted({ search: async () => searchAnswer(), contents: async () => contentsAnswer() });
});
after(() => app.close());

const RUNS = { numRuns: 400 };

const name = fc.constantFrom(
  ...[
    'query',
    'urls',
    'search_depth',
    'topic',
    'days',
    'time_range',
    'start_date',
    'end_date',
    'max_results',
  ],
  ...['chunks_per_source', 'include_answer', 'include_raw_content', 'include_domains', 'exclude_domains'],
  ...[
    'include_favicon',
    'include_usage',
    'format',
    'extract_depth',
    'timeout',
    'country',
    'api_key',
    'apiKey',
  ],
  ...['maxResults', '__proto__', 'constructor', 'toString', 'images'],
);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    null,
    '',
    ' ',
    '5',
    'true',
    'news',
    'week',
    'text',
    'markdown',
    '2025-02-30',
    '2025-01-31',
    'keyless',
  ),
  fc.constantFrom(0, -1, 1.5, 26, 1e308, -0, true, false),
  fc.array(fc.constantFrom('a.org', 'https://a.org/x', '*.b.org', '', '\u0000', '\ud800', 7), {
    maxLength: 30,
  }),
);
const fields = fc
  .array(fc.tuple(name, value), { maxLength: 8 })
  .map((entries) => Object.fromEntries(entries));
const body = fc.oneof(
  fields,
  fields.map((given) => ({ ...given, query: 'q', urls: 'https://example.org/a' })),
  fc.jsonValue(),
);
const path = fc.constantFrom('/shapeB/search', '/shapeB/extract');

function holds({ status, json }: Answered, route: string): void {
  assert.ok([200, 401, 422].includes(status), `status ${status}`);
  if (status !== 200) {
    assert.deepEqual(Object.keys(json), ['detail']);
    assert.deepEqual(Object.keys(json.detail), ['error']);
    assert.match(json.detail.error, status === 401 ? /^invalid_api_key$/ : /^validation_error: .+: .+/s);
    return;
  }
  assert.equal(typeof json.response_time, 'number');
  assert.match(json.request_id, /^req_/);
  assert.ok(Array.isArray(json.results));
  for (const list of route === '/shapeB/search' ? [json.images] : [json.failed_results])
    assert.ok(Array.isArray(list));
  for (const { url, title, content, score, raw_content } of json.results) {
    const isPage = typeof url === 'string' && typeof title === 'string';
    const isRaw = typeof raw_content === 'string' || raw_content === null;
    assert.ok(isPage && isRaw);
    if (route === '/shapeB/search') assert.deepEqual([typeof content, typeof score], ['string', 'number']);
  }
}

test('any JSON body gets an answer or a failure in the shape, and never a 500', async () => {
  await fc.assert(
    fc.asyncProperty(path, body, async (route, sent) => {
      holds(await app.post(route, JSON.stringify(sent)), route);
    }),
    RUNS,
  );
});

test('any bytes do, too', async () => {
  await fc.assert(
    fc.asyncProperty(path, fc.uint8Array({ maxLength: 200 }), async (route, sent) => {
      holds(await app.post(route, sent), route);
    }),
    RUNS,
  );
});
