import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { SandboxCheckout } from '../../../src/billing/payments/providers/sandbox-objects.ts';
import { type Answered, type Served, serveScripted } from '../../harness.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };

let app: Served;
let checkout: SandboxCheckout;
let goTo: string | null;
let acted: string[];

beforeEach(async () => {
  checkout = {
    id: 'a/b',
    state: 'open',
    cents: 1_500,
    description: '15,000 credits',
    terms: null,
    lastError: null,
  };
  goTo = null;
  acted = [];
  app = await serveScripted({
    sandboxPage: {
      get: async (id) => (id === checkout.id ? checkout : null),
      async act(id, action) {
        acted.push(`${id} ${action}`);
        return { goTo };
      },
    },
  });
});
afterEach(() => app.close());

const PATH = '/sandbox/pay/a%2Fb';
const act = (action: string): Promise<Answered> => app.post(PATH, `action=${action}`, FORM);

test('says loudly that no money moves, what it costs and on what terms', async () => {
  checkout.terms = 'Your card is saved.';
  const { status, text } = await app.get(PATH);
  assert.equal(status, 200);
  assert.match(text, /SANDBOX: no money moves\./);
  assert.match(text, /\$15</);
  assert.match(text, /Your card is saved\./);
  assert.equal(text.match(/name="action"/g)?.length, 5);
});

test('its buttons lead where the stand-in says, or back to the page', async () => {
  goTo = 'http://site.example.org/success?session_id=a&n=b';
  assert.deepEqual([(await act('pay')).status, (await act('pay')).headers.get('location')], [303, goTo]);
  goTo = null;
  assert.equal((await act('decline')).headers.get('location'), PATH);
  assert.deepEqual(acted, ['a/b pay', 'a/b pay', 'a/b decline']);
});

test('the last attempt is shown; authentication asks for confirmation', async () => {
  checkout.lastError = 'card_declined';
  assert.match((await app.get(PATH)).text, /role="alert">The card was declined/);
  checkout.lastError = 'authentication_required';
  assert.match((await app.get(PATH)).text, /value="authenticate">Confirm the payment</);
});

for (const state of ['paid', 'expired'] as const)
  test(`${state}: there is nothing left to press`, async () => {
    checkout.state = state;
    assert.doesNotMatch((await app.get(PATH)).text, /<form/);
  });

test('422: a button that is not there; 404: a payment that is not there', async () => {
  assert.equal((await act('steal')).status, 422);
  assert.deepEqual(acted, []);
  assert.equal((await app.get('/sandbox/pay/x')).status, 404);
  assert.equal((await app.post('/sandbox/pay/x', 'action=pay', FORM)).status, 404);
});

test('404 where a real provider takes the payments', async () => {
  const real = await serveScripted({ sandboxPage: null });
  assert.equal((await real.get(PATH)).status, 404);
  await real.close();
});
