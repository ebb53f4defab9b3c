import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import type { SearchAnswer, SearchRequest } from '../../../src/search/search-types.ts';
import { type Answered, type Served, searchAnswer, serveScripted } from '../../harness.ts';

let app: Served;
let asked: SearchRequest[] = [];
let script: () => Promise<SearchAnswer>;

before(async () => {
  app = await serveScripted({
    search: (request) => {
      asked.push(request);
      return script();
    },
    clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
    findKey: async (key) => (key === 'good' ? { keyId: 'key_1', noStore: false } : null),
  });
});
beforeEach(() => {
  asked = [];
  script = async () => searchAnswer();
});
after(() => app.close());

const search = (body: unknown, headers?: Record<string, string>): Promise<Answered> =>
  app.post('/shapeB/search', body, headers);

/** What the operation was asked for, without its signal. */
async function understood(body: unknown): Promise<Omit<SearchRequest, 'signal'>> {
  const { status, text } = await search(body);
  assert.equal(status, 200, text);
  const [{ signal: _, tenant: _tenant, keep: _keep, ...request }] = asked.splice(0) as [SearchRequest];
  return request;
}

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

/** Two pages, one of them with two passages. */
const twoPages = (): SearchAnswer =>
  searchAnswer({
    timingsMs: { recall: 3, total: 1_234 },
    results: [
      {
        url: 'https://example.org/a',
        title: 'A',
        score: 0.912345,
        publishedDay: '2025-01-31',
        text: '# A\n\nOne. Two.',
        highlights: ['One.', 'Two.'],
        highlightScores: [1, 0.5],
      },
      { url: 'https://example.org/b', title: 'B', score: 0.5, publishedDay: null, highlights: [] },
    ],
  });

const QUOTED = {
  ...{
    text: 'It runs.',
    url: 'https://example.org/a',
    title: 'A',
    headingPath: ['A'],
    start: 0,
    end: 8,
    score: 0.9,
  },
  ...{ contentHash: 'sha256:00', link: 'https://example.org/a#:~:text=It%20runs.' },
};

describe('200', () => {
  test('the answer has every field of the contract and none that was not asked for', async () => {
    script = async () => twoPages();
    const { status, json, headers } = await search({ query: 'wading  birds' });
    assert.equal(status, 200);
    assert.match(json.request_id, /^req_[0-9a-f]{24}$/);
    assert.equal(headers.get('x-credits-remaining'), '1');
    const { request_id: _, ...rest } = json;
    assert.deepEqual(rest, {
      query: 'wading  birds',
      images: [],
      results: [
        {
          title: 'A',
          url: 'https://example.org/a',
          content: 'One. [...] Two.',
          raw_content: null,
          score: 0.9123,
          published_date: '2025-01-31',
        },
        { title: 'B', url: 'https://example.org/b', content: '', raw_content: null, score: 0.5 },
      ],
      response_time: 1.234,
    });
  });

  test('raw content is a text on every result when it is wanted', async () => {
    script = async () => twoPages();
    const { json } = await search({ query: 'q', include_raw_content: true });
    assert.deepEqual(
      json.results.map((result: { raw_content: string }) => result.raw_content),
      ['# A\n\nOne. Two.', ''],
    );
  });

  test('an answer is there when it is wanted: a quotation or null', async () => {
    const answered = async (parts: object): Promise<unknown[]> => {
      const { json } = await search({ query: 'q', ...parts });
      return Object.keys(json)
        .filter((name) => name.startsWith('answer'))
        .map((name) => [name, json[name]]);
    };
    assert.deepEqual(await answered({}), []);
    assert.deepEqual(await answered({ include_answer: 'advanced' }), [
      ['answer', null],
      ['answer_proof', null],
    ]);
    script = async () => searchAnswer({ answer: QUOTED });
    const { url, title, link } = QUOTED;
    const place = { start: 0, end: 8, heading_path: ['A'], link };
    assert.deepEqual(await answered({ include_answer: true }), [
      ['answer', 'It runs.'],
      ['answer_proof', { url, title, ...place, content_hash: 'sha256:00' }],
    ]);
    assert.deepEqual(await answered({ include_answer: 'false' }), []);
  });

  test('passages of an opened page have proofs beside them', async () => {
    const place = { start: 5, end: 9, link: 'https://example.org/a#:~:text=One%2E' };
    const [first, second] = twoPages().results;
    assert.ok(first && second);
    const highlightProofs = [{ ...place, headingPath: ['A'] }];
    script = async () =>
      searchAnswer({ results: [{ ...first, highlightProofs, contentHash: 'sha256:00' }, second] });
    const { json } = await search({ query: 'q' });
    const { content_proofs, content_hash } = json.results[0];
    assert.deepEqual(content_proofs, [{ ...place, heading_path: ['A'] }]);
    assert.equal(content_hash, 'sha256:00');
    for (const proof of ['content_proofs', 'content_hash']) assert.equal(proof in json.results[1], false);
  });

  test('usage and icons when they are wanted', async () => {
    const { json } = await search({ query: 'q', include_usage: true, include_favicon: true });
    assert.deepEqual(json.usage, { credits: 1 });
    assert.equal(json.results[0].favicon, 'https://example.org/favicon.ico');
  });

  test('a search that finds nothing', async () => {
    script = async () => searchAnswer({ results: [] });
    const { json } = await search({ query: 'q', max_results: 0 });
    assert.deepEqual([json.images, json.results], [[], []]);
    assert.equal(asked[0]?.numResults, 0);
  });
});

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
    [{ chunks_per_source: 'many' }, { text: null, highlights: passages(1) }],
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

describe('401', () => {
  test('an unknown key, wherever it stands', async () => {
    const answers = [
      await search({ query: 'q', api_key: 'nobody' }),
      await search({ query: 'q' }, { authorization: 'Bearer nobody' }),
    ];
    for (const { status, json } of answers) {
      assert.equal(status, 401);
      assert.deepEqual(json, { detail: { error: 'invalid_api_key' } });
    }
  });
});

describe('422', () => {
  const cases: [body: unknown, error: RegExp][] = [
    [{}, /^validation_error: query: is required$/],
    [{ query: '' }, /^validation_error: query: must not be empty$/],
    [{ query: 'q'.repeat(2_001) }, /^validation_error: query: must have at most 2,000 characters$/],
    [{ query: 'q', max_results: -1 }, /^validation_error: max_results: must be 0 or more$/],
    [{ query: 'q', max_results: 'many' }, /^validation_error: max_results: must be a whole number$/],
    [{ query: 'q', include_domains: [7] }, /^validation_error: include_domains\[0\]: must be a string$/],
    [{ query: 'q', exclude_domains: ['a b'] }, /^validation_error: exclude_domains: /],
    [{ query: 'q', include_domains: Array(101).fill('a.org') }, /^validation_error: include_domains: .*100/],
    [{ query: 'q', time_range: 'fortnight' }, /^validation_error: time_range: /],
    [{ query: 'q', start_date: '2026-02-30' }, /^validation_error: start_date: /],
    ['{"query":', /^validation_error: body: must be valid JSON$/],
    [[], /^validation_error: body: must be a JSON object$/],
  ];
  for (const [body, error] of cases)
    test(String(error), async () => {
      const { status, json } = await search(body);
      assert.equal(status, 422);
      assert.match(json.detail.error, error);
      assert.deepEqual(Object.keys(json), ['detail']);
    });
});

describe('other failures have the form of the shape', () => {
  test('503', async () => {
    script = async () => {
      throw new Failure('recall_unavailable', 'all sources are down');
    };
    const { status, json } = await search({ query: 'q' });
    assert.equal(status, 503);
    assert.deepEqual(json, { detail: { error: 'recall_unavailable' } });
  });

  test('413, 405 and 500', async () => {
    const large = await search(`{"query":"${'x'.repeat(1_050_000)}"}`);
    assert.deepEqual([large.status, large.json], [413, { detail: { error: 'request_too_large' } }]);
    const got = await app.get('/shapeB/search');
    assert.deepEqual([got.status, got.json], [405, { detail: { error: 'method_not_allowed' } }]);
    script = async () => {
      throw new TypeError('inside');
    };
    const broken = await search({ query: 'q' });
    assert.deepEqual([broken.status, broken.json], [500, { detail: { error: 'internal' } }]);
  });
});

describe('pictures', () => {
  const withImages = (): SearchAnswer => {
    const details = { image: 'https://example.org/og.jpg', favicon: 'https://example.org/i.svg', links: [] };
    const [first, second] = searchAnswer().results;
    const images = [
      { url: 'https://example.org/1.jpg', description: 'One' },
      { url: 'https://example.org/2.jpg', description: '' },
    ];
    return searchAnswer({
      results: [
        { ...first, details: { ...details, images } },
        { ...second, details: { ...details, images: [] } },
      ] as SearchAnswer['results'],
    });
  };

  test('are URLs, with descriptions if those are requested, and none unless requested', async () => {
    script = async () => withImages();
    const imagesOf = async (body: object): Promise<unknown> =>
      (await search({ query: 'q', ...body })).json.images;
    assert.deepEqual(await imagesOf({ include_images: true }), [
      'https://example.org/1.jpg',
      'https://example.org/2.jpg',
      'https://example.org/og.jpg',
    ]);
    assert.deepEqual(await imagesOf({ include_images: 'true', include_image_descriptions: true }), [
      { url: 'https://example.org/1.jpg', description: 'One' },
      { url: 'https://example.org/2.jpg', description: '' },
      { url: 'https://example.org/og.jpg', description: '' },
    ]);
    assert.deepEqual(await imagesOf({ include_image_descriptions: true }), []);
    assert.deepEqual(
      asked.map(({ details }) => details),
      [{ links: 0, images: 5 }, { links: 0, images: 5 }, undefined],
    );
  });

  test('the icon is the one that the page declares', async () => {
    script = async () => withImages();
    const { json } = await search({ query: 'q', include_favicon: true });
    assert.equal(json.results[0].favicon, 'https://example.org/i.svg');
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

describe('auto_parameters', () => {
  const chosenFor = async (body: object): Promise<unknown> =>
    (await search({ auto_parameters: true, ...body })).json.auto_parameters;
  test('choose what the caller left open, and say so', async () => {
    assert.deepEqual(await chosenFor({ query: 'latest news on the election' }), {
      topic: 'news',
      search_depth: 'basic',
    });
    assert.equal(asked[0]?.topic, 'news');
    assert.deepEqual(
      await chosenFor({
        query: 'which dividends did the five largest banks pay last year',
        topic: 'general',
      }),
      { topic: 'general', search_depth: 'advanced' },
    );
    assert.equal(asked[1]?.contents?.highlights?.perUrl, 3);
    assert.deepEqual(await chosenFor({ query: 'apple stock dividends', search_depth: 'fast' }), {
      topic: 'finance',
      search_depth: 'fast',
    });
  });
  test('nothing is chosen unless requested', async () => {
    const { json } = await search({ query: 'latest news on the election' });
    assert.equal('auto_parameters' in json, false);
    assert.equal(asked[0]?.topic, undefined);
  });
});
