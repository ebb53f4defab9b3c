import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Answered } from '../harness.ts';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** What clients in Python send, as it was recorded, and what they read of the answers; A9 and B20 of the acceptance tests. */
let fixture: ClientFixture;
let page: string;
let send: (path: string, body: object) => Promise<Answered>;
before(async () => {
  fixture = await openClientFixture();
  page = `${fixture.site.origin}/sanderling`;
  const { post } = await fixture.served.owner();
  send = async (path, body) => {
    const answer = await post(path, body, { 'user-agent': 'python' });
    // These clients take every other success for an error.
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
});
after(() => fixture.close());

const QUERY = 'wading birds of sandy beaches';
const TEXT = { maxCharacters: 10_000 };

describe('exa-py', () => {
  const searches: [call: string, body: object, parts: string[]][] = [
    ['search', { contents: { text: TEXT } }, ['text']],
    ['search(contents=False)', {}, []],
    [
      'search_and_contents(highlights=True)',
      { contents: { text: TEXT, highlights: true } },
      ['text', 'highlights', 'highlightScores'],
    ],
    ['search_and_contents, 1.14.9', { contents: { text: true }, numResults: 2 }, ['text']],
    ['search, 1.0.7', { useAutoprompt: true, numResults: 3 }, []],
    ['search(contents={"pruned_context": True})', { contents: { prunedContext: true } }, ['prunedContext']],
  ];
  for (const [call, body, parts] of searches)
    test(call, async () => {
      const { json } = await send('/search', { query: QUERY, ...body });
      assert.ok(json.results.length > 0);
      for (const result of json.results) {
        assert.equal(result.id, result.url);
        for (const part of ['text', 'highlights', 'highlightScores', 'prunedContext'])
          assert.equal(part in result, parts.includes(part), part);
        if (parts.includes('text')) assert.ok(result.text.length > 0);
      }
      assert.equal(json.costDollars.total, 0.001);
      assert.equal(typeof json.searchTime, 'number');
    });

  const contents: [call: string, body: () => object][] = [
    ['A9 get_contents', () => ({ urls: [page], text: TEXT })],
    ['get_contents(highlights=True)', () => ({ urls: [page], highlights: true, text: TEXT })],
    ['get_contents, 1.0.7', () => ({ ids: [page], text: true })],
  ];
  for (const [call, body] of contents)
    test(call, async () => {
      const { json } = await send('/contents', body());
      const [{ text, highlights }] = json.results;
      assert.ok(text.length > 0);
      if (call !== 'get_contents, 1.0.7') assert.ok(text.length <= 10_000);
      assert.equal(Array.isArray(highlights), 'highlights' in body());
      // An older version takes these three names and no other.
      assert.deepEqual(Object.keys(json.statuses[0]), ['id', 'status', 'source']);
    });

  test('find_similar', async () => {
    const { json } = await send('/findSimilar', { url: page, contents: { text: TEXT } });
    assert.ok(json.results.length > 0);
    for (const { text } of json.results) assert.equal(typeof text, 'string');
  });

  test('answer', async () => {
    const { json } = await send('/answer', { query: QUERY, stream: false, text: false });
    assert.ok(json.answer === null || typeof json.answer === 'string');
    for (const name of ['id', 'url', 'title', 'publishedDate', 'author'])
      assert.ok(name in json.citations[0], name);
  });

  test('research is told not to be there, in JSON', async () => {
    const { post, get } = await fixture.served.owner();
    const answers = [
      await post('/research/v1', { instructions: QUERY, model: 'exa-research-fast' }),
      await get('/research/v1?limit=10'),
    ];
    for (const { status, json } of answers) assert.deepEqual([status, json.error], [404, 'not_found']);
  });
});

describe('tavily-python', () => {
  const searches: [call: string, body: object][] = [
    ['search', {}],
    [
      'qna_search',
      {
        search_depth: 'advanced',
        topic: 'general',
        days: 7,
        include_answer: true,
        include_raw_content: false,
        max_results: 5,
        include_images: false,
      },
    ],
    [
      'get_search_context',
      {
        search_depth: 'basic',
        topic: 'general',
        days: 7,
        include_answer: false,
        include_raw_content: false,
        max_results: 5,
        include_images: false,
      },
    ],
    ['get_company_info', { topic: 'finance', search_depth: 'advanced', max_results: 5 }],
    ['search with nothing in its options', { time_range: null, country: null, start_date: null, days: null }],
  ];
  for (const [call, body] of searches)
    test(`${call}`, async () => {
      const { json } = await send('/shapeB/search', { query: QUERY, ...body });
      assert.ok(json.results.length > 0);
      // Read without a look.
      for (const { url, content, score } of json.results)
        assert.deepEqual([typeof url, typeof content, typeof score], ['string', 'string', 'number']);
      assert.equal('answer' in json, call === 'qna_search');
    });

  for (const urls of ['one', 'list'])
    test(`extract of ${urls}`, async () => {
      const { json } = await send('/shapeB/extract', { urls: urls === 'one' ? page : [page], timeout: 30 });
      assert.equal(json.results.length, 1);
      assert.deepEqual(json.failed_results, []);
    });
});
