import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { describeOnStores } from '../../fixtures/postgres.ts';
import {
  type Answered,
  contentsAnswer,
  readAnswer,
  rerankAnswer,
  researchAnswer,
  searchAnswer,
  verifyAnswer,
} from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from './charged-service.ts';

/** Every priced route, for every kind of caller, under every mode of metering: the status, what is charged and what is said. */

let addresses = 0;

type Headers = Record<string, string>;
type PricedCall = {
  name: string;
  /** Credits that the call uses. */
  used: number;
  unpaid: 402 | 432;
  send(fixture: ChargedFixture, headers: Headers): Promise<Answered>;
  /** The credits that the body states. */
  stated(json: Answered['json']): number | undefined;
  /** Its body states no cost. */
  isSilent?: true;
};

const inDollars: PricedCall['stated'] = (json) =>
  json.costDollars === undefined ? undefined : Math.round(json.costDollars.total * 1_000);
const inUsage: PricedCall['stated'] = (json) => json.usage?.credits;

const first = (path: string, used: number, body: object): PricedCall => ({
  name: `POST ${path}`,
  used,
  unpaid: 402,
  stated: inDollars,
  send: ({ served }, headers) => served.post(path, body, headers),
});
/** The routes that answer with text unless JSON alone is accepted. */
const inJson = (path: string, body: object): PricedCall => ({
  ...first(path, 1, body),
  send: ({ served }, headers) => served.post(path, body, { ...headers, accept: 'application/json' }),
});
const second = (path: string, used: number, body: object): PricedCall => ({
  ...first(path, used, { ...body, include_usage: true }),
  unpaid: 432,
  stated: inUsage,
});

const silent = (name: string, used: number, send: PricedCall['send']): PricedCall => ({
  name,
  used,
  unpaid: 402,
  stated: () => undefined,
  isSilent: true,
  send,
});

const URL_A = 'https://example.org/a';
const ROUTES: PricedCall[] = [
  first('/v1/search', 1, { query: 'q' }),
  first('/v1/findSimilar', 1, { url: URL_A }),
  first('/v1/contents', 1, { urls: [URL_A] }),
  first('/v1/research', 2, { question: 'who and when', maxSearches: 3 }),
  first('/v1/verify', 0, { url: URL_A, quote: 'one' }),
  inJson('/r', { url: URL_A }),
  inJson('/s', { q: 'q' }),
  {
    name: 'GET /s/{query}',
    used: 1,
    unpaid: 402,
    stated: inDollars,
    send: ({ served }, headers) => served.get('/s/q', { ...headers, accept: 'application/json' }),
  },
  first('/v1/rerank', 2, { query: 'q', documents: new Array(101).fill('one') }),
  second('/shapeB/search', 1, { query: 'q' }),
  second('/shapeB/extract', 1, { urls: [URL_A] }),
  second('/shapeB/crawl', 3, { url: URL_A, limit: 3 }),
  second('/shapeB/map', 1, { url: URL_A }),
  silent('GET /r/{url}', 1, ({ served }, headers) => served.get(`/r/${URL_A}`, headers)),
  silent('GET /searxng/search', 1, ({ served }, headers) => served.get('/searxng/search?q=q', headers)),
  silent('POST /searxng/search', 1, ({ served }, headers) => served.post('/searxng/search', 'q=q', headers)),
  silent('POST /openwebui/search', 1, ({ served }, headers) =>
    served.post('/openwebui/search', { query: 'q' }, headers),
  ),
  silent('POST /openwebui/load', 1, ({ served }, headers) =>
    served.post('/openwebui/load', { urls: [URL_A] }, headers),
  ),
  silent('POST /pplx/search', 2, ({ served }, headers) =>
    served.post('/pplx/search', { query: ['q', 'r'] }, headers),
  ),
  silent('POST /linkup/v1/search', 1, ({ served }, headers) =>
    served.post('/linkup/v1/search', { q: 'q' }, headers),
  ),
  silent('POST /linkup/v1/fetch', 1, ({ served }, headers) =>
    served.post('/linkup/v1/fetch', { url: URL_A }, headers),
  ),
  silent('GET /res/v1/web/search', 1, ({ served }, headers) => served.get('/res/v1/web/search?q=q', headers)),
  silent('GET /res/v1/llm/context', 1, ({ served }, headers) =>
    served.get('/res/v1/llm/context?q=q', headers),
  ),
];

const OPERATIONS: Parameters<typeof openChargedFixture>[1] = {
  trustProxy: 1,
  search: async () => searchAnswer(),
  similar: async () => searchAnswer(),
  contents: async () => contentsAnswer(),
  research: async () => researchAnswer(),
  verify: async () => verifyAnswer(),
  rerank: rerankAnswer,
  read: async () => readAnswer(),
  siteCrawl: async () =>
    ['a', 'b', 'c'].map((name) => ({
      url: `https://example.org/${name}`,
      title: name,
      text: name,
      passages: null,
      late: [],
    })),
  siteMap: async () => [URL_A],
};

type Mode = {
  name: string;
  settings: Record<string, string>;
  metered: boolean;
  network: boolean;
  perDay: number;
};
const NETWORK = '198.18.0.0/15';
const MODES: Mode[] = [
  { name: 'the interface', settings: {}, metered: true, network: false, perDay: 25 },
  {
    name: `UNMETERED_NETWORKS=${NETWORK}`,
    settings: { UNMETERED_NETWORKS: NETWORK },
    metered: true,
    network: true,
    perDay: 25,
  },
  { name: 'KEYLESS_PER_DAY=3', settings: { KEYLESS_PER_DAY: '3' }, metered: true, network: false, perDay: 3 },
  {
    name: 'KEYLESS_PER_DAY=0 and a network',
    settings: { KEYLESS_PER_DAY: '0', UNMETERED_NETWORKS: NETWORK },
    metered: true,
    network: true,
    perDay: 0,
  },
  { name: 'METERING=off', settings: { METERING: 'off' }, metered: false, network: false, perDay: 25 },
];

/** Who calls: with which key, and from where. */
const KINDS = [
  'nobody',
  'nobody, all requests used',
  'a key with 10 credits',
  'a key without credits',
  'an unknown key',
] as const;
const PLACES = ['outside', 'inside'] as const;
type Who = { kind: (typeof KINDS)[number]; place: (typeof PLACES)[number] };

type Outcome = {
  status: number;
  /** The header. */
  remaining: string | null;
  stated: number | undefined;
  /** Credits taken from the key, and requests counted against the address. */
  taken: number;
  counted: number;
};

/** What has to happen, from the rules alone. */
function expected(route: PricedCall, { kind, place }: Who, { metered, network, perDay }: Mode): Outcome {
  const free = { taken: 0, counted: 0 };
  if (!metered) return { status: 200, remaining: null, stated: undefined, ...free };
  const isFree = network && place === 'inside';
  const credits = kind === 'a key with 10 credits' ? 10 : 0;
  const left = kind === 'nobody' ? perDay : 0;
  const states = (used: number): number | undefined => (route.isSilent ? undefined : used);
  const refused = (status: number): Outcome => ({ status, remaining: '0', stated: undefined, ...free });
  if (kind === 'an unknown key') return refused(401);
  if (kind.startsWith('a key')) {
    if (isFree) return { status: 200, remaining: String(credits), stated: states(0), ...free };
    if (credits < route.used) return refused(route.unpaid);
    const { used } = route;
    return { status: 200, remaining: String(credits - used), stated: states(used), taken: used, counted: 0 };
  }
  if (isFree) return { status: 200, remaining: String(left), stated: states(0), ...free };
  if (perDay === 0) return refused(401);
  if (left === 0) return refused(route.unpaid);
  return { status: 200, remaining: String(left - 1), stated: states(route.used), taken: 0, counted: 1 };
}

/** One mode on both stores: modes differ above the ledger, whose contracts hold for both. */
const describeMode = async ({ name }: Mode, suite: (databaseUrl: string | null) => void): Promise<void> => {
  if (name === MODES[0]?.name) await describeOnStores(name, suite);
  else describe(`${name}, on SQLite`, () => suite(null));
};

for (const mode of MODES)
  await describeMode(mode, (databaseUrl) => {
    let fixture: ChargedFixture;
    before(async () => {
      fixture = await openChargedFixture(databaseUrl, OPERATIONS, mode.settings);
    });
    after(() => fixture.close());

    for (const kind of KINDS)
      for (const place of PLACES)
        describe(`${kind}, ${place}`, () => {
          for (const route of ROUTES)
            test(`${route.name}: ${JSON.stringify(expected(route, { kind, place }, mode))}`, async () => {
              const outcome = await happens(fixture, { route, who: { kind, place }, mode });
              assert.deepEqual(outcome, expected(route, { kind, place }, mode));
            });
        });
  });

async function happens(
  fixture: ChargedFixture,
  { route, who, mode }: { route: PricedCall; who: Who; mode: Mode },
): Promise<Outcome> {
  const { meter } = fixture.billing;
  const address = freshAddress(who.place);
  const key = await keyOf(fixture, who.kind);
  const nobody = { kind: 'keyless', address } as const;
  if (who.kind === 'nobody, all requests used')
    for (let call = 0; call < mode.perDay; call++) await meter.beginCharge(nobody, `${address} ${call}`);
  const before = await meter.remaining(nobody);
  const { status, headers, json } = await route.send(fixture, { ...key.headers, 'x-forwarded-for': address });
  return {
    status,
    remaining: headers.get('x-credits-remaining'),
    stated: status === 200 && json !== undefined ? route.stated(json) : undefined,
    taken: key.credits - (await creditsOf(fixture, key.keyId)),
    counted: before - (await meter.remaining(nobody)),
  };
}

/** An address that nobody has had before, inside or outside the network. */
function freshAddress(place: Who['place']): string {
  addresses += 1;
  return `${place === 'inside' ? '198.18' : '203.0'}.${addresses >> 8}.${addresses & 255}`;
}

type TestKey = { keyId: string | null; credits: number; headers: Headers };

async function keyOf({ billing }: ChargedFixture, kind: Who['kind']): Promise<TestKey> {
  if (kind.startsWith('nobody')) return { keyId: null, credits: 0, headers: {} };
  if (kind === 'an unknown key') return { keyId: null, credits: 0, headers: { 'x-api-key': 'sdl_nobody' } };
  const credits = kind === 'a key with 10 credits' ? 10 : 0;
  const { keyId, apiKey } = await billing.keys.create({ credits, label: null });
  return { keyId, credits, headers: { 'x-api-key': apiKey } };
}

async function creditsOf({ billing }: ChargedFixture, keyId: string | null): Promise<number> {
  return keyId === null ? 0 : billing.ledger.available(keyId);
}
