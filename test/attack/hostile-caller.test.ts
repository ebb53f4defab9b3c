import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type FakeWeb, type RouteHandler, startWeb } from '../fixtures/web.ts';
import { type AttackedService, startAttacked } from './attacked-service.ts';

const GOOD_CALLERS = 10;
const CALLS_EACH = 40;
/** The hostile caller's concurrent calls, and the maximum in all. */
const FLOOD_AT_ONCE = 199;
const FLOOD_CALLS_MAX = 5_000;
/** Latencies below this are noise on a shared machine. */
const NOISE_MS = 250;
const CALL_MS_MAX = 60_000;
/** The flood has begun once the service has fetched this many of its pages. */
const FLOOD_PAGES = 3;

const bomb = gzipSync(`<!doctype html>${'<noscript '.repeat(200_000)}`);
const nested = gzipSync(`<!doctype html><p>text</p>${'<div><b>'.repeat(250_000)}`);
const big = gzipSync(`<!doctype html>${'<p>Some words of a long page, again and again.</p>'.repeat(90_000)}`);

const packed =
  (body: Buffer): RouteHandler =>
  (_request, response) =>
    response.setHeader('content-type', 'text/html').setHeader('content-encoding', 'gzip').end(body);

const floods: [name: string, page: RouteHandler][] = [
  ['pages that never respond', () => {}],
  ['pages that are costly to scan', packed(bomb)],
  ['deeply nested pages', packed(nested)],
  ['big pages', packed(big)],
];

describe("10 callers during one caller's flood", () => {
  for (const [name, page] of floods)
    test(`${name}: their p95 at most doubles, and none of their calls fails`, async (t) => {
      const service = await startAttacked(t, {
        LOG_LEVEL: 'warn',
        TRUST_PROXY: '1',
        FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
      });
      const [site, trap] = await Promise.all([
        startSite(t, '127.40.0.1', (request, response) =>
          response.setHeader('content-type', 'text/html').end(`<h1>A page</h1><p>It is ${request.url}.</p>`),
        ),
        startSite(t, '127.40.0.2', page),
      ]);
      const keys = await Promise.all(
        Array.from({ length: GOOD_CALLERS + 1 }, (_, nth) => freeKey(service, nth)),
      );
      const [hostile = '', ...good] = keys;
      await workload(service, { site, keys: good, round: 'warm' });
      const alone = await workload(service, { site, keys: good, round: 'alone' });
      const flood = startFlood(service, { trap, key: hostile });
      await flood.hasBegun();
      const beside = await workload(service, { site, keys: good, round: 'beside' });
      const sent = await flood.end();
      const most = 2 * Math.max(alone, NOISE_MS);
      t.diagnostic(
        `p95 alone ${alone} ms, beside ${sent} hostile calls ${beside} ms; RSS ${service.rssPeak()}`,
      );
      assert.ok(beside <= most, `p95 of ${alone} ms became ${beside} ms`);
      await service.assertUnharmed();
    });
});

async function startSite(t: TestContext, address: string, fallback: RouteHandler): Promise<FakeWeb> {
  const site = await startWeb({ address, fallback });
  t.after(() => site.close());
  return site;
}

async function freeKey({ address }: AttackedService, nth: number): Promise<string> {
  const headers = { 'x-forwarded-for': `203.0.${nth}.1` };
  const response = await fetch(`${address}/v1/keys/free`, { method: 'POST', headers });
  return ((await response.json()) as { apiKey: string }).apiKey;
}

/** Every caller reads cached and new pages in sequence. Returns the p95 in whole milliseconds. */
async function workload(
  service: AttackedService,
  { site, keys, round }: { site: FakeWeb; keys: string[]; round: string },
): Promise<number> {
  const times: number[] = [];
  const work = async (key: string, caller: number): Promise<void> => {
    for (let nth = 0; nth < CALLS_EACH; nth++) {
      const path = nth % 2 === 0 ? 'kept' : `${round}-${caller}-${nth}`;
      const began = performance.now();
      const status = await read(service, { url: `${site.origin}/${path}`, key });
      times.push(performance.now() - began);
      assert.equal(status, 200, `a good caller's read of ${path}`);
    }
  };
  await Promise.all(keys.map(work));
  times.sort((left, right) => left - right);
  return Math.round(times[Math.floor(times.length * 0.95)] ?? 0);
}

/** Keeps many calls running, each for another page. `end` stops it and returns the number of calls. */
function startFlood(
  service: AttackedService,
  { trap, key }: { trap: FakeWeb; key: string },
): { hasBegun(): Promise<void>; end(): Promise<number> } {
  const over = new AbortController();
  let sent = 0;
  const work = async (): Promise<void> => {
    while (!over.signal.aborted && sent < FLOOD_CALLS_MAX) {
      sent += 1;
      await read(service, { url: `${trap.origin}/${sent}`, key, signal: over.signal }).catch(() => 0);
    }
  };
  const workers = Promise.all(Array.from({ length: FLOOD_AT_ONCE }, work));
  return {
    async hasBegun() {
      while (trap.hits() < FLOOD_PAGES) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async end() {
      over.abort();
      await workers;
      return sent;
    },
  };
}

async function read(
  { address }: AttackedService,
  { url, key, signal }: { url: string; key: string; signal?: AbortSignal },
): Promise<number> {
  const until = AbortSignal.timeout(CALL_MS_MAX);
  const response = await fetch(`${address}/r/${url}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: signal === undefined ? until : AbortSignal.any([until, signal]),
  });
  await response.arrayBuffer();
  return response.status;
}
