import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { CheckoutRequest } from '../../src/billing/payments/checkouts.ts';
import { Failure } from '../../src/contract/errors.ts';
import { OPENINGS_PER_HOUR } from '../../src/contract/limits.ts';
import { type Served, serveScripted } from '../harness.ts';
import { unscriptedDeps } from '../unscripted.ts';
import { movableClock } from './calls/charged-service.ts';

const PAYMENT_PAGE = 'https://pay.example.org/c/1';
const BROWSER = { accept: 'text/html,*/*;q=0.8' };
const clock = movableClock('2026-11-21T12:00:00Z');

let app: Served;
let opened: CheckoutRequest[];
let open: () => Promise<{ url: string }>;

beforeEach(async () => {
  opened = [];
  open = async () => ({ url: PAYMENT_PAGE });
  app = await serveScripted({
    clock,
    trustProxy: 1,
    readTopUp: (text) => (text === 'signed.well' ? 'key_1' : null),
    checkouts: {
      ...unscriptedDeps().checkouts,
      open: (wanted) => {
        opened.push(wanted);
        return open();
      },
    },
  });
});
afterEach(() => app.close());

describe('303', () => {
  const links: [link: string, wanted: CheckoutRequest][] = [
    ['/buy/instant', { pack: 'instant', topUp: null, autoReload: null }],
    ['/buy/scale/', { pack: 'scale', topUp: null, autoReload: null }],
    [
      '/buy/builder?threshold=200&reload_pack=scale&monthly_max_usd=150',
      { pack: 'builder', topUp: null, autoReload: null },
    ],
    [
      '/buy/builder?auto_reload=1',
      { pack: 'builder', topUp: null, autoReload: { threshold: 1_000, pack: 'builder', capCents: 50_000 } },
    ],
    [
      '/buy/instant?auto_reload=1&threshold=100000&reload_pack=scale&monthly_max_usd=19.99&k=signed.well',
      { pack: 'instant', topUp: 'key_1', autoReload: { threshold: 100_000, pack: 'scale', capCents: 1_999 } },
    ],
    [
      '/buy/instant?auto_reload=1&threshold=100&reload_pack=&monthly_max_usd=500&k=&utm=x',
      { pack: 'instant', topUp: null, autoReload: { threshold: 100, pack: 'builder', capCents: 50_000 } },
    ],
  ];
  for (const [link, wanted] of links)
    test(link, async () => {
      const { status, headers, text } = await app.get(link);
      assert.equal(status, 303);
      assert.equal(headers.get('location'), PAYMENT_PAGE);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(text, '');
      assert.deepEqual(opened, [wanted]);
    });
});

test('404: no such pack; a program reads JSON, a person a page', async () => {
  const { status, json } = await app.get('/buy/everything');
  assert.deepEqual([status, json.error], [404, 'not_found']);
  const shown = await app.get('/buy/everything', BROWSER);
  assert.equal(shown.status, 404);
  assert.match(shown.headers.get('content-type') ?? '', /^text\/html/);
  assert.equal(opened.length, 0);
});

describe('422', () => {
  const bad: [query: string, field: string][] = [
    ['auto_reload=0', 'auto_reload'],
    ['auto_reload=true', 'auto_reload'],
    ['threshold=99', 'threshold'],
    ['threshold=100001', 'threshold'],
    ['threshold=1e3', 'threshold'],
    ['threshold=1000.5', 'threshold'],
    ['threshold=-1000', 'threshold'],
    ['reload_pack=Builder', 'reload_pack'],
    ['reload_pack=__proto__', 'reload_pack'],
    ['monthly_max_usd=0', 'monthly_max_usd'],
    ['monthly_max_usd=0.00', 'monthly_max_usd'],
    ['monthly_max_usd=500.01', 'monthly_max_usd'],
    ['monthly_max_usd=0.001', 'monthly_max_usd'],
    ['monthly_max_usd=0.99', 'monthly_max_usd'],
    ['monthly_max_usd=NaN', 'monthly_max_usd'],
    ['k=forged', 'k'],
  ];
  for (const [query, field] of bad)
    test(query, async () => {
      const { status, json } = await app.get(`/buy/instant?${query}`);
      assert.deepEqual([status, json.error, json.details[0].field], [422, 'validation_error', field]);
      assert.equal(opened.length, 0);
    });

  test('a person reads which field it is', async () => {
    const { status, text } = await app.get('/buy/instant?threshold=5', BROWSER);
    assert.equal(status, 422);
    assert.match(text, /<code>threshold<\/code> must be a whole number from 100 to 100,000/);
  });
});

test('405: a look alone opens nothing', async () => {
  const response = await fetch(`${app.address}/buy/instant`, { method: 'HEAD' });
  assert.equal(response.status, 405);
  assert.equal(response.headers.get('allow'), 'GET, OPTIONS');
  assert.equal(opened.length, 0);
});

describe('503', () => {
  test('twenty openings an hour from one address, then a time to come back', async () => {
    const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
    clock.set('2026-11-21T12:59:00Z');
    for (let times = 0; times < OPENINGS_PER_HOUR; times++)
      assert.equal((await app.get('/buy/instant', from(`2001:db8::${times}`))).status, 303);
    const refused = await app.get('/buy/instant', from('2001:db8::ffff'));
    assert.deepEqual([refused.status, refused.json.error], [503, 'overloaded']);
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.equal((await app.get('/buy/instant', from('2001:db8:0:1::1'))).status, 303);
    clock.set('2026-11-21T13:00:00Z');
    assert.equal((await app.get('/buy/instant', from('2001:db8::1'))).status, 303);
  });

  test('bad links do not count as openings', async () => {
    for (let times = 0; times <= OPENINGS_PER_HOUR; times++) await app.get('/buy/instant?threshold=1');
    assert.equal((await app.get('/buy/instant')).status, 303);
  });

  test('no payment page can be had', async () => {
    open = async () => {
      throw new Failure('payment_unavailable', 'The payment page cannot be opened.');
    };
    assert.equal((await app.get('/buy/instant')).json.error, 'payment_unavailable');
    const { status, text } = await app.get('/buy/instant', BROWSER);
    assert.equal(status, 503);
    assert.match(text, /<h1>Temporarily unavailable<\/h1>/);
  });
});
