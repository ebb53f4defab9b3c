import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../../../src/contract/errors.ts';
import type { Answered } from '../../harness.ts';
import {
  accountOf,
  describeCharging,
  entriesOf,
  fixture,
  freshAddress,
  type Headers,
  newKey,
  operate,
  PAGES,
  posted,
  remainingAfter,
  type Send,
  usedBy,
} from './charging-fixture.ts';

const got =
  (path: string): Send =>
  (headers) =>
    fixture.served.get(path, headers);

/** A priced route with what it uses when all goes well, and calls that are valid, invalid, unreadable and too large. */
type Priced = {
  name: string;
  used: number;
  valid: Send;
  bad: [status: number, code: string, send: Send][];
  /** The status that asks for a payment: each shape has its own. */
  unpaid?: 402 | 432;
};

const postRoute = (path: string, used: number, valid: object): Priced => ({
  name: `POST ${path}`,
  used,
  valid: posted(path, valid),
  bad: [
    [422, 'validation_error', posted(path, { query: 7, urls: 7 })],
    [422, 'validation_error', posted(path, '{"query":')],
    [422, 'validation_error', posted(path, '')],
    [413, 'request_too_large', posted(path, `{"query":"${'x'.repeat(1_050_000)}"}`)],
  ],
});

const ROUTES: Priced[] = [
  ...['/v1/search', '/search', '/shapeA/search'].map((path) => postRoute(path, 1, { query: 'q' })),
  ...['/v1/findSimilar', '/findSimilar', '/shapeA/findSimilar'].map((path) =>
    postRoute(path, 1, { url: 'https://example.org/a' }),
  ),
  ...['/v1/contents', '/contents', '/shapeA/contents'].map((path) => postRoute(path, 2, { urls: PAGES })),
  { ...postRoute('/shapeB/search', 1, { query: 'q', include_usage: true }), unpaid: 432 },
  { ...postRoute('/shapeB/extract', 2, { urls: PAGES, include_usage: true }), unpaid: 432 },
  {
    name: 'GET /r/{url}',
    used: 1,
    valid: got('/r/https://example.org/'),
    bad: [
      [422, 'validation_error', got(`/r/https://example.org/?q=${'x'.repeat(2_001)}`)],
      [400, 'url_not_allowed', got('/r/')],
    ],
  },
];

const FAILURES: [status: number, code: string, failure: () => Error][] = [
  [400, 'url_not_allowed', () => new Failure('url_not_allowed', 'it is private')],
  [502, 'fetch_failed', () => createFetchFailure('dns', 'no such host')],
  [503, 'recall_unavailable', () => new Failure('recall_unavailable', 'all sources are down')],
  [503, 'overloaded', () => new Failure('overloaded', 'too much waits')],
  [500, 'internal', () => new TypeError('broken inside')],
];

/** A search opens pages without failing by them; of several pages each fails alone. */
function canFailBy(route: string, code: string): boolean {
  if (route.endsWith('/search')) return code !== 'url_not_allowed' && code !== 'fetch_failed';
  return !(/contents|extract/.test(route) && code === 'fetch_failed');
}

await describeCharging(() => {
  for (const route of ROUTES) describe(route.name, () => chargesRoute(route));
});

function chargesRoute({ name, used, valid, bad, unpaid = 402 }: Priced): void {
  const heldMost = 10;

  test(`200: ${used} of the key's credits are used, and the header tells the rest`, async () => {
    const key = await newKey(heldMost);
    const { status, headers, json } = await valid(key.headers);
    assert.deepEqual([status, headers.get('x-credits-remaining')], [200, String(heldMost - used)]);
    if (json !== undefined) assert.equal(json.usage?.credits ?? json.costDollars.total * 1_000, used);
    assert.deepEqual(await accountOf(key.keyId), { available: heldMost - used, held: 0 });
  });

  test('200 without a key: one of the free requests', async () => {
    assert.equal(await remainingAfter(valid, freshAddress()), '24');
  });

  const failing: [status: number, code: string, send: Send, failure: (() => Error) | null][] = [
    ...bad.map(([status, code, send]) => [status, code, send, null] as const),
    ...FAILURES.filter(([, code]) => canFailBy(name, code)).map(
      ([status, code, failure]) => [status, code, valid, failure] as const,
    ),
  ].map((row) => [...row]);
  for (const [status, code, send, failure] of failing) {
    test(`${status} ${code}: no credit is kept, a free request is`, async () => {
      operate(async () => {
        if (failure !== null) throw failure();
      });
      const key = await newKey(heldMost);
      const answer = await send(key.headers);
      assert.deepEqual([answer.status, codeOf(answer)], [status, code]);
      assert.equal(answer.headers.get('x-credits-remaining'), String(heldMost));
      assert.deepEqual(await accountOf(key.keyId), { available: heldMost, held: 0 });
      assert.equal(await entriesOf(key.keyId), 1);

      const address = freshAddress();
      const keyless = await send(address);
      assert.deepEqual([keyless.status, keyless.headers.get('x-credits-remaining')], [status, '24']);
      operate(async () => null);
      assert.equal(await remainingAfter(valid, address), '23');
    });
  }

  test('401: an unknown key', async () => {
    const answer = await valid({ 'x-api-key': 'sdl_nobody' });
    const remaining = answer.headers.get('x-credits-remaining');
    assert.deepEqual([answer.status, codeOf(answer), remaining], [401, 'invalid_api_key', '0']);
  });

  test(`${unpaid}: a key without credits, and an address without free requests`, async () => {
    const assertUnpaid = unpaid === 432 ? assertSecondShapeUnpaid : assertPaymentRequired;
    const key = await newKey(0);
    const refused = await valid(key.headers);
    assertUnpaid(refused, 'insufficient_credits');
    assert.deepEqual(await accountOf(key.keyId), { available: 0, held: 0 });

    const address = freshAddress();
    for (let call = 0; call < 25; call++) await valid(address);
    for (let call = 0; call < 2; call++) assertUnpaid(await valid(address), 'keyless_limit');
    assert.equal(await usedBy(address), 25);
  });

  test('a call that outlives its time: no credit is kept, a free request is', async (t) => {
    const key = await newKey(heldMost);
    const address = freshAddress();
    for (const headers of [key.headers, address]) {
      const started = Promise.withResolvers<void>();
      operate(() => {
        started.resolve();
        return new Promise(() => {});
      });
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const sent = valid(headers);
      await started.promise;
      // First the notice, then the end.
      t.mock.timers.tick(30_000);
      t.mock.timers.tick(30_000);
      t.mock.timers.reset();
      const answer = await sent;
      assert.ok(answer.status === 503 || answer.status === 502, String(answer.status));
      assert.equal(answer.headers.get('x-credits-remaining'), headers === address ? '24' : String(heldMost));
    }
    assert.deepEqual(await accountOf(key.keyId), { available: heldMost, held: 0 });
    assert.equal(await usedBy(address), 1);
  });

  test('a caller that hangs up: no credit is kept, a free request is', async () => {
    const key = await newKey(heldMost);
    const address = freshAddress();
    for (const headers of [key.headers, address]) {
      const started = Promise.withResolvers<AbortSignal>();
      operate((signal) => {
        started.resolve(signal);
        return new Promise(() => {});
      });
      const sent = sendRaw(valid, headers);
      const aborted = once(await started.promise, 'abort');
      sent.destroy();
      await aborted;
    }
    await untilNothingIsHeld(key.keyId);
    assert.deepEqual(await accountOf(key.keyId), { available: heldMost, held: 0 });
    assert.equal(await usedBy(address), 1);
  });
}

/** The code of a failure in either shape. */
function codeOf({ json }: Answered): string {
  return (json.detail?.error ?? json.error).split(':', 1)[0];
}

/** The link stands in the text; the second form is for callers without a key alone. */
function assertSecondShapeUnpaid({ status, json, headers }: Answered, code: string): void {
  assert.equal(status, 432);
  assert.match(json.detail.error, new RegExp(`^${code}: .*${fixture.served.address}/buy/instant`));
  assert.match(headers.get('x-payment-url') ?? '', /\/buy\/instant/);
  assert.equal(headers.get('x-credits-remaining'), '0');
  if (code === 'insufficient_credits') assert.deepEqual(Object.keys(json), ['detail']);
  else assert.equal(json.error.code, 'keyless_limit');
}

function assertPaymentRequired({ status, json, headers }: Answered, code: string): void {
  const base = fixture.served.address;
  assert.equal(status, 402);
  assert.equal(json.error, code);
  assert.match(json.message, new RegExp(`${base}/buy/instant`));
  // A key that ran out is topped up; whoever has none buys one.
  const [link, reference] = json.checkout_url.split('?k=');
  assert.equal(link, `${base}/buy/instant`);
  assert.equal(reference !== undefined, code === 'insufficient_credits');
  assert.equal(json.pricing.usd_per_credit, 0.001);
  assert.deepEqual(json.packs[0], {
    pack: 'instant',
    price_usd: 15,
    credits: 15_000,
    url: json.checkout_url,
  });
  assert.deepEqual(
    [json.action.type, json.action.url, typeof json.action.prompt_to_user],
    ['payment_link', `${base}/buy/instant`, 'string'],
  );
  assert.equal(headers.get('x-payment-url'), json.checkout_url);
  assert.equal(headers.get('x-credits-remaining'), '0');
}

async function untilNothingIsHeld(keyId: string): Promise<void> {
  while ((await accountOf(keyId))?.held !== 0) await new Promise((resolve) => setImmediate(resolve));
}

/** A request over a connection that the test can break: what `send` would have sent. */
function sendRaw(send: Send, headers: Headers): ReturnType<typeof request> {
  const sent: ReturnType<typeof request>[] = [];
  const { get, post } = fixture.served;
  const raw = (method: string, path: string, body: string | null, more: Headers): Promise<never> => {
    const client = request(fixture.served.address + path, { method, headers: more });
    client.on('error', () => {});
    client.end(body ?? undefined);
    sent.push(client);
    return new Promise(() => {});
  };
  fixture.served.get = (path, more = {}) => raw('GET', path, null, more);
  fixture.served.post = (path, body, more = {}) => raw('POST', path, JSON.stringify(body), more);
  void send(headers);
  Object.assign(fixture.served, { get, post });
  return sent[0] ?? assert.fail('nothing was sent');
}
