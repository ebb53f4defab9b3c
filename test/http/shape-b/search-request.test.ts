import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SearchRequest } from '../../../src/search/search-types.ts';
import { scriptedSearch } from '../scripted-search.ts';

const { search, understood } = scriptedSearch('/shapeB/search');

const passages = (perUrl: number) => ({ query: null, perUrl, charsMax: null });
const BY_DEFAULT = {
  query: 'q',
  numResults: 5,
  includeDomains: [],
  excludeDomains: [],
  publishedFrom: null,
  publishedTo: null,
  contents: { text: null, highlights: passages(1), pruned: null },
  answer: false,
};

describe('what is asked for', () => {
  test('the defaults', async () => {
    assert.deepEqual(await understood({ query: 'q' }), BY_DEFAULT);
  });

  const cases: [given: object, changed: object][] = [
    [{ max_results: 25 }, { numResults: 25 }],
    [{ max_results: 40 }, { numResults: 25 }],
    [{ max_results: 1e15 }, { numResults: 25 }],
    [{ max_results: 1e300 }, { numResults: 25 }],
    [{ max_results: '7' }, { numResults: 7 }],
    [{ max_results: 0 }, { numResults: 0 }],
    [{ max_results: null }, {}],
    [
      { include_domains: ['a.org', ' '], exclude_domains: 'b.org' },
      { includeDomains: ['a.org'], excludeDomains: ['b.org'] },
    ],
    [{ include_domains: [], exclude_domains: null }, {}],
    [{ time_range: 'week' }, { publishedFrom: '2026-11-14' }],
    [{ time_range: null, start_date: null }, {}],
    [
      { start_date: '2026-01-01', end_date: '2026-02-01' },
      { publishedFrom: '2026-01-01', publishedTo: '2026-02-01' },
    ],
    [{ topic: 'general', days: 7 }, {}],
    [{ search_depth: 'fast' }, {}],
    [{ search_depth: 'ultra-fast' }, { opening: { copies: 'only' } }],
    [{ search_depth: 'ultra-fast', include_answer: true }, { answer: true }],
    [{ include_answer: 'basic' }, { answer: true }],
    [{ include_answer: false }, {}],
  ];
  for (const [given, changed] of cases)
    test(JSON.stringify(given), async () => {
      assert.deepEqual(await understood({ query: 'q', ...given }), { ...BY_DEFAULT, ...changed });
    });

  const contents: [given: object, contents: object][] = [
    [{ search_depth: 'advanced' }, { text: null, highlights: passages(3) }],
    [{ search_depth: 'ultra-fast' }, { text: null, highlights: passages(1) }],
    [{ search_depth: 'a word of tomorrow' }, { text: null, highlights: passages(1) }],
    [{ chunks_per_source: 2 }, { text: null, highlights: passages(2) }],
    [
      { chunks_per_source: 50, search_depth: 'advanced' },
      { text: null, highlights: passages(5) },
    ],
    [{ include_raw_content: true }, { text: { charsMax: null }, highlights: passages(1) }],
    [{ include_raw_content: 'markdown' }, { text: { charsMax: null }, highlights: passages(1) }],
    [{ include_raw_content: 'text' }, { text: { charsMax: null }, highlights: passages(1), plain: true }],
    [{ include_raw_content: 'false' }, { text: null, highlights: passages(1) }],
  ];
  for (const [given, wanted] of contents)
    test(JSON.stringify(given), async () => {
      assert.deepEqual((await understood({ query: 'q', ...given })).contents, { pruned: null, ...wanted });
    });

  test('fields that have no effect are taken whatever they hold', async () => {
    const foreign = {
      topic: 7,
      country: ['norway'],
      language: ['no'],
      filter_by_language: 'x',
      auto_parameters: {},
      exact_match: 'x',
      safe_search: {},
      max_hours: 'x',
      fetch_timeout: -1,
      cache_fallback: 'x',
      include_images: {},
      include_image_descriptions: 1,
      include_published_date: 'x',
      filter_by_published_date: 'x',
      include_domains_mode: 'restrict',
      timeout: 'x',
      client_source: 'langchain-js',
      apiKey: 'secret',
      apiBaseURL: 'https://example.org',
      customField: {},
      follow_up_questions: null,
    };
    assert.deepEqual(await understood({ query: 'q', ...foreign }), BY_DEFAULT);
  });

  test('the key in the body, in a header, and the word keyless', async () => {
    assert.equal((await search({ query: 'q', api_key: 'good' })).status, 200);
    assert.equal((await search({ query: 'q', api_key: 'Keyless' })).status, 200);
    assert.equal((await search({ query: 'q' }, { authorization: 'bearer keyless' })).status, 200);
    assert.equal((await search({ query: 'q', apiKey: 'unknown' })).status, 200);
  });
});

describe('topics and countries', () => {
  const topicOf = async (body: object): Promise<Partial<SearchRequest>> =>
    understood({ query: 'q', ...body });

  test('news asks sources for news and prefers sites of news', async () => {
    const { topic, preferredDomains, publishedFrom } = await topicOf({ topic: 'news', days: 3 });
    assert.deepEqual([topic, publishedFrom], ['news', '2026-11-18']);
    assert.ok(preferredDomains?.includes('reuters.com'));
  });

  test('finance prefers sites about markets', async () => {
    const { topic, preferredDomains } = await topicOf({ topic: 'finance', country: 'norway' });
    assert.equal(topic, undefined);
    assert.ok(preferredDomains?.includes('sec.gov') && !preferredDomains.includes('no'));
  });

  test('a country is preferred in general searches', async () => {
    assert.deepEqual((await topicOf({ topic: 'general', country: 'Norway' })).preferredDomains, ['no']);
  });

  test('one that is unknown is named as ignored', async () => {
    const { headers } = await search({ query: 'q', country: 'atlantis', topic: 'general' });
    assert.equal(headers.get('x-ignored-parameters'), 'country');
  });
});

describe('exact_match', () => {
  const phrasesOf = async (query: string, exact: unknown): Promise<unknown> =>
    (await understood({ query, exact_match: exact })).pageText;
  test('takes the phrases in quotes', async () => {
    assert.deepEqual(await phrasesOf('who is "John Smith" of “Acme Corp”', true), {
      include: ['John Smith', 'Acme Corp'],
      exclude: [],
    });
  });
  test('has no effect without such a phrase, or unless requested', async () => {
    assert.equal(await phrasesOf('who is John "" Smith', true), undefined);
    assert.equal(await phrasesOf('who is "John Smith"', false), undefined);
  });
});
