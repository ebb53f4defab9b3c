import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import type { SearchAnswer } from '../../../src/search/search-types.ts';
import { searchAnswer } from '../../harness.ts';
import { scriptedSearch } from '../scripted-search.ts';

const service = scriptedSearch('/shapeB/search');
const { search } = service;

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
  text: 'It runs.',
  url: 'https://example.org/a',
  title: 'A',
  headingPath: ['A'],
  start: 0,
  end: 8,
  score: 0.9,
  contentHash: 'sha256:00',
  link: 'https://example.org/a#:~:text=It%20runs.',
};

describe('200', () => {
  test('the answer has every field of the contract and none that was not asked for', async () => {
    service.script = async () => twoPages();
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
    service.script = async () => twoPages();
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
    service.script = async () => searchAnswer({ answer: QUOTED });
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
    service.script = async () =>
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
    service.script = async () => searchAnswer({ results: [] });
    const { json } = await search({ query: 'q', max_results: 0 });
    assert.deepEqual([json.images, json.results], [[], []]);
    assert.equal(service.asked[0]?.numResults, 0);
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
    service.script = async () => {
      throw new Failure('recall_unavailable', 'all sources are down');
    };
    const { status, json } = await search({ query: 'q' });
    assert.equal(status, 503);
    assert.deepEqual(json, { detail: { error: 'recall_unavailable' } });
  });

  test('413, 405 and 500', async () => {
    const large = await search(`{"query":"${'x'.repeat(1_050_000)}"}`);
    assert.deepEqual([large.status, large.json], [413, { detail: { error: 'request_too_large' } }]);
    const got = await service.app.get('/shapeB/search');
    assert.deepEqual([got.status, got.json], [405, { detail: { error: 'method_not_allowed' } }]);
    service.script = async () => {
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
    service.script = async () => withImages();
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
      service.asked.map(({ details }) => details),
      [{ links: 0, images: 5 }, { links: 0, images: 5 }, undefined],
    );
  });

  test('the icon is the one that the page declares', async () => {
    service.script = async () => withImages();
    const { json } = await search({ query: 'q', include_favicon: true });
    assert.equal(json.results[0].favicon, 'https://example.org/i.svg');
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
    assert.equal(service.asked[0]?.topic, 'news');
    assert.deepEqual(
      await chosenFor({
        query: 'which dividends did the five largest banks pay last year',
        topic: 'general',
      }),
      { topic: 'general', search_depth: 'advanced' },
    );
    assert.equal(service.asked[1]?.contents?.highlights?.perUrl, 3);
    assert.deepEqual(await chosenFor({ query: 'apple stock dividends', search_depth: 'fast' }), {
      topic: 'finance',
      search_depth: 'fast',
    });
  });
  test('nothing is chosen unless requested', async () => {
    const { json } = await search({ query: 'latest news on the election' });
    assert.equal('auto_parameters' in json, false);
    assert.equal(service.asked[0]?.topic, undefined);
  });
});
