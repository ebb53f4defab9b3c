import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../../../src/contract/errors.ts';
import type { VerifyAnswer, VerifyRequest } from '../../../src/search/verify.ts';
import type { Answered } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';

const URL = 'https://example.org/sanderling';
const HASH = `sha256:${'0a'.repeat(32)}`;
const ANSWER: VerifyAnswer = {
  url: URL,
  contentHash: HASH,
  changed: true,
  cache: 'hit',
  quotes: [
    {
      quote: 'It lays four eggs.',
      found: 'normalized',
      start: 7,
      end: 27,
      headingPath: ['Eggs'],
      link: `${URL}#:~:text=It%20lays%20four%20eggs%2E`,
    },
    { quote: 'It lays nine.', found: 'no', start: null, end: null, headingPath: null, link: null },
  ],
};

let fixture: ChargedFixture;
let asked: VerifyRequest[] = [];
let script: () => Promise<VerifyAnswer>;

before(async () => {
  fixture = await openChargedFixture(null, {
    trustProxy: 1,
    verify: (request) => {
      asked.push(request);
      return script();
    },
  });
});
beforeEach(() => {
  asked = [];
  script = async () => ANSWER;
});
after(() => fixture.close());

let caller = 0;
/** Each call comes from an address of its own, or from the one that is given. */
const from = (): Record<string, string> => ({ 'x-forwarded-for': `198.51.100.${++caller}` });
const verify = (body: unknown, headers = from()): Promise<Answered> =>
  fixture.served.post('/v1/verify', body, headers);

describe('200', () => {
  test('tells of each quotation where it stands, and of the page what it is', async () => {
    const { status, json, headers } = await verify({
      url: URL,
      quotes: ['It lays four eggs.', 'It lays nine.'],
    });
    assert.equal(status, 200);
    assert.equal(headers.get('x-request-id'), json.requestId);
    const { requestId: _, ...rest } = json;
    const page = { contentHash: HASH, changed: true };
    assert.deepEqual(rest, {
      url: URL,
      ...page,
      results: ANSWER.quotes.map((quote) => ({ ...quote, ...page })),
      costDollars: { total: 0 },
    });
  });

  test('quote and quotes together, both spellings of the hash', async () => {
    await verify({ url: ` ${URL} `, quote: 'one', quotes: ['two'], contentHash: HASH });
    await verify({ url: URL, quote: 'one', content_hash: HASH });
    await verify({ url: URL, quotes: ['two'] });
    assert.deepEqual(
      asked.map(({ signal: _, tenant: _tenant, keep: _keep, keptOnly: _keptOnly, ...request }) => request),
      [
        { url: URL, quotes: ['one', 'two'], contentHash: HASH },
        { url: URL, quotes: ['one'], contentHash: HASH },
        { url: URL, quotes: ['two'], contentHash: null },
      ],
    );
  });

  test('costs a key nothing, one without credits included', async () => {
    for (const credits of [5, 0]) {
      const { apiKey, keyId } = await fixture.billing.keys.create({ credits, label: null });
      const { status, headers } = await verify({ url: URL, quote: 'one' }, { 'x-api-key': apiKey });
      assert.deepEqual([status, headers.get('x-credits-remaining')], [200, String(credits)]);
      assert.equal(await fixture.billing.ledger.available(keyId), credits);
    }
  });

  test('without a key it is one of the requests of the day', async () => {
    const address = from();
    const first = await verify({ url: URL, quote: 'one' }, address);
    const second = await verify({ url: URL, quote: 'one' }, address);
    assert.equal(first.headers.get('x-credits-remaining'), '24');
    assert.equal(second.headers.get('x-credits-remaining'), '23');
  });
});

describe('402', () => {
  test('insufficient_credits, for a key without credits when no copy of the page is kept', async () => {
    script = async () => {
      throw createFetchFailure('not_kept', 'no copy of the page is kept');
    };
    const { apiKey } = await fixture.billing.keys.create({ credits: 0, label: null });
    const { status, json, headers } = await verify({ url: URL, quote: 'one' }, { 'x-api-key': apiKey });
    assert.deepEqual([status, json.error], [402, 'insufficient_credits']);
    assert.match(json.message, /^This page is not cached/);
    assert.ok(headers.get('x-payment-url'));
    assert.equal(headers.get('x-credits-remaining'), '0');
  });

  test('a page is fetched only for who could pay: a key with credits, or a free request of the day', async () => {
    const rich = await fixture.billing.keys.create({ credits: 1, label: null });
    const empty = await fixture.billing.keys.create({ credits: 0, label: null });
    for (const headers of [{ 'x-api-key': rich.apiKey }, { 'x-api-key': empty.apiKey }, from()])
      assert.equal((await verify({ url: URL, quote: 'one' }, headers)).status, 200);
    const last = from();
    for (let left = 24; left >= 0; left--) await verify({ url: URL, quote: 'one' }, last);
    assert.deepEqual(
      asked.slice(0, 3).map(({ keptOnly }) => keptOnly),
      [false, true, false],
    );
    assert.equal(asked.at(-1)?.keptOnly, false);
  });

  test('keyless_limit, before anything is fetched', async () => {
    const address = from();
    for (let left = 24; left >= 0; left--) await verify({ url: URL, quote: 'one' }, address);
    asked = [];
    const { status, json } = await verify({ url: URL, quote: 'one' }, address);
    assert.deepEqual([status, json.error, asked.length], [402, 'keyless_limit', 0]);
  });
});

const failures: [status: number, failure: Failure][] = [
  [400, new Failure('url_not_allowed', 'This address is not public.')],
  [502, createFetchFailure('http_status', 'The page answered 404.', { httpStatus: 404 })],
  [503, new Failure('overloaded', 'The page could not be searched in time.')],
];
for (const [expected, failure] of failures)
  describe(String(expected), () => {
    test(failure.code, async () => {
      script = async () => {
        throw failure;
      };
      const { status, json } = await verify({ url: URL, quote: 'one' });
      assert.deepEqual([status, json.error, json.message], [expected, failure.code, failure.message]);
    });
  });

describe('422', () => {
  const long = 'a'.repeat(5_001);
  const table: [body: unknown, field: string, message: RegExp][] = [
    [{}, 'url', /^is required$/],
    [{ url: null, quote: 'one' }, 'url', /^is required$/],
    [{ url: 7, quote: 'one' }, 'url', /^must be a string$/],
    [{ url: URL }, 'quotes', /must hold 1 to 20 quotations, or quote one/],
    [{ url: URL, quotes: [] }, 'quotes', /must hold 1 to 20/],
    [{ url: URL, quotes: 'one' }, 'quotes', /must be an array of strings/],
    [{ url: URL, quotes: ['one', 7] }, 'quotes[1]', /must be a string/],
    [{ url: URL, quotes: Array.from({ length: 21 }, () => 'one') }, 'quotes', /at most 20 quotations/],
    [
      { url: URL, quote: 'x', quotes: Array.from({ length: 20 }, () => 'one') },
      'quotes',
      /together with quote/,
    ],
    [{ url: URL, quote: long }, 'quote', /at most 5,000 characters/],
    [{ url: URL, quote: '' }, 'quote', /must not be empty/],
    [{ url: URL, quotes: ['one', ' \n '] }, 'quotes[1]', /must not be empty/],
    [{ url: URL, quote: 'one', contentHash: 'abc' }, 'contentHash', /"sha256:" and 64 hexadecimal digits/],
    [{ url: URL, quote: 'one', contentHash: 7 }, 'contentHash', /must be a string/],
  ];
  for (const [body, field, message] of table)
    test(`${field}: ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const { status, json } = await verify(body);
      assert.equal(status, 422);
      assert.equal(json.details[0].field, field);
      assert.match(json.details[0].message, message);
      assert.equal(asked.length, 0);
    });
});

test('405 for another method', async () => {
  assert.equal((await fixture.served.get('/v1/verify')).status, 405);
});
