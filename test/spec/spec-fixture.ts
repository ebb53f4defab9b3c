import type { Outside } from '../../src/app/compose-services.ts';
import { startDns } from '../fixtures/dns-server.ts';
import { settingsOf } from '../fixtures/recall-fixture.ts';
import { type FakeStripe, startStripe } from '../fixtures/stripe/fake-stripe.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../harness.ts';
import { type MovableClock, movableClock } from '../http/calls/charged-service.ts';
import type { Case, Sent } from './spec-case.ts';
import { foundFor, SITE_PAGES } from './spec-site.ts';

/** The whole service over loopback: a small web, one upstream source, a name server, a payment provider and a clock. */
export type SpecFixture = {
  served: RealServed;
  site: FakeWeb;
  upstream: Upstream;
  stripe: FakeStripe;
  clock: MovableClock;
  /** A caller with an address and, unless keyless, a key of its own. */
  actor(wanted: Pick<Case, 'as' | 'credits' | 'link' | 'card'>): Promise<Actor>;
  /** The placeholders of a text, or of all texts within, replaced. */
  filled<T>(value: T, actor: Actor): T;
  close(): Promise<void>;
};

export type Actor = {
  /** Credits that the key began with. */
  given: number;
  apiKey: string;
  /** Path of the page that the payment led to. */
  success: string;
  /** Addresses of its own: one of IPv4, the first three numbers of a network, the first three groups of an IPv6 network. */
  ip: string;
  net: string;
  net6: string;
  send(request: Sent): Promise<Answered>;
  credits(): Promise<number>;
  /** Free requests that the address has left today. */
  freeRequests(): Promise<number>;
};

export const NOON = '2026-11-21T12:00:00Z';
/** "25 requests per IP address per UTC day" (interface: Limits). */
export const FREE_REQUESTS = 25;
export const SITE_URL = 'http://site.example.org';

let actors = 0;

/** Starts everything anew; settings as in the environment. */
export async function openSpecFixture(
  settings: Record<string, string> = {},
  outside: Outside = {},
): Promise<SpecFixture> {
  const clock = movableClock(NOON);
  const site = await startWeb({ address: '127.10.0.1', routes: SITE_PAGES });
  const dns = await startDns({
    '*.example': ['127.10.0.1'],
    'private.example.org': ['10.1.2.3'],
    'half.example.org': ['93.184.215.14', '10.1.2.3'],
  });
  const upstream = await startUpstream();
  upstream.play('searxng', { mode: 'ok', items: (asked) => foundFor(asked, site.port) });
  const stripe = await startStripe({ clock });
  const served = await serveReal(
    {
      ...settingsOf(upstream, ['searxng']),
      RECALL: 'index,searxng',
      DNS_SERVERS: dns.address,
      FETCH_ALLOW_PRIVATE: '127.10.0.0/24',
      TRUST_PROXY: '1',
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRET: 'whsec_current',
      STRIPE_API_BASE: stripe.origin,
      SITE_URL,
      ...settings,
    },
    { clock, ...outside },
  );
  stripe.webhooks.register({ url: `${served.address}/webhooks/stripe`, secret: 'whsec_current' });
  if (settings.FETCH_ALLOW_PRIVATE !== '')
    await readFirst(served, [`${site.origin}/birds`, `${site.origin}/undated`]);
  const fixture: SpecFixture = {
    served,
    site,
    upstream,
    stripe,
    clock,
    actor: (wanted) => newActor(fixture, wanted),
    filled: (value, actor) => fill(value, placeholders(fixture, actor)),
    async close() {
      await served.close();
      await stripe.close();
      await upstream.close();
      await dns.close();
      await site.close();
    },
  };
  return fixture;
}

/** Pages that the local index knows from the start; indexing goes on behind the answer. */
async function readFirst({ owner, services }: RealServed, urls: string[]): Promise<void> {
  const { post } = await owner();
  const { json, text } = await post('/v1/contents', { urls });
  if (json.results?.length !== urls.length) throw new Error(text);
  await waitFor(async () => (await services.index.size()).pages >= urls.length);
}

const CREDITS = 10;

async function newActor(fixture: SpecFixture, wanted: Parameters<SpecFixture['actor']>[0]): Promise<Actor> {
  const { served, clock } = fixture;
  clock.set(NOON);
  actors += 1;
  const net = `20.${actors >> 8}.${actors & 255}`;
  const ip = `${net}.7`;
  const { given, apiKey, success } =
    wanted.as === 'owner' ? await boughtKey(fixture, { ...wanted, ip }) : await givenKey(fixture, wanted);
  const withKey = wanted.as !== 'placed' && wanted.as !== 'keyless';
  const actor: Actor = {
    given,
    apiKey,
    success,
    net,
    ip,
    net6: `2001:db8:${actors.toString(16)}`,
    async send(request) {
      if (request.at !== undefined) clock.set(request.at);
      let answer = await sendOnce(fixture, { actor, request, withKey });
      for (let time = 1; time < (request.times ?? 1); time++)
        answer = await sendOnce(fixture, { actor, request, withKey });
      const { indexed } = fixture.filled(request, actor);
      if (indexed !== undefined)
        await waitFor(async () => (await served.services.index.get(indexed)) !== null);
      return answer;
    },
    async credits() {
      const { json } = await served.get('/v1/balance', { 'x-api-key': apiKey });
      return json.credits;
    },
    freeRequests: async () => (await served.billing.meter.remaining({ kind: 'keyless', address: ip })) ?? 0,
  };
  return actor;
}

type Held = Pick<Actor, 'given' | 'apiKey' | 'success'>;

async function givenKey({ served }: SpecFixture, { credits = CREDITS }: { credits?: number }): Promise<Held> {
  const { apiKey } = await served.billing.keys.create({ credits, label: null });
  return { given: credits, apiKey, success: '/success' };
}

/** The way of a buyer: link, payment page, success page. */
async function boughtKey(
  { served, stripe }: SpecFixture,
  { link = 'auto_reload=1', card = 'ok', ip }: Pick<Case, 'link' | 'card'> & { ip: string },
): Promise<Held> {
  const headers = { 'x-forwarded-for': ip };
  const opened = await served.get(`/buy/instant?${link}`, headers);
  const session = new URL(opened.headers.get('location') ?? '').pathname.split('/').at(-1) ?? '';
  const success = stripe.buyer(session, 'pay', card).replace(SITE_URL, '');
  const { text } = await served.get(success, headers);
  const apiKey = /id="key"[^>]*>([^<]+)</.exec(text)?.[1];
  if (apiKey === undefined) throw new Error(`the success page shows no key: ${text.slice(0, 500)}`);
  return { given: 15_000, apiKey, success };
}

async function sendOnce(
  fixture: SpecFixture,
  { actor, request, withKey }: { actor: Actor; request: Sent; withKey: boolean },
): Promise<Answered> {
  const { served } = fixture;
  const { body, path, from = '{ip}', headers = {}, ...rest } = fixture.filled(request, actor);
  const method = rest.method ?? (body === undefined ? 'GET' : 'POST');
  const sent = {
    'x-forwarded-for': fixture.filled(from, actor),
    ...(withKey ? { 'x-api-key': actor.apiKey } : {}),
    ...headers,
  };
  if (method === 'GET' || method === 'POST') {
    const answer = await (method === 'GET' ? served.get(path, sent) : served.post(path, body, sent));
    // A purchase that the call set off goes as far as it can.
    await served.billing.background.drain();
    return answer;
  }
  const response = await fetch(served.address + path, { method, headers: sent, redirect: 'manual' });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

function placeholders({ served, site, stripe }: SpecFixture, actor: Actor): Map<string, string> {
  return new Map([
    ['{site}', site.origin],
    ['{site%}', encodeURIComponent(site.origin)],
    ['{port}', String(site.port)],
    ['{base_url}', served.address],
    ['{site_url}', SITE_URL],
    ['{key}', actor.apiKey],
    ['{ip}', actor.ip],
    ['{net}', actor.net],
    ['{success}', actor.success],
    ['{success?}', actor.success.split('?')[1] ?? ''],
    ['{checkout}', stripe.origin],
    ['{net6}', actor.net6],
  ]);
}

function fill<T>(value: T, known: Map<string, string>): T;
function fill(value: unknown, known: Map<string, string>): unknown {
  if (typeof value === 'string')
    return value.includes('{') && value.length < 10_000
      ? value.replace(/\{[a-z_0-9%?]+\}/g, (name) => known.get(name) ?? name)
      : value;
  if (Array.isArray(value)) return value.map((item) => fill(item, known));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, known)]));
}
