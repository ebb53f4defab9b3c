/**
 * The index behind OpenSearch beside that on SQLite: whether both find the same, and how fast each is, over the same pages and queries:
 * node bench/cluster.ts --url http://127.0.0.1:9200 --docs <folder with python3.11/html, ...> [--pages 20000] [--queries 500] [--shards 1] [--timed 200]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLocalIndex } from '../src/index/local-index.ts';
import type { FoundPage, IndexedPage, IndexQuery, LocalIndex } from '../src/index/local-index-types.ts';
import { createClusterIndex } from '../src/index/opensearch/cluster-index.ts';
import { openCluster } from '../src/index/opensearch/connect/cluster.ts';
import { createLog } from '../src/platform/log.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { readQuery } from '../src/text/query/read-query.ts';
import { type KnownItem, makeKnownItems } from './cluster/pages-and-queries.ts';
import { hostName, makePages, readSources } from './search/corpus.ts';
import { createRandom } from './search/random.ts';

const TOP = 10;
const BATCH = 100;
const BATCHES_AT_ONCE = 12;
/** Words of a query: of those that are compared, and of those that are timed. */
const LENGTHS = { compared: [1, 2, 3, 4, 5, 6, 8, 10], timed: [2, 5, 10] };
const hundred = Array.from({ length: 100 }, (_, number) => hostName(number * 20));
const FILTERS: Record<string, Omit<IndexQuery, 'query' | 'limit'>> = {
  'no filter': NO_FILTERS,
  '100 domains': { ...NO_FILTERS, includeDomains: hundred },
  'two years': { ...NO_FILTERS, publishedFrom: '2020-02-10', publishedTo: '2022-02-09' },
};

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    docs: { type: 'string' },
    pages: { type: 'string', default: '20000' },
    queries: { type: 'string', default: '500' },
    timed: { type: 'string', default: '200' },
    shards: { type: 'string', default: '1' },
  },
});
const sources = readSources(process.env.EVAL_DATA ?? '../shared/data', values.docs);
if (values.url === '' || sources.length === 0) {
  console.log('give --url of an OpenSearch and --docs, or EVAL_DATA a folder with the ranking collections');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'bench-cluster-'));
const name = `bench-${process.pid}`;
const log = createLog('error');
const settings = {
  url: `${values.url}/${name}`,
  caFile: null,
  token: null,
  aws: null,
  shards: Number(values.shards),
  refreshMs: 1_000,
};
const engines: Record<string, LocalIndex> = {
  SQLite: await createLocalIndex({ path: join(folder, 'index.db'), log }),
  OpenSearch: createClusterIndex({ settings, log }),
};
try {
  const pages = [...makePages(sources, Number(values.pages))];
  for (const [engine, index] of Object.entries(engines)) await fill(engine, index, pages);
  await compare(
    makeKnownItems(pages, {
      count: Number(values.queries),
      lengths: LENGTHS.compared,
      random: createRandom(7),
    }),
  );
  for (const words of LENGTHS.timed)
    for (const [filter, filters] of Object.entries(FILTERS))
      await time(
        makeKnownItems(pages, {
          count: Number(values.timed),
          lengths: [words],
          random: createRandom(100 + words),
        }),
        { what: `${words} words, ${filter}`, filters },
      );
} finally {
  for (const index of Object.values(engines)) await index.close();
  const cluster = openCluster(settings);
  for (const index of Object.keys(await cluster.request({ method: 'GET', path: `/${name}*` })))
    await cluster.request({ method: 'DELETE', path: `/${index}` });
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
}

async function fill(engine: string, index: LocalIndex, pages: IndexedPage[]): Promise<void> {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  for (let from = 0; from < pages.length; from += BATCH * BATCHES_AT_ONCE) {
    const parts = Array.from({ length: BATCHES_AT_ONCE }, (_, part) =>
      pages.slice(from + part * BATCH, from + (part + 1) * BATCH),
    );
    await Promise.all(parts.map((part) => index.put(part)));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const { pages: held } = await index.size();
  console.log(
    `${engine}: ${held} pages, ${Math.round(pages.length / seconds)} pages/s, ${((user + system) / 1_000 / pages.length).toFixed(2)} CPU ms a page of this process`,
  );
}

/** Whether both find the same, and the page that each query was made from. */
async function compare(items: KnownItem[]): Promise<void> {
  let [differing, results, moved] = [0, 0, 0];
  // Whose results are the more probable ones, where they differ: the other engine has missed candidates.
  const better: Record<string, number> = {};
  const gains: Record<string, number> = {};
  for (const { text, url } of items) {
    const found: string[][] = [];
    const sums: [engine: string, sum: number][] = [];
    for (const [engine, index] of Object.entries(engines)) {
      const answer = await ask(index, text, NO_FILTERS);
      const urls = answer.map((page) => page.url);
      found.push(urls);
      sums.push([engine, answer.reduce((sum, { score }) => sum + score, 0)]);
      const place = urls.indexOf(url);
      gains[engine] = (gains[engine] ?? 0) + (place === -1 ? 0 : 1 / Math.log2(place + 2));
    }
    const [ours = [], theirs = []] = found;
    const lacking = ours.filter((one) => !theirs.includes(one)).length;
    results += ours.length;
    moved += lacking;
    if (lacking === 0 && ours.length === theirs.length) continue;
    differing += 1;
    const [best] = sums.toSorted(([, left], [, right]) => right - left);
    if (best !== undefined) better[best[0]] = (better[best[0]] ?? 0) + 1;
  }
  const percent = (part: number, whole: number): string =>
    `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  console.log(
    `top ten of ${items.length} queries: ${percent(differing, items.length)} of the queries and ${percent(moved, results)} of the results differ; nDCG@10 ${Object.entries(
      gains,
    )
      .map(([engine, gain]) => `${engine} ${(gain / items.length).toFixed(3)}`)
      .join(', ')}; where they differ, the more probable results are ${JSON.stringify(better)}`,
  );
}

async function ask(
  index: LocalIndex,
  text: string,
  filters: Omit<IndexQuery, 'query' | 'limit'>,
): Promise<FoundPage[]> {
  return index.search({ ...filters, query: readQuery(text), limit: TOP });
}

type Timed = { what: string; filters: Omit<IndexQuery, 'query' | 'limit'> };

/** Both engines take turns, so that other load slows both alike. */
async function time(queries: KnownItem[], { what, filters }: Timed): Promise<void> {
  const times: Record<string, number[]> = {};
  for (const { text } of queries)
    for (const [engine, index] of Object.entries(engines)) {
      const startedAt = performance.now();
      await ask(index, text, filters);
      times[engine] = [...(times[engine] ?? []), performance.now() - startedAt];
    }
  const shown = Object.entries(times).map(([engine, all]) => {
    const sorted = all.sort((left, right) => left - right);
    const at = (share: number): string => (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(0);
    return `${engine} p50 ${at(0.5)} p95 ${at(0.95)} ms`;
  });
  console.log(`${what}: ${shown.join('; ')}`);
}
