import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Exa, ExaError } from 'exa-js';
import { Failure } from '../../src/errors.ts';
import type { Contents, UrlStatus } from '../../src/retrieval/contents.ts';
import type { ContentsWanted, PageParts, Search } from '../../src/retrieval/search.ts';
import { type Served, searchAnswer, serveScripted } from '../harness.ts';

/** The published client of the first shape against the real faces, with only its base address changed. */
const PAGE = 'https://example.org/sanderling';
const MISSING = 'https://example.org/missing';
const TEXT = 'The sanderling runs along the surf. '.repeat(400);

const searchOfTwo: Search = async ({ contents, numResults }) => {
  const parts = contents === null ? {} : partsOf(contents);
  const results = [
    { url: PAGE, title: 'Sanderling', score: 0.9, publishedDay: '2025-01-31', ...parts },
    { url: 'https://example.org/dunlin', title: 'Dunlin', score: 0.4, publishedDay: null, ...parts },
  ];
  return searchAnswer({ results: results.slice(0, numResults) });
};

const contentsOfOne: Contents = async ({ urls, wanted }) => {
  if (urls.some((url) => url.includes('127.0.0.1')))
    throw new Failure('url_not_allowed', 'This address is not public.');
  const statuses = urls.map(
    (id): UrlStatus =>
      id === PAGE
        ? { ok: true, id, cache: 'miss' }
        : { ok: false, id, reason: 'http_status', httpStatus: 404, message: 'not found' },
  );
  const results = urls
    .filter((id) => id === PAGE)
    .map((id) => ({
      id,
      url: id,
      title: 'Sanderling',
      author: null,
      publishedDay: null,
      ...partsOf(wanted),
    }));
  return { results, statuses };
};

function partsOf({ text, highlights, pruned }: ContentsWanted): PageParts {
  return {
    ...(text === null ? {} : { text: TEXT.slice(0, text.charsMax ?? TEXT.length) }),
    ...(highlights === null ? {} : { highlights: [TEXT.slice(0, 500)], highlightScores: [0.8] }),
    ...(pruned === null ? {} : { prunedContext: TEXT.slice(0, 500) }),
  };
}

let app: Served;
before(async () => {
  app = await serveScripted({ search: searchOfTwo, contents: contentsOfOne });
});
after(() => app.close());

const client = (path = '', key = 'keyless'): Exa => new Exa(key, app.address + path);

/** The error that the client shows its user. */
async function errorOf(call: Promise<unknown>): Promise<ExaError> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ExaError);
  return error;
}

test('search: text of at most 10,000 characters by default, and what it cost', async () => {
  const { results, costDollars, requestId, searchTime } = await client().search('wading birds');
  assert.equal(results.length, 2);
  for (const { id, url, text } of results) {
    assert.equal(id, url);
    assert.equal(text.length, 10_000);
  }
  assert.equal(costDollars?.total, 0.001);
  assert.match(requestId, /^req_/);
  assert.equal(searchTime, 5);
});

test('search without contents: no key of the parts on any result', async () => {
  const { results } = await client().search('q', { contents: false });
  for (const result of results)
    for (const part of ['text', 'highlights', 'highlightScores', 'prunedContext'])
      assert.equal(part in result, false, part);
});

test('search with every option that the client knows at once', async () => {
  const options = {
    numResults: 1,
    type: 'auto',
    category: 'news',
    includeDomains: ['example.org'],
    excludeDomains: [],
    startPublishedDate: '2024-01-01T00:00:00.000Z',
    endPublishedDate: '2026-01-01',
    startCrawlDate: '2024-01-01',
    endCrawlDate: '2026-01-01',
    includeText: ['surf'],
    excludeText: ['sea'],
    flags: ['x'],
    userLocation: 'NO',
    moderation: true,
    useAutoprompt: true,
    additionalQueries: ['x'],
    systemPrompt: 'x',
    contents: {
      text: { maxCharacters: 100, includeHtmlTags: false, verbosity: 'compact', includeSections: ['body'] },
      highlights: { query: 'surf', maxCharacters: 500, numSentences: 2, highlightsPerUrl: 1, dynamic: true },
      summary: { query: 'x', schema: {} },
      context: { maxCharacters: 10 },
      extras: { links: 1, imageLinks: 1, codeBlocks: 1 },
      subpages: 1,
      subpageTarget: ['a'],
      livecrawl: 'preferred',
      livecrawlTimeout: 1_000,
      maxAgeHours: -1,
      filterEmptyResults: true,
      snapshotAsOf: null,
    },
  };
  const { results } = await client().search('q', options as never);
  assert.equal(results.length, 1);
  assert.equal((results[0] as unknown as PageParts).text?.length, 100);
});

test('search with highlights: one score each, and no text', async () => {
  const { results } = await client().search('q', { contents: { highlights: true } });
  for (const result of results) {
    assert.equal(result.highlights.length, result.highlightScores?.length);
    assert.equal(typeof result.highlights[0], 'string');
    assert.equal('text' in result, false);
  }
});

test('search with a pruned context, in both spellings', async () => {
  for (const contents of [{ pruned_context: true }, { prunedContext: true }]) {
    const { results } = await client().search('q', { contents } as never);
    for (const result of results)
      assert.equal(typeof (result as unknown as PageParts).prunedContext, 'string');
  }
});

test('contents: the text by default, and a status with a source', async () => {
  const { results, statuses } = await client().getContents(PAGE);
  assert.equal((results[0] as PageParts).text, TEXT);
  assert.deepEqual(statuses, [{ id: PAGE, status: 'success', source: 'crawled' }]);
});

test('contents of a good and a missing page: one result, two statuses, one credit', async () => {
  const { results, statuses, costDollars } = await client().getContents([PAGE, MISSING]);
  assert.equal(results.length, 1);
  assert.deepEqual(statuses?.[1], {
    id: MISSING,
    status: 'error',
    source: 'crawled',
    error: { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 },
  });
  assert.equal(costDollars?.total, 0.001);
});

test('contents by the ids of a search, as old clients send them', async () => {
  const { results } = await client().search('q', { contents: false });
  const { json } = await app.post('/contents', { ids: [results[0]?.id] }, { 'x-api-key': 'keyless' });
  assert.equal(json.results[0].url, PAGE);
});

test('contents as the Python client sends it by default', async () => {
  const { status, json } = await app.post('/contents', { urls: [PAGE], text: { maxCharacters: 10_000 } });
  assert.equal(status, 200);
  assert.equal(json.results[0].text.length, 10_000);
});

test("the client's tool for language models shows titles and highlights", async () => {
  const shown = await client()
    .tools.webSearch()
    .run({ query: 'q' } as never);
  assert.match(String(shown), /Title: ?Sanderling/);
  assert.match(String(shown), /Highlights:/);
});

for (const path of ['/', '/v1', '/v1/', '/shapeA', '/shapeA//'])
  test(`base address with ${path} at its end`, async () => {
    assert.equal((await client(path).search('q')).results.length, 2);
    assert.equal((await client(path).getContents(PAGE)).results.length, 1);
  });

test('an unknown key', async () => {
  const error = await errorOf(client('', 'nobody').search('q'));
  assert.equal(error.statusCode, 401);
  assert.match(error.message, /^invalid_api_key/);
  assert.match(error.requestId ?? '', /^req_/);
});

test('a query of 2,001 characters', async () => {
  const error = await errorOf(client().search('q'.repeat(2_001)));
  assert.equal(error.statusCode, 422);
  assert.match(error.message, /^validation_error\. query: /);
});

test('a page that is not public', async () => {
  const error = await errorOf(client().getContents('http://127.0.0.1/'));
  assert.equal(error.statusCode, 400);
  assert.match(error.message, /^url_not_allowed/);
});

test('what is not served fails with a sentence and does not hang', async () => {
  const answer = await errorOf(client().answer('q'));
  assert.equal(answer.statusCode, 404);
  assert.match(answer.message, /^not_found\. /);
  const streamed = async (): Promise<void> => {
    for await (const _ of client().streamSearch('q')) assert.fail('nothing is streamed');
  };
  await assert.rejects(streamed, /stream/);
});
