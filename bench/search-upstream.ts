/**
 * What a search adds to the time of its sources, and opening pages to a bare fetch of the same pages, in one run:
 * node bench/search-upstream.ts [--searches 200] [--opened 60]
 * Four sources on loopback answer after 50 ms, ten pages after 50 ms. A second service has one hanging source; the two are
 * called alternately, so that other load on the machine slows both alike.
 */
import { parseArgs } from 'node:util';
import { createGuardedFetch } from '../src/platform/net/guarded-fetch.ts';
import { startDns } from '../test/fixtures/dns-server.ts';
import { settingsOf, WEB_SOURCES } from '../test/fixtures/recall-fixture.ts';
import type { UpstreamItem } from '../test/fixtures/upstream/bodies.ts';
import { startUpstream, type Upstream } from '../test/fixtures/upstream.ts';
import { type FakeWeb, startWeb } from '../test/fixtures/web.ts';
import { type Served, serveReal } from '../test/harness.ts';

const DELAY_MS = 50;
const PAGES = 10;
/** Below the limit of the slowest source: five calls a second. */
const PAUSE_MS = 250;
const WARM_UP = 10;
const PAGE = `<!doctype html><html><head><title>The red knot</title></head><body><main><h1>The red knot</h1>
${'<p>The red knot breeds in the far north and winters along the coasts of the south, where it eats the shellfish of mud flats.</p>\n'.repeat(120)}
</main></body></html>`;

const { values } = parseArgs({
  options: { searches: { type: 'string', default: '200' }, opened: { type: 'string', default: '60' } },
});

const upstream = await startUpstream();
const ailing = await startUpstream();
const web = await startWeb({
  fallback: (_request, response) => {
    setTimeout(() => response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE), DELAY_MS);
  },
});
const hosts = Array.from({ length: PAGES / 2 }, (_, host) => `h${host}.knot.example`);
const dns = await startDns(Object.fromEntries(hosts.map((host) => [host, ['127.10.0.1']])));
const network = { DNS_SERVERS: dns.address, FETCH_ALLOW_PRIVATE: '127.10.0.0/16' };
const app = await serveReal({ ...settingsOf(upstream), ...network });
const appAiling = await serveReal({ ...settingsOf(ailing), ...network });
const owner = await app.owner();
const ownerAiling = await appAiling.owner();
const bare = createGuardedFetch({ dnsServers: [dns.address], allowPrivate: ['127.10.0.0/16'] });
try {
  for (const each of [upstream, ailing])
    for (const name of WEB_SOURCES)
      each.play(name, { mode: 'ok', delayMs: DELAY_MS, items: (asked) => pagesFor(asked, web, name) });
  for (const number of Array(WARM_UP).keys()) {
    for (const client of [owner, ownerAiling]) await search(client, `warm ${number} knot`);
    await pause();
  }
  ailing.play('kagi', { mode: 'hang' });
  const firstMs = await timed(() => search(ownerAiling, 'first knot', { ill: ['kagi'] }));
  const plain = await inTurn(Number(values.searches), 'plain', {
    search: (asked) => search(owner, asked),
    bare: (asked) => bareSources(upstream, asked),
    hanging: (asked) => search(ownerAiling, asked, { ill: ['kagi'] }),
  });
  print('search, without contents', plain.search);
  print('the slowest of four bare calls', plain.bare);
  console.log(`added  p50 ${diff(plain, 0.5)} ms (at most 15)  p95 ${diff(plain, 0.95)} ms (at most 50)\n`);
  print('search, one source hangs', plain.hanging);
  const ratio = percentile(plain.hanging, 0.95) / percentile(plain.search, 0.95);
  console.log(`p95 with it / p95 without  ${ratio.toFixed(2)} (at most 1.10)`);
  console.log(`the first search that met it  ${round(firstMs)} ms\n`);

  const stages: Record<string, number>[] = [];
  const opened = await inTurn(Number(values.opened), 'opened', {
    search: async (asked) => {
      stages.push(await search(owner, asked, { more: { contents: { highlights: true } } }));
    },
    bare: barePages,
  });
  print(`search, ${PAGES} pages opened`, opened.search);
  print(`bare fetch of ${PAGES} such pages`, opened.bare);
  console.log(`p95 ${round(percentile(opened.search, 0.95))} ms (at most 600)`);
  for (const stage of ['recall', 'rank', 'open', 'prune'])
    print(
      `  of it: ${stage}`,
      stages.map((timings) => timings[stage] ?? 0),
    );
} finally {
  await bare.close();
  await upstream.close();
  await ailing.close();
  await app.close();
  await appAiling.close();
  await web.close();
  await dns.close();
}

/** Milliseconds of each kind of work, done one after the other again and again; no two ask the same. */
async function inTurn<Kind extends string>(
  count: number,
  name: string,
  kinds: Record<Kind, (asked: string) => Promise<unknown>>,
): Promise<Record<Kind, number[]>> {
  const names = Object.keys(kinds) as Kind[];
  const took = Object.fromEntries(names.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>;
  for (let number = 0; number < count; number += 1) {
    for (const kind of names) took[kind].push(await timed(() => kinds[kind](`${name} ${number} knot`)));
    await pause();
  }
  return took;
}

/** Resolves to the time of each stage. All sources must answer except those in `ill`. */
async function search(
  { post }: Pick<Served, 'post'>,
  query: string,
  { more = {}, ill = [] }: { more?: object; ill?: string[] } = {},
): Promise<Record<string, number>> {
  const { status, json, text } = await post('/v1/search', { query, ...more });
  const isWhole = WEB_SOURCES.every((name) => ill.includes(name) || json.service?.sources[name]?.ok);
  if (status !== 200 || json.results.length === 0 || !isWhole) throw new Error(text);
  return json.service.timingsMs;
}

/** Calls all four like a program that needs only their bytes. */
async function bareSources({ origin }: Upstream, asked: string): Promise<void> {
  const urls = WEB_SOURCES.map((name) => `${origin}/${name}/bare?q=${encodeURIComponent(asked)}`);
  await Promise.all(urls.map((url) => bare.fetch({ url })));
}

async function barePages(asked: string): Promise<void> {
  const urls = pageUrls(web, `bare-${asked}`);
  await Promise.all(urls.map((url) => bare.fetch({ url })));
}

function pagesFor(asked: URL, site: FakeWeb, name: string): UpstreamItem[] {
  const topic = asked.searchParams.get('q') ?? '';
  return pageUrls(site, topic).map((url, place) => ({
    url,
    title: `Page ${place} about ${topic}`,
    snippet: `What ${name} shows of page ${place}.`,
    publishedDay: null,
  }));
}

function pageUrls({ port }: FakeWeb, topic: string): string[] {
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

function diff({ search: of, bare: beside }: Record<'search' | 'bare', number[]>, share: number): number {
  return round(percentile(of, share) - percentile(beside, share));
}

function print(name: string, took: readonly number[]): void {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => round(percentile(took, share)));
  console.log(`${name.padEnd(34)} n ${took.length}  p50 ${p50} ms  p95 ${p95} ms  p99 ${p99} ms`);
}
