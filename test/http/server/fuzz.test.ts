import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import {
  type Answered,
  contentsAnswer,
  readAnswer,
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
    similar: async () => searchAnswer(),
    contents: async () => contentsAnswer(),
    read: async () => readAnswer(),
    research: async () => researchAnswer(),
    verify: async () => verifyAnswer(),
  });
});
after(() => app.close());

const RUNS = { numRuns: 300 };

/** Names that the interface knows in both spellings, and some that it does not. */
const name = fc.constantFrom(
  ...['query', 'numResults', 'num_results', 'includeDomains', 'exclude_domains', 'startPublishedDate'],
  ...[
    'end_published_date',
    'contents',
    'text',
    'highlights',
    'pruned_context',
    'prunedContext',
    'url',
    'urls',
    'ids',
    'question',
    'max_searches',
    'maxTokens',
  ],
  ...[
    'maxCharacters',
    'highlights_per_url',
    'stream',
    'api_key',
    'livecrawl',
    'maxAgeHours',
    'livecrawl_timeout',
    '__proto__',
    'constructor',
    'toString',
    'x_',
    '_',
  ],
);
const edge = fc.constantFrom(
  ...[
    '',
    ' ',
    'q',
    'keyless',
    '2025-02-30',
    '2025-01-31',
    'https://example.org/',
    '\u0000',
    '\ud800',
    '.',
    '*.',
  ],
  ...[0, -0, 1, -1, 25, 26, 1e308, 1.5],
  ...[true, false, null],
);
const { value } = fc.letrec((again) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    edge,
    fc.string({ unit: 'binary' }),
    fc.array(again('value'), { maxLength: 12 }),
    again('object'),
  ),
  object: fc
    .array(fc.tuple(fc.oneof(name, fc.string()), again('value')), { maxLength: 8 })
    .map((entries) => Object.fromEntries(entries)),
}));
const body = fc.oneof(
  value,
  fc
    .array(fc.tuple(name, value), { maxLength: 8 })
    .map((entries) => ({ query: 'q', ...Object.fromEntries(entries) })),
);
const path = fc.constantFrom(
  '/v1/search',
  '/search',
  '/shapeA/contents',
  '/contents',
  '/findSimilar',
  '/v1/research',
);

function holds({ status, json, headers }: Answered): void {
  assert.ok([200, 401, 422].includes(status), `status ${status}`);
  assert.equal(typeof json.requestId, 'string');
  assert.equal(headers.get('x-request-id'), json.requestId);
  if (status === 200) assert.ok(Array.isArray(json.results ?? json.evidence));
  else assert.equal(typeof json.message, 'string');
  if (status === 422) {
    assert.equal(json.error, 'validation_error');
    assert.ok(json.details.length > 0);
    for (const { field, message } of json.details)
      assert.ok(field !== '' && message !== '', JSON.stringify(json));
  }
}

test('any JSON body gets a JSON object of the right shape, and never a 500', async () => {
  await fc.assert(
    fc.asyncProperty(path, body, async (route, sent) => {
      holds(await app.post(route, JSON.stringify(sent)));
    }),
    RUNS,
  );
});

test('any bytes do, too', async () => {
  await fc.assert(
    fc.asyncProperty(path, fc.uint8Array({ maxLength: 200 }), async (route, sent) => {
      holds(await app.post(route, sent));
    }),
    RUNS,
  );
});

test('nesting to any depth does, too', async () => {
  for (const depth of [10, 1_000, 100_000, 260_000])
    for (const [open, close] of [
      ['[', ']'],
      ['{"contents":', '}'],
    ] as const) {
      const nested = `${open.repeat(depth)}1${close.repeat(depth)}`;
      if (nested.length > 1_000_000) continue;
      holds(await app.post('/v1/search', `{"query":"q","contents":${nested}}`));
      holds(await app.post('/v1/search', `{"query":"q","foreign":${nested}}`));
    }
});

test('any address behind /r/ gets its page or a failure in JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.webPath(), fc.webQueryParameters(), async (rest, query) => {
      const { status, headers, json } = await app.get(`/r/${rest}?${query}`);
      assert.ok([200, 400, 422].includes(status));
      if (status === 200) assert.match(headers.get('content-type') ?? '', /^text\/markdown/);
      else assert.equal(typeof json.error, 'string');
    }),
    RUNS,
  );
});

test('any other route is a 404 or 405 in the shape of its prefix', async () => {
  const start = fc.constantFrom('/', '/shapeB/', '/shapeA/', '/v1/', '/%');
  await fc.assert(
    fc.asyncProperty(start, fc.webPath(), async (prefix, rest) => {
      const { status, json } = await app.post(`${prefix}x${rest}`, {});
      assert.ok(status === 404 || status === 405);
      assert.equal(typeof (prefix === '/shapeB/' ? json.detail.error : json.error), 'string');
    }),
    RUNS,
  );
});
