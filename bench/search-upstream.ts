/**
 * What a search adds to the sources it needs, and opening pages to a bare fetch of the same pages, in one run:
 * node bench/search-upstream.ts [--searches 200] [--opened 60]
 * Four sources on loopback answer after 50 ms (one of them hangs in the last part); ten pages after 50 ms.
 */
import { parseArgs } from 'node:util';
import { createGuardedFetch } from '../src/platform/net/guarded-fetch.ts';
import { type Served, serveReal } from '../test/harness.ts';
import { startDns } from '../test/world/dns-server.ts';
import { settingsOf, WEB_SOURCES } from '../test/world/recall-world.ts';
import type { UpstreamItem } from '../test/world/upstream/bodies.ts';
import { startUpstream, type Upstream } from '../test/world/upstream.ts';
import { startWeb, type WorldWeb } from '../test/world/web.ts';

const DELAY_MS = 50;
const PAGES = 10;
/** Under the bound of the slowest source: five calls a second. */
const PAUSE_MS = 250;
const WARM_UP = 10;
const PAGE = `<!doctype html><html><head><title>The red knot</title></head><body><main><h1>The red knot</h1>
${'<p>The red knot breeds in the far north and winters along the coasts of the south, where it eats the shellfish of mud flats.</p>\n'.repeat(120)}
</main></body></html>`;

const { values } = parseArgs({
  options: { searches: { type: 'string', default: '200' }, opened: { type: 'string', default: '60' } },
});

const upstream = await startUpstream();
const web = await startWeb({
  fallback: (_request, response) => {
    setTimeout(() => response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE), DELAY_MS);
  },
});
const hosts = Array.from({ length: PAGES / 2 }, (_, host) => `h${host}.knot.example`);
const dns = await startDns(Object.fromEntries(hosts.map((host) => [host, ['127.10.0.1']])));
const app = await serveReal({
  ...settingsOf(upstream),
  DNS_SERVERS: dns.address,
  FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
});
const owner = await app.owner();
const bare = createGuardedFetch({ dnsServers: [dns.address], allowPrivate: ['127.10.0.0/16'] });
try {
  for (const name of WEB_SOURCES)
    upstream.play(name, { mode: 'ok', delayMs: DELAY_MS, items: (asked) => pagesFor(asked, web, name) });
  await searches(WARM_UP, 'warm', {});
  const plain = await alternating(Number(values.searches), 'plain', {}, (asked) =>
    bareSources(upstream, asked),
  );
  print('search, without contents', plain.search);
  print('the slowest of four bare calls', plain.bare);
  console.log(`added  p50 ${diff(plain, 0.5)} ms (at most 15)  p95 ${diff(plain, 0.95)} ms (at most 50)\n`);

  const contents = { contents: { highlights: true } };
  const opened = await alternating(Number(values.opened), 'opened', contents, barePages);
  print(`search, ${PAGES} pages opened`, opened.search);
  print(`bare fetch of ${PAGES} such pages`, opened.bare);
  console.log(`p95 ${round(percentile(opened.search, 0.95))} ms (at most 600)\n`);

  upstream.play('kagi', { mode: 'hang' });
  const hanging = await searches(Number(values.searches), 'hanging', {});
  print('search, one source hangs', hanging);
  const ratio = percentile(hanging, 0.95) / percentile(plain.search, 0.95);
  console.log(
    `p95 with it / p95 without  ${ratio.toFixed(2)} (at most 1.10); slowest ${round(Math.max(...hanging))} ms`,
  );
} finally {
  await bare.close();
  await upstream.close();
  await app.close();
  await web.close();
  await dns.close();
}

/** Milliseconds of each search; no two ask the same. */
async function searches(count: number, name: string, more: object): Promise<number[]> {
  const took: number[] = [];
  for (let number = 0; number < count; number += 1) {
    took.push(await timed(() => search(owner, `${name} ${number} knot`, more)));
    await pause();
  }
  return took;
}

type Pair = { search: number[]; bare: number[] };

async function alternating(
  count: number,
  name: string,
  more: object,
  beside: (asked: string) => Promise<unknown>,
): Promise<Pair> {
  const pair: Pair = { search: [], bare: [] };
  for (let number = 0; number < count; number += 1) {
    const asked = `${name} ${number} knot`;
    pair.search.push(await timed(() => search(owner, asked, more)));
    pair.bare.push(await timed(() => beside(asked)));
    await pause();
  }
  return pair;
}

async function search({ post }: Pick<Served, 'post'>, query: string, more: object): Promise<void> {
  const { status, json, text } = await post('/v1/search', { query, ...more });
  if (status !== 200 || json.results.length === 0) throw new Error(text);
}

/** All four, as a program would that needs no more of them than their bytes. */
async function bareSources({ origin }: Upstream, asked: string): Promise<void> {
  const urls = WEB_SOURCES.map((name) => `${origin}/${name}/bare?q=${encodeURIComponent(asked)}`);
  await Promise.all(urls.map((url) => bare.fetch({ url })));
}

async function barePages(asked: string): Promise<void> {
  const urls = pageUrls(web, `bare-${asked}`);
  await Promise.all(urls.map((url) => bare.fetch({ url })));
}

function pagesFor(asked: URL, site: WorldWeb, name: string): UpstreamItem[] {
  const topic = asked.searchParams.get('q') ?? '';
  return pageUrls(site, topic).map((url, place) => ({
    url,
    title: `Page ${place} about ${topic}`,
    snippet: `What ${name} shows of page ${place}.`,
    publishedDay: null,
  }));
}

function pageUrls({ port }: WorldWeb, topic: string): string[] {
  return Array.from({ length: PAGES }, (_, page) => {
    const host = hosts[page % hosts.length];
    return `http://${host}:${port}/${encodeURIComponent(topic)}/${page}`;
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function percentile(took: readonly number[], share: number): number {
  const sorted = took.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function diff({ search: of, bare: beside }: Pair, share: number): number {
  return round(percentile(of, share) - percentile(beside, share));
}

function print(name: string, took: readonly number[]): void {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => round(percentile(took, share)));
  console.log(`${name.padEnd(34)} n ${took.length}  p50 ${p50} ms  p95 ${p95} ms  p99 ${p99} ms`);
}
