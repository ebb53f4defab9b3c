import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import type { ResearchAnswer, ResearchRequest } from '../../../src/research/research.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { type Answered, researchAnswer, type Served, serveScripted } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';

let app: Served;
let asked: ResearchRequest[] = [];
let script: () => Promise<ResearchAnswer>;
const research = async (request: ResearchRequest): Promise<ResearchAnswer> => {
  asked.push(request);
  return script();
};

before(async () => {
  app = await serveScripted({ research });
});
beforeEach(() => {
  asked = [];
  script = async () => researchAnswer();
});
after(() => app.close());

const post = (body: unknown): Promise<Answered> => app.post('/v1/research', body);

/** What the operation was asked for, without its signal. */
async function understood(body: unknown): Promise<Omit<ResearchRequest, 'signal'>> {
  const { status, text } = await post(body);
  assert.equal(status, 200, text);
  const [{ signal: _, tenant: _tenant, keep: _keep, ...request }] = asked.splice(0) as [ResearchRequest];
  return request;
}

describe('200', () => {
  test('a question that nothing answers says so', async () => {
    script = async () => ({ ...researchAnswer(), evidence: [] });
    const none = await post({ question: 'who' });
    assert.match(none.json.unanswered, /No page that was found answers/);
    script = async () => ({ ...researchAnswer(), isWeak: true });
    const weak = await post({ question: 'who' });
    assert.match(weak.json.unanswered, /hardly answer/);
  });

  test('an evidence pack', async () => {
    const { json, status } = await post({ question: 'who and when', unknown: 1 });
    assert.equal(status, 200);
    const { requestId, service, ...pack } = json;
    assert.match(requestId, /./);
    assert.deepEqual(pack, {
      question: 'who and when',
      facets: [
        { facet: 'who and when', query: 'who and when', kind: 'question', found: ['e1'], searches: 1 },
        { facet: 'who', query: 'who', kind: 'clause', found: [], searches: 1 },
      ],
      unanswered: null,
      evidence: [
        {
          id: 'e1',
          quote: 'It was built in 1889.',
          url: 'https://example.org/a',
          title: 'A',
          publishedDate: '2025-01-31',
          headingPath: ['A', 'History'],
          start: 10,
          end: 31,
          link: 'https://example.org/a#:~:text=It%20was',
          contentHash: `sha256:${'0a'.repeat(32)}`,
          facets: ['who and when'],
          score: 0.9123,
        },
      ],
      agreements: [{ what: 'A: building', value: '1889', sources: ['e1', 'e2'] }],
      disagreements: [],
      notFound: [{ facet: 'who', why: 'Its search found no page.' }],
      budget: { searches: 3, pages: 4, seconds: 1.2, credits: 2, tokens: 6 },
      costDollars: { total: 0.002 },
    });
    assert.deepEqual(service, {
      searches: [
        { query: 'who and when', ok: true, ms: 4, results: 0 },
        { query: 'who', ok: true, ms: 5, results: 0 },
        { query: 'when', ok: false, ms: 6, error: 'recall_unavailable' },
      ],
      pages: { opened: 4, failed: 1 },
      cutShort: false,
      timingsMs: { search: 9, total: 1_234 },
      ignored: ['unknown'],
    });
  });

  test('the defaults; without a key at most three searches', async () => {
    assert.deepEqual(await understood({ question: 'q' }), {
      question: 'q',
      maxSearches: 3,
      maxPages: 15,
      maxSeconds: 30,
      maxTokens: 4_000,
      includeDomains: [],
      excludeDomains: [],
      publishedFrom: null,
      publishedTo: null,
    });
  });

  test('every field, in both spellings; query is another name of question', async () => {
    const request = await understood({
      query: 'q',
      max_searches: 2,
      maxPages: 30,
      max_seconds: 60,
      maxTokens: 20_000,
      include_domains: ['a.org'],
      excludeDomains: ['b.org'],
      start_published_date: '2025-01-31',
      endPublishedDate: '2025-02-28',
    });
    assert.deepEqual(request, {
      question: 'q',
      maxSearches: 2,
      maxPages: 30,
      maxSeconds: 60,
      maxTokens: 20_000,
      includeDomains: ['a.org'],
      excludeDomains: ['b.org'],
      publishedFrom: '2025-01-31',
      publishedTo: '2025-02-28',
    });
    assert.equal((await understood({ question: 'mine', query: 'other' })).question, 'mine');
  });
});

describe('422', () => {
  const wrong: [field: string, body: Record<string, unknown>][] = [
    ['question', {}],
    ['question', { question: ' ' }],
    ['question', { question: 'x'.repeat(2_001) }],
    ['question', { query: 7 }],
    ...Object.entries({ maxSearches: 11, maxPages: 31, maxSeconds: 61, maxTokens: 20_001 }).flatMap(
      ([field, most]): [string, Record<string, unknown>][] => [
        [field, { question: 'q', [field]: most }],
        [field, { question: 'q', [field]: 0 }],
        [field, { question: 'q', [field]: '5' }],
      ],
    ),
    ['includeDomains[0]', { question: 'q', includeDomains: ['not a domain'] }],
    ['startPublishedDate', { question: 'q', startPublishedDate: 'soon' }],
  ];
  for (const [field, body] of wrong)
    test(`${field} ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const { status, json } = await post(body);
      assert.deepEqual([status, json.error, json.details[0].field], [422, 'validation_error', field]);
      assert.deepEqual(asked, []);
    });
});

describe('503', () => {
  test('recall_unavailable', async () => {
    script = async () => {
      throw new Failure('recall_unavailable', 'No search source answered; try again in a moment.');
    };
    const { status, json } = await post({ question: 'q' });
    assert.deepEqual([status, json.error], [503, 'recall_unavailable']);
  });
});

await describeOnStores('charging research', (databaseUrl) => {
  let fixture: ChargedFixture;
  before(async () => {
    fixture = await openChargedFixture(databaseUrl, { trustProxy: 1, research });
  });
  after(() => fixture.close());

  const withKey = async (credits: number) => {
    const { apiKey, keyId } = await fixture.billing.keys.create({ credits, label: null });
    return { keyId, headers: { 'x-api-key': apiKey } };
  };

  test('a credit for each search that answered, the rest is given back', async () => {
    const { keyId, headers } = await withKey(20);
    const answer = await fixture.served.post('/v1/research', { question: 'q' }, headers);
    assert.deepEqual([answer.status, answer.headers.get('x-credits-remaining')], [200, '18']);
    assert.equal(asked[0]?.maxSearches, 5);
    assert.equal(await fixture.billing.ledger.available(keyId), 18);
  });

  test('when it fails nothing is charged', async () => {
    script = async () => {
      throw new Failure('recall_unavailable', 'all sources are down');
    };
    const { keyId, headers } = await withKey(7);
    const answer = await fixture.served.post('/v1/research', { question: 'q' }, headers);
    assert.deepEqual([answer.status, answer.headers.get('x-credits-remaining')], [503, '7']);
    assert.equal(await fixture.billing.ledger.available(keyId), 7);
  });

  test('with fewer credits than searches it runs as many as there are', async () => {
    const { headers } = await withKey(2);
    const answer = await fixture.served.post('/v1/research', { question: 'q', maxSearches: 5 }, headers);
    assert.deepEqual([answer.status, answer.headers.get('x-credits-remaining')], [200, '0']);
    assert.equal(asked[0]?.maxSearches, 2);
  });

  test('without credits it is refused and nothing is done', async () => {
    const { headers } = await withKey(0);
    const answer = await fixture.served.post('/v1/research', { question: 'q' }, headers);
    assert.deepEqual([answer.status, answer.json.error], [402, 'insufficient_credits']);
    assert.deepEqual(asked, []);
  });

  test('without a key it is one request of the allowance', async () => {
    const address = { 'x-forwarded-for': '203.0.113.77' };
    const answer = await fixture.served.post('/v1/research', { question: 'q' }, address);
    assert.deepEqual([answer.status, answer.headers.get('x-credits-remaining')], [200, '24']);
    assert.equal(asked[0]?.maxSearches, 3);
  });
});
