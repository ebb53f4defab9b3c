import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { movedClock } from '../moved-clock.ts';
import { API_VERSION } from './objects.ts';
import { type StripeWorld, startStripe } from './stripe-world.ts';

/** The played Stripe keeps Stripe's own rules, seen without the client. */
let world: StripeWorld;
const clock = movedClock();
before(async () => {
  world = await startStripe({ clock });
});
after(() => world.close());

type Reply = {
  status: number;
  replayed: boolean;
  body: Record<string, unknown>;
  problem: Record<string, unknown>;
};

async function call(
  path: string,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(world.origin + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.secretKey}`,
      'stripe-version': API_VERSION,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams(form).toString(),
  });
  const body = (await response.json()) as Reply['body'];
  const replayed = response.headers.get('idempotent-replayed') === 'true';
  return { status: response.status, replayed, body, problem: (body.error ?? {}) as Reply['problem'] };
}

const SESSION = {
  mode: 'payment',
  success_url: 'https://site.example/success?id={CHECKOUT_SESSION_ID}',
  'line_items[0][quantity]': '1',
  'line_items[0][price_data][currency]': 'usd',
  'line_items[0][price_data][unit_amount]': '5000',
  'line_items[0][price_data][product_data][name]': 'Credits',
};

describe('a call is refused', () => {
  const rows: [name: string, form: Record<string, string>, code: string, param: string][] = [
    [
      'with payment_method_types',
      { 'payment_method_types[0]': 'card' },
      'parameter_unknown',
      'payment_method_types',
    ],
    ['with a parameter that nobody knows', { colour: 'red' }, 'parameter_unknown', 'colour'],
    [
      'with one deep inside',
      { 'line_items[0][price_data][colour]': 'red' },
      'parameter_unknown',
      'line_items[0][price_data][colour]',
    ],
    ['without a mode', { mode: '' }, 'parameter_missing', 'mode'],
    [
      'with a sum that is no number',
      { 'line_items[0][quantity]': 'one' },
      'parameter_invalid_integer',
      'line_items[0][quantity]',
    ],
    ['with an address that is none', { success_url: '/success' }, 'url_invalid', 'success_url'],
  ];
  for (const [name, form, code, param] of rows) {
    test(name, async () => {
      const entries = Object.entries({ ...SESSION, ...form }).filter(([, value]) => value !== '');
      const { status, problem } = await call('/v1/checkout/sessions', Object.fromEntries(entries));
      assert.equal(status, 400);
      assert.deepEqual({ code: problem.code, param: problem.param }, { code, param });
    });
  }

  test('with another secret, in another version, and where there is nothing', async () => {
    const unknown = await call('/v1/checkout/sessions', SESSION, { authorization: 'Bearer sk_test_other' });
    assert.equal(unknown.status, 401);
    const old = await call('/v1/checkout/sessions', SESSION, { 'stripe-version': '2020-08-27' });
    assert.equal(old.status, 400);
    assert.equal((await call('/v1/charges', {})).status, 404);
  });
});

describe('an idempotency key', () => {
  test('repeats an answer, whatever it was, to the same request', async () => {
    const key = { 'idempotency-key': 'same' };
    const first = await call('/v1/checkout/sessions', SESSION, key);
    const again = await call('/v1/checkout/sessions', SESSION, key);
    assert.deepEqual(again.body, first.body);
    assert.deepEqual([first.replayed, again.replayed], [false, true]);
  });

  test('repeats declines and failures too', async () => {
    const { customer, card } = world.saveCard('card_declined');
    const intent = { amount: '5000', currency: 'usd', customer, payment_method: card };
    const { body } = await call('/v1/payment_intents', intent);
    const confirm = (): Promise<Reply> =>
      call(
        `/v1/payment_intents/${body.id}/confirm`,
        { off_session: 'true' },
        { 'idempotency-key': 'declined' },
      );
    assert.deepEqual([(await confirm()).status, (await confirm()).status], [402, 402]);
    world.faults.inject(/payment_intents$/, 'fail');
    const create = (): Promise<Reply> => call('/v1/payment_intents', intent, { 'idempotency-key': 'failed' });
    assert.deepEqual([(await create()).status, (await create()).status], [500, 500]);
  });

  test('is good for one request only', async () => {
    const key = { 'idempotency-key': 'other' };
    await call('/v1/checkout/sessions', SESSION, key);
    const { status, problem } = await call('/v1/checkout/sessions', { ...SESSION, mode: 'setup' }, key);
    assert.deepEqual([status, problem.type], [400, 'idempotency_error']);
  });

  test('is not spent on a request that was never understood', async () => {
    const key = { 'idempotency-key': 'misspelt' };
    assert.equal((await call('/v1/checkout/sessions', { ...SESSION, colour: 'red' }, key)).status, 400);
    assert.equal((await call('/v1/checkout/sessions', SESSION, key)).status, 200);
  });

  test('is forgotten after a day', async () => {
    const key = { 'idempotency-key': 'day' };
    const first = await call('/v1/checkout/sessions', SESSION, key);
    clock.advance(86_399_999);
    assert.equal((await call('/v1/checkout/sessions', SESSION, key)).replayed, true);
    clock.advance(1);
    const later = await call('/v1/checkout/sessions', SESSION, key);
    assert.equal(later.replayed, false);
    assert.notEqual(later.body.id, first.body.id);
  });
});

test('a buyer walks over the page by its buttons', async () => {
  const { body } = await call('/v1/checkout/sessions', SESSION);
  const page = await (await fetch(String(body.url))).text();
  assert.match(page, /Pay 50\.00 USD/);
  const press = (action: string): Promise<Response> =>
    fetch(`${world.origin}/_test/checkout/${body.id}/${action}`, { method: 'POST', redirect: 'manual' });
  const declined = await press('fail');
  assert.equal(declined.headers.get('location'), body.url);
  assert.match(await (await fetch(String(body.url))).text(), /Your card was declined/);
  const paid = await press('pay');
  assert.equal(paid.headers.get('location'), `https://site.example/success?id=${body.id}`);
  assert.equal((await press('pay')).status, 400, 'only once');
  assert.deepEqual(
    world.journal.map(({ kind, cents }) => ({ kind, cents })),
    [{ kind: 'charge', cents: 5_000 }],
  );
});
