import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Checkouts, CheckoutView } from '../../../src/billing/payments/checkouts.ts';
import { Failure } from '../../../src/contract/errors.ts';
import { type Answered, type Served, serveScripted } from '../../harness.ts';
import { unscriptedDeps } from '../../unscripted.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
const PROOF = 'session_id=cs_1&n=secret';
const KEY = 'sdl_abc-123';

const fulfilled = {
  kind: 'fulfilled',
  pack: 'builder',
  credits: 60_000,
  apiKey: KEY,
  toppedUp: false,
  hint: 'sdl_abc',
  autoReload: {
    enabled: false,
    threshold: 1_000,
    pack: 'builder',
    capCents: 50_000,
    spentThisMonthCents: 0,
    lastError: null,
    hasCard: true,
    card: null,
  },
} as const satisfies CheckoutView;

let app: Served;
let view: CheckoutView;
let configured: Parameters<Checkouts['configure']>[];
let configure: Checkouts['configure'];

beforeEach(async () => {
  view = fulfilled;
  configured = [];
  configure = async () => fulfilled.autoReload;
  app = await serveScripted({
    checkouts: {
      ...unscriptedDeps().checkouts,
      view: async ({ checkoutId, nonce }) =>
        checkoutId === 'cs_1' && nonce === 'secret' ? view : { kind: 'unknown' },
      configure: (...given) => {
        configured.push(given);
        return configure(...given);
      },
    },
  });
});
afterEach(() => app.close());

const save = (fields: Record<string, string>): Promise<Answered> =>
  app.post('/success', `${PROOF}&${new URLSearchParams(fields)}`, FORM);

describe('GET /success', () => {
  test('the key, what to do with it, and scripts that run by their hashes alone', async () => {
    const { status, text, headers } = await app.get(`/success?${PROOF}`);
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('referrer-policy'), 'same-origin');
    assert.match(text, new RegExp(`id="key"[^>]*>${KEY}<`));
    assert.match(text, new RegExp(`x-api-key: ${KEY}`));
    const scripts = [...text.matchAll(/<script type="module">([\s\S]*?)<\/script>/g)].map(
      ([, code]) => code ?? '',
    );
    const hashes = scripts.map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`);
    assert.ok(headers.get('content-security-policy')?.includes(`script-src ${hashes.join(' ')};`));
    assert.deepEqual([scripts.length, text.match(/<script/g)?.length], [2, 2]);
  });

  test('a key that was shown before is not there', async () => {
    view = { ...fulfilled, apiKey: null };
    const { text } = await app.get(`/success?${PROOF}`);
    assert.match(text, /has already been shown/);
    assert.doesNotMatch(text, /id="key"/);
  });

  test('credits that went to a key that its owner has', async () => {
    view = { ...fulfilled, apiKey: null, toppedUp: true };
    assert.match((await app.get(`/success?${PROOF}`)).text, /60,000 credits were added to <code>sdl_abc…/);
  });

  test('without a saved card there is no form, but a way', async () => {
    view = { ...fulfilled, autoReload: { ...fulfilled.autoReload, hasCard: false, card: null } };
    const { text } = await app.get(`/success?${PROOF}`);
    assert.doesNotMatch(text, /<form[^>]*action="\/success"/);
    assert.match(text, /href="\/pricing\?auto_reload=1"/);
  });

  test('pending: looks again every two seconds for a minute, then waits to be asked', async () => {
    view = { kind: 'pending' };
    let path = `/success?${PROOF}`;
    let looks = 0;
    for (; looks < 100; looks++) {
      const { headers, text } = await app.get(path);
      assert.match(text, /href="\/success\?session_id=cs_1&amp;n=secret&amp;poll=0"/);
      const next = /^2; url=(.*)$/.exec(headers.get('refresh') ?? '')?.[1];
      if (next === undefined) break;
      path = next;
    }
    assert.equal(looks, 30);
    view = fulfilled;
    assert.match((await app.get(path)).text, new RegExp(KEY));
  });

  for (const kind of ['expired', 'unknown'] as const)
    test(`404: ${kind}`, async () => {
      view = { kind };
      const { status, text, headers } = await app.get(`/success?${PROOF}`);
      assert.equal(status, 404);
      assert.equal(headers.get('refresh'), null);
      assert.match(text, kind === 'expired' ? /This payment expired/ : /Unknown payment/);
    });

  test('404: half a proof, a wrong one, an endless one', async () => {
    for (const query of [
      'session_id=cs_1',
      'n=secret',
      'session_id=cs_1&n=guess',
      `session_id=cs_1&n=${'n'.repeat(400)}`,
    ])
      assert.equal((await app.get(`/success?${query}`)).status, 404, query);
  });

  test('405: a look alone does not count as showing the key', async () => {
    assert.equal((await fetch(`${app.address}/success?${PROOF}`, { method: 'HEAD' })).status, 405);
  });
});

describe('POST /success', () => {
  test('303: a cap above that of the interface, by the proof of the page', async () => {
    const { status, headers } = await save({
      auto_reload: '1',
      threshold: '5000',
      reload_pack: 'scale',
      monthly_max_usd: '2500',
    });
    assert.equal(status, 303);
    assert.equal(headers.get('location'), `/success?${PROOF}&saved=1`);
    assert.deepEqual(configured, [
      [
        { checkoutId: 'cs_1', nonce: 'secret' },
        { enabled: true, threshold: 5_000, pack: 'scale', capCents: 250_000 },
      ],
    ]);
    assert.match((await app.get(headers.get('location') ?? '')).text, /role="status">Saved\./);
  });

  test('422: a field that cannot be used; the key is still there', async () => {
    const { status, text } = await save({ auto_reload: '1', threshold: '99', monthly_max_usd: '100001' });
    assert.equal(status, 422);
    assert.match(text, /id="threshold-problem"/);
    assert.match(text, /id="monthly_max_usd-problem"/);
    assert.match(text, new RegExp(KEY));
    assert.equal(configured.length, 0);
  });

  test('409: the card is gone', async () => {
    configure = async () => {
      throw new Failure('no_payment_method', 'The key has no saved card.');
    };
    assert.equal((await save({ auto_reload: '1' })).status, 409);
  });

  test('404: invalid credentials, or none', async () => {
    configure = async () => null;
    assert.equal((await save({ auto_reload: '1' })).status, 404);
    assert.equal((await app.post('/success', 'auto_reload=1', FORM)).status, 404);
  });

  test('500 is a page too', async () => {
    configure = async () => {
      throw new Error('broken');
    };
    const { status, text } = await save({ auto_reload: '1' });
    assert.equal(status, 500);
    assert.match(text, /This is our fault/);
  });
});
