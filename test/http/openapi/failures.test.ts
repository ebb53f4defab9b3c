import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Failure, type FailureCode } from '../../../src/contract/errors.ts';
import { RECORD_BYTES_MAX, UPLOAD_BYTES_MAX } from '../../../src/contract/limits.ts';
import { OPERATIONS } from '../../../src/http/openapi/operations.ts';
import type { AppDeps } from '../../../src/http/server/app.ts';
import { writeRecordFile } from '../../../src/http/v1/record-file.ts';
import type { Job } from '../../../src/jobs/job-types.ts';
import { type Described, describeInterface } from '../../fixtures/interface-description.ts';
import { type Answered, type Served, serveScripted } from '../../harness.ts';
import { UNSCRIPTED_KEYS, unscriptedDeps } from '../../unscripted.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';
import { MONITOR, RECORD, RECORDS, SCRIPTED } from './scripted-operations.ts';

/** Every failure that the description names is provoked here, so that it names none that cannot occur. */

type Provoked = { served: Served; headers?: Record<string, string>; body?: unknown; query?: string };

const TOKEN = 'admin-token-of-the-test-0123456789';
const SPENT = '198.51.100.7';
const { operations } = describeInterface(unscriptedDeps());
let fixture: ChargedFixture;
const served = new Map<string, Served>();
const keys = new Map<string, string>();

before(async () => {
  fixture = await openChargedFixture(null, { trustProxy: 1, ...SCRIPTED, adminToken: TOKEN });
  const issue = async (name: string, wanted: { credits: number; perMinute?: number; expiresAt?: number }) => {
    const { credits, perMinute = null, expiresAt = null } = wanted;
    const terms = { perMinute, perDay: null, expiresAt };
    keys.set(name, (await fixture.billing.keys.create({ credits, label: null, terms })).apiKey);
  };
  await issue('empty', { credits: 0 });
  await issue('expired', { credits: 10, expiresAt: fixture.clock.now() - 1 });
  await issue('limited', { credits: 10_000, perMinute: 1 });
  await issue('rich', { credits: 1_000_000 });
  await fixture.served.post('/v1/search', { query: 'a' }, { 'x-api-key': keyOf('limited') });
  for (let spent = 0; spent < 25; spent += 1)
    await fixture.served.post('/v1/search', { query: 'a' }, { 'x-forwarded-for': SPENT });
  await fixture.served.post('/v1/keys/free', {}, { 'x-forwarded-for': SPENT });
});
after(async () => {
  await fixture.close();
  for (const one of served.values()) await one.close();
});

const keyOf = (name: string): string => keys.get(name) ?? '';

/** How to make an operation fail with a code. */
async function provoke(code: FailureCode, { path }: Described): Promise<Provoked> {
  const { served } = fixture;
  const rich = { 'x-api-key': keyOf('rich') };
  switch (code) {
    case 'invalid_api_key':
      return { served, headers: { 'x-api-key': 'nobody' } };
    case 'expired_api_key':
      return { served, headers: { 'x-api-key': keyOf('expired') } };
    case 'insufficient_credits':
      // Only the operation knows whether it has to fetch the page.
      return path === '/v1/verify'
        ? { served: await failing(code) }
        : { served, headers: { 'x-api-key': keyOf('empty') } };
    case 'rate_limited':
      // Setting up monitors and profiles is free: what is limited is their number.
      if (path === '/v1/monitors' || path === '/v1/sites')
        return { served: await failing(code), headers: ADMIN };
      return { served, headers: { 'x-api-key': keyOf('limited') } };
    case 'keyless_limit':
    case 'free_key_already_issued':
      return { served, headers: { 'x-forwarded-for': SPENT } };
    case 'forbidden':
      return { served: await failing(code), headers: { origin: 'http://page.example.org' } };
    case 'request_too_large':
      return {
        served,
        headers: rich,
        body:
          path === '/v1/records/import'
            ? new Uint8Array(RECORD_BYTES_MAX.file + 1)
            : path.endsWith('/parse')
              ? 'x'.repeat(UPLOAD_BYTES_MAX + 1)
              : JSON.stringify({ query: 'x'.repeat(1_048_577) }),
      };
    case 'unsupported_media_type':
      return { served, headers: { ...rich, 'content-encoding': 'compress' } };
    case 'validation_error':
      return { served, headers: path === '/v1/index' ? ADMIN : rich, body: '{', query: BROKEN[path] ?? '' };
    case 'no_payment_method':
      return { served, headers: rich, body: { enabled: true } };
    case 'url_not_allowed':
      return {
        served: await failing(code),
        // Otherwise a batch leaves out what may not be read.
        ...(path === '/v2/batch/scrape' ? { body: { urls: ['a.org'], ignoreInvalidURLs: false } } : {}),
        ...(/^\/v1\/(?:monitors|records)/.test(path)
          ? { body: { url: 'a.org', deliver: [{ webhook: 'a.org' }] }, headers: ADMIN }
          : {}),
        ...(path === '/v1/sites' ? { headers: ADMIN } : {}),
      };
    case 'job_ended':
      return { served: await failing(code, path.startsWith('/v2/batch') ? 'batch' : 'crawl') };
    default:
      return { served: await failing(code), headers: ADMIN };
  }
}

const ADMIN = { authorization: `Bearer ${TOKEN}` };

/** A query that the operations without a body refuse. */
const BROKEN: Record<string, string> = {
  '/r/{url}': `?q=${'x'.repeat(2_001)}`,
  '/buy/{pack}': '?threshold=1',
  '/v1/versions': '?url=:',
  '/v1/versions/changes': '?url=:',
};

/** A service in which everything that a call can ask for fails with this code. */
async function failing(code: FailureCode, kind: Job['kind'] = 'crawl'): Promise<Served> {
  const known = served.get(`${code} ${kind}`);
  if (known !== undefined) return known;
  const fail = async (): Promise<never> => {
    throw code === 'internal' ? new Error('a fault') : new Failure(code, 'As the test wants it.');
  };
  const parts: Partial<AppDeps> = {
    search: fail,
    similar: fail,
    libraries: { find: fail, choose: fail, places: fail, projects: fail },
    searchDocs: fail,
    contents: fail,
    read: fail,
    versions: fail,
    research: fail,
    verify: fail,
    records: code === 'not_found' ? async () => ({ ...RECORDS, remove: async () => false }) : fail,
    replayRecord: code === 'not_found' ? async () => null : fail,
    rerank: fail,
    siteCrawl: fail,
    siteMap: fail,
    forget: fail,
    balanceOf: fail,
    ping: fail,
    usageOfDays: fail,
    autoReloads: { of: fail, configure: fail },
    keys: { ...UNSCRIPTED_KEYS, claimFree: fail },
    metrics: { text: fail },
    checkouts: { open: fail, view: fail, configure: fail },
    checkUrl: () => {
      if (code === 'url_not_allowed') throw new Failure(code, 'As the test wants it.');
      return new URL('https://example.org/');
    },
    checkWebhookUrl: () => {
      throw new Failure(code, 'As the test wants it.');
    },
    monitors: {
      create: fail,
      list: fail,
      listAll: fail,
      change: fail,
      remove: fail,
      events: fail,
      feedTokenOf: (id) => id,
      find: code === 'not_found' ? async () => null : code === 'url_not_allowed' ? async () => MONITOR : fail,
      findByFeedToken: code === 'not_found' ? async () => null : fail,
    },
    privateSites: {
      put: fail,
      list: fail,
      find: code === 'not_found' ? async () => null : fail,
      remove: code === 'not_found' ? async () => false : fail,
      count: fail,
      addSignIns: (openPage) => openPage,
      findOwner: () => (code === 'not_found' ? null : 'operator'),
      collections: { choose: fail, list: fail, open: fail, setReaders: fail, file: fail, remove: fail },
    },
    sourceReadings: () => {
      throw new Error('a fault');
    },
    jobs: {
      start: fail,
      documents: fail,
      unread: fail,
      counts: fail,
      running: fail,
      find:
        code === 'not_found' || code === 'job_ended'
          ? async () => (code === 'not_found' ? null : ended(kind))
          : fail,
      cancel: async () => null,
    },
    ...(code === 'overloaded' ? { requestLimit: { enter: () => null, hasPlace: () => false } } : {}),
    findKey: async () => ({ keyId: 'a', noStore: false }),
    adminToken: TOKEN,
  };
  const made = await serveScripted(parts);
  served.set(`${code} ${kind}`, made);
  return made;
}

/** A job that has ended, as far as cancelling looks at it. */
const ended = (kind: Job['kind']) => ({ id: 'a', kind, state: 'completed' }) as Job;

/** Answers without asking anything that could break. */
const CANNOT_BREAK = new Set([
  ...['healthz', 'readyz', 'searxngHealthz', 'tools', 'shapeBGetResearch', 'firecrawlConcurrency'],
  ...['firecrawlTokenUsage', 'firecrawlTokenUsageV1'],
]);

function codesOf({ operation }: Described): FailureCode[] {
  const responses = Object.values(operation.responses as Record<string, { description: string }>);
  return responses
    .flatMap(({ description }) => (/^[a-z_, ]+$/.test(description) ? description.split(', ') : []))
    .map((code) => code as FailureCode);
}

function statusOf({ operation }: Described, code: FailureCode): number {
  const responses = Object.entries(operation.responses as Record<string, { description: string }>);
  return Number(responses.find(([, { description }]) => description.split(', ').includes(code))?.[0]);
}

const EXAMPLES = new Map(Object.values(OPERATIONS).map(({ id, example }) => [id, example]));

function send(
  { method, path, operation }: Described,
  { served: to, headers = {}, body, query }: Provoked,
): Promise<Answered> {
  const example = EXAMPLES.get(String(operation.operationId));
  const filled = path
    .replace('{url}', 'https://example.org/')
    .replace('{pack}', 'instant')
    .replace('/v1/index', '/v1/index?host=example.org')
    .replace('{id}', '6f1c3c8e-9f1b-4a51-8d3e-2b7f3c0f6a10');
  const target = query === undefined ? (example?.path ?? filled) : (filled.split('?')[0] ?? '') + query;
  if (method === 'get') return to.get(target, headers);
  if (method === 'delete') return to.delete(target, headers);
  return to.post(target, body ?? example?.body ?? LEAST[path] ?? {}, headers);
}

/** Bodies of operations without an example. */
const LEAST: Record<string, object> = {
  '/v1/records/import': writeRecordFile({ record: RECORD, texts: [] }),
  '/searxng/search': { q: 'a' },
  '/s': { q: 'a' },
  '/r': { url: 'https://example.org/' },
  '/v1/monitors': { url: 'https://example.org/' },
  '/v1/sites': { name: 'intranet', origins: 'example.org', token: 'secret' },
  '/v1/collections/{name}': { readers: [] },
};

describe('every failure that the description names occurs', () => {
  for (const described of operations.filter(
    ({ operation }) => !/_\d+$/.test(String(operation.operationId)),
  )) {
    const { method, path, operation } = described;
    test(`${method.toUpperCase()} ${path}`, async () => {
      for (const code of codesOf(described)) {
        if (code === 'internal' && CANNOT_BREAK.has(String(operation.operationId))) continue;
        const { status, text } = await send(described, await provoke(code, described));
        assert.equal(status, statusOf(described, code), `${code}: ${status} ${text.slice(0, 300)}`);
      }
    });
  }
});
