import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scriptedSearch } from '../scripted-search.ts';

const { understood } = scriptedSearch('/v1/search');

describe('200', () => {
  test('the defaults', async () => {
    assert.deepEqual(await understood({ query: 'q' }), {
      query: 'q',
      numResults: 10,
      includeDomains: [],
      excludeDomains: [],
      publishedFrom: null,
      publishedTo: null,
      contents: null,
    });
  });

  test('every field in both spellings', async () => {
    const wanted = {
      query: 'q',
      numResults: 3,
      includeDomains: ['example.org', 'https://www.example.com/docs/'],
      excludeDomains: ['*.example.net'],
      publishedFrom: '2025-01-31',
      publishedTo: '2025-12-31',
      contents: {
        text: { charsMax: 100 },
        highlights: { query: 'h', perUrl: 2, charsMax: 900 },
        pruned: { query: 'p' },
      },
    };
    const snake = {
      query: 'q',
      num_results: 3,
      include_domains: wanted.includeDomains,
      exclude_domains: wanted.excludeDomains,
      start_published_date: '2025-01-31',
      end_published_date: '2025-12-31T23:59:59Z',
      contents: {
        text: { max_characters: 100 },
        highlights: { query: 'h', num_sentences: 'ignored', highlights_per_url: 2, max_characters: 900 },
        pruned_context: { query: 'p' },
      },
    };
    const camel = {
      query: 'q',
      numResults: 3,
      includeDomains: wanted.includeDomains,
      excludeDomains: wanted.excludeDomains,
      startPublishedDate: '2025-01-31T00:00:00.000Z',
      endPublishedDate: '2025-12-31',
      contents: {
        text: { maxCharacters: 100, includeHtmlTags: 5 },
        highlights: { query: 'h', numSentences: 3, highlightsPerUrl: 2, maxCharacters: 900, dynamic: {} },
        prunedContext: { query: 'p' },
      },
    };
    assert.deepEqual(await understood(snake), wanted);
    assert.deepEqual(await understood(camel), wanted);
  });

  for (const name of ['minScore', 'min_score'])
    test(`${name} is understood`, async () => {
      assert.equal((await understood({ query: 'q', [name]: 0.25 })).minScore, 0.25);
      assert.equal((await understood({ query: 'q', [name]: null })).minScore, undefined);
    });

  const counts: [given: unknown, wanted: number][] = [
    [1, 1],
    [25, 25],
    [26, 25],
    [1_000_000, 25],
    [1e15, 25],
    [1e300, 25],
    [null, 10],
  ];
  for (const [given, wanted] of counts)
    test(`numResults ${given} gives ${wanted}`, async () => {
      assert.equal((await understood({ query: 'q', numResults: given })).numResults, wanted);
    });

  test('numResults beyond all numbers gives 25', async () => {
    assert.equal((await understood('{"query": "q", "numResults": 1e999}')).numResults, 25);
  });

  const contents: [given: unknown, wanted: unknown][] = [
    [true, { text: { charsMax: null }, highlights: null, pruned: null }],
    [false, null],
    [null, null],
    [{}, null],
    [{ text: false, highlights: null }, null],
    [{ summary: 1, extras: { links: 'all' }, livecrawl: 'never' }, null],
    [{ text: {} }, { text: { charsMax: null }, highlights: null, pruned: null }],
    [
      { highlights: true },
      { text: null, highlights: { query: null, perUrl: 3, charsMax: null }, pruned: null },
    ],
    [
      { highlights: { highlightsPerUrl: 500 } },
      { text: null, highlights: { query: null, perUrl: 20, charsMax: null }, pruned: null },
    ],
    [{ pruned_context: true }, { text: null, highlights: null, pruned: { query: null } }],
    [
      { prunedContext: true, highlights: { query: 'h' } },
      { text: null, highlights: { query: 'h', perUrl: 3, charsMax: null }, pruned: { query: 'h' } },
    ],
    [{ prunedContext: { query: ' ' } }, { text: null, highlights: null, pruned: { query: null } }],
  ];
  for (const [given, wanted] of contents)
    test(`contents ${JSON.stringify(given)}`, async () => {
      assert.deepEqual((await understood({ query: 'q', contents: given })).contents, wanted);
    });

  test('how fresh the pages must be, where pages are wanted at all', async () => {
    const text = { text: true };
    const openingOf = async (contents: object): Promise<unknown> =>
      (await understood({ query: 'q', contents })).opening;
    assert.deepEqual(await openingOf({ ...text, livecrawl: 'always' }), { freshMs: 0, copies: 'never' });
    assert.deepEqual(await openingOf({ ...text, max_age_hours: -1 }), { copies: 'only' });
    assert.deepEqual(await openingOf({ ...text, livecrawlTimeout: 900 }), { timeoutMs: 900 });
    assert.equal(await openingOf({ livecrawl: 'always' }), undefined);
    assert.equal('opening' in (await understood({ query: 'q', contents: text })), false);
  });

  test('fields that are not ours are ignored whatever they hold', async () => {
    const body = {
      query: 'q',
      type: 'deep-reasoning',
      category: 7,
      useAutoprompt: 'x',
      flags: [null],
      moderation: {},
      userLocation: 'NO',
      additionalQueries: 'x',
      outputSchema: { type: 'object' },
      startCrawlDate: 'never',
      includeText: 5,
      livecrawl: 'always',
      excludeSourceDomain: true,
      stream: false,
      apiKey: 'secret',
      apiBaseURL: 'x',
      client_source: 'x',
    };
    assert.equal((await understood(body)).query, 'q');
  });

  test('a query of 2,000 characters is taken, also where each is two UTF-16 units', async () => {
    assert.equal((await understood({ query: 'a'.repeat(2_000) })).query.length, 2_000);
    assert.equal((await understood({ query: '🐦'.repeat(2_000) })).query.length, 4_000);
  });
});
