import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import type { SearchRequest } from '../../../src/search/search-types.ts';
import { type Answered, searchAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';

const asked: SearchRequest[] = [];
let fixture: ChargedFixture;
let key: Record<string, string>;
before(async () => {
  fixture = await openChargedFixture(null, {
    search: async (request) => {
      asked.push(request);
      if (request.query === 'down') throw new Failure('recall_unavailable', 'No source answered.');
      if (request.query === 'broken') throw new TypeError('broken inside');
      const result = { score: 1, publishedDay: '2025-01-31' };
      const shared = {
        ...result,
        url: 'https://example.org/shared',
        title: 'Shared',
        highlights: ['s'.repeat(400)],
      };
      const own = { ...result, url: `https://example.org/${request.query}`, title: request.query };
      return searchAnswer({ results: [{ ...own, highlights: ['a'.repeat(400), 'b'.repeat(400)] }, shared] });
    },
  });
  key = {
    authorization: `Bearer ${(await fixture.billing.keys.create({ credits: 100, label: null })).apiKey}`,
  };
});
after(() => fixture.close());

function send(body: object): Promise<Answered> {
  asked.length = 0;
  return fixture.served.post('/pplx/search', body, key);
}
const urlsOf = ({ json }: Answered): string[] =>
  json.results.map(({ url }: { url: string }) => url.split('/').at(-1));

describe('200', () => {
  test('the fields of a result', async () => {
    const { status, json } = await send({ query: 'knots', max_results: 2 });
    assert.equal(status, 200);
    assert.deepEqual(json.results[0], {
      title: 'knots',
      url: 'https://example.org/knots',
      date: '2025-01-31',
      last_updated: null,
      snippet: `${'a'.repeat(400)}\n\n${'b'.repeat(400)}`,
    });
    assert.match(json.id, /^req_/);
    assert.equal('server_time' in json, false);
    assert.equal(typeof (await send({ query: 'q', display_server_time: true })).json.server_time, 'string');
  });

  test('several queries: one search and one credit each, results in turns, every page once', async () => {
    const before = Number((await send({ query: 'one' })).headers.get('x-credits-remaining'));
    const answer = await send({ query: ['one', 'two', 'three'], max_results: 5 });
    assert.deepEqual(urlsOf(answer), ['one', 'two', 'three', 'shared']);
    assert.equal(asked.length, 3);
    assert.equal(answer.headers.get('x-credits-remaining'), String(before - 3));
  });

  test('a query that fails beside others is free', async () => {
    const before = Number((await send({ query: 'one' })).headers.get('x-credits-remaining'));
    const answer = await send({ query: ['down', 'two'] });
    assert.deepEqual(urlsOf(answer), ['two', 'shared']);
    assert.equal(answer.headers.get('x-credits-remaining'), String(before - 1));
  });

  test('the budgets of tokens', async () => {
    const { json } = await send({ query: 'q', max_tokens: 250, max_tokens_per_page: 2_000 });
    assert.deepEqual(
      json.results.map(({ snippet }: { snippet: string }) => snippet.length),
      [802, 0],
    );
    assert.equal(asked[0]?.contents?.highlights?.perUrl, 11);
  });

  test('the filters', async () => {
    await send({
      query: 'q',
      search_domain_filter: ['a.org', '-b.org'],
      search_after_date_filter: '3/1/2025',
      search_before_date_filter: '12/31/2025',
    });
    const [{ includeDomains, excludeDomains, publishedFrom, publishedTo }] = asked as [SearchRequest];
    assert.deepEqual([includeDomains, excludeDomains], [['a.org'], ['b.org']]);
    assert.deepEqual([publishedFrom, publishedTo], ['2025-03-01', '2025-12-31']);
    for (const word of ['hour', 'day', 'week', 'month', 'year']) {
      await send({ query: 'q', search_recency_filter: word });
      assert.equal(asked[0]?.publishedFrom === null, false, word);
    }
  });

  test('null is absent, and what has no effect is named', async () => {
    const answer = await send({ query: 'q', country: 'US', search_mode: 'web', search_recency_filter: null });
    assert.deepEqual(
      [answer.status, answer.headers.get('x-ignored-parameters')],
      [200, 'country, search_mode'],
    );
  });
});

describe('failures', () => {
  const wrong: [body: object, status: number, message: RegExp][] = [
    [{}, 422, /^query: is required/],
    [{ query: [] }, 422, /^query: must have 1 to 5/],
    [{ query: new Array(6).fill('q') }, 422, /^query: must have 1 to 5/],
    [{ query: ['q', ''] }, 422, /^query\[1\]: must not be empty/],
    [{ query: 'q', max_results: 0 }, 422, /^max_results: must be 1/],
    [{ query: 'q', search_domain_filter: ['-'] }, 422, /^search_domain_filter: must hold domains/],
    [
      { query: 'q', search_after_date_filter: '13/41/2025' },
      422,
      /^search_after_date_filter: must be a date/,
    ],
    [{ query: 'q', search_recency_filter: 'decade' }, 422, /^search_recency_filter: must be day/],
    [{ query: ['down', 'down'] }, 503, /No source answered/],
    [{ query: ['broken', 'q'] }, 500, /Something went wrong/],
  ];
  for (const [body, status, message] of wrong)
    test(`${status} ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const answer = await send(body);
      assert.deepEqual([answer.status, answer.json.error.code], [status, status]);
      assert.match(answer.json.error.message, message);
    });
});
