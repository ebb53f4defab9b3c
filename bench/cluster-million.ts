/**
 * The index behind OpenSearch at up to 1,000,000 pages, beside that on SQLite with the same pages in the same run: pages a second over the
 * cluster path, CPU for a page of this process and of the nodes, and searches with 5 words while pages arrive and at rest:
 * node bench/cluster-million.ts --url http://127.0.0.1:9200 --docs <folder>,<folder> [--pages 100000] [--minutes 12] [--queries 100] [--shards 1] [--no-sqlite] [--kept <file>]
 * Pages are those of bench/million.ts. `--minutes`: for filling the cluster; it stops there, and SQLite gets as many pages. `--kept`: a file with the
 * sources of an earlier run, or for those of this one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLocalIndex } from '../src/index/local-index.ts';
import type { IndexedPage, IndexQuery, LocalIndex } from '../src/index/local-index-types.ts';
import { createClusterIndex } from '../src/index/opensearch/cluster-index.ts';
import { openCluster } from '../src/index/opensearch/connect/cluster.ts';
import { createLog } from '../src/platform/log.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { readQuery } from '../src/text/query/read-query.ts';
import { createCpuMeter, percentiles, timed } from './million/measures.ts';
import { hostName, varyPages } from './million/pages.ts';
import { readSourcePages } from './million/sources.ts';
import { makeQueries } from './search/corpus.ts';

const BATCH = 200;
/** Enough for each to wait until searches find its pages while others are written. */
const BATCHES_OPEN = 24;
const SOURCE_PAGES = 9_000;
const FRESH = { pages: 20, everyMs: 500 };
const hundred = Array.from({ length: 100 }, (_, number) => hostName(number * 20));
const FILTERS: Record<string, Omit<IndexQuery, 'query' | 'limit'>> = {
  'no filter': NO_FILTERS,
  '100 domains': { ...NO_FILTERS, includeDomains: hundred },
};

const { values } = parseArgs({
  allowNegative: true,
  options: {
    url: { type: 'string', default: '' },
    docs: { type: 'string', default: '' },
    pages: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '12' },
    queries: { type: 'string', default: '100' },
    shards: { type: 'string', default: '1' },
    sqlite: { type: 'boolean', default: true },
    kept: { type: 'string' },
  },
});
if (values.url === '' || (values.docs === '' && values.kept === undefined)) {
  console.log('give --url of an OpenSearch, and --docs: folders with HTML documentation');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'bench-cluster-'));
const sources = await readSourcePages(values.docs.split(','), {
  count: SOURCE_PAGES,
  kept: values.kept ?? join(folder, 'sources.jsonl'),
});
const paragraphs = sources
  .map(({ title, sections }) => ({
    title,
    paragraphs: sections.flatMap(({ text }) => text.split(/\n\n+/)).filter((text) => text.length > 80),
  }))
  .filter((source) => source.paragraphs.length > 0);
const queries = makeQueries(paragraphs, { words: 5, count: Number(values.queries) });
const name = `million-${process.pid}`;
const log = createLog('error');
const settings = {
  ...{ url: `${values.url}/${name}`, caFile: null, token: null, aws: null },
  ...{ shards: Number(values.shards), refreshMs: 1_000 },
};
const cluster = openCluster(settings);
const remote = createClusterIndex({ settings, log });
const local = await createLocalIndex({ path: join(folder, 'index.db'), log });
try {
  const wanted = Number(values.pages);
  const until = performance.now() + Number(values.minutes) * 60_000;
  const nodesBefore = await cpuOfNodes();
  const written = await fill(remote, { wanted, until });
  const nodesMs = (await cpuOfNodes()) - nodesBefore;
  console.log(`  CPU of the nodes ${(nodesMs / written).toFixed(2)} ms a page`);
  const engines: Record<string, LocalIndex> = { OpenSearch: remote };
  if (values.sqlite) {
    await fill(local, { wanted: written, until: Number.POSITIVE_INFINITY });
    engines.SQLite = local;
  }
  await search(engines, { what: 'at rest', written });
  await search(engines, { what: 'while pages arrive', written });
} finally {
  await Promise.all([remote.close(), local.close()]);
  for (const index of Object.keys(await cluster.request({ method: 'GET', path: `/${name}*` })))
    await cluster.request({ method: 'DELETE', path: `/${index}` });
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Writes pages until there are enough or the time is over; resolves to how many. */
async function fill(
  index: LocalIndex,
  { wanted, until }: { wanted: number; until: number },
): Promise<number> {
  const pages = varyPages(sources, wanted);
  const cpu = createCpuMeter();
  let written = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      const batch = take(pages, BATCH);
      if (batch.length === 0) return;
      await index.put(batch);
      written += batch.length;
    }
  };
  const ms = await timed(() => Promise.all(Array.from({ length: BATCHES_OPEN }, lane)));
  console.log(
    `${index.place().engine}: ${written} pages, ${Math.round((written * 1_000) / ms)} pages/s, CPU of this process ${(cpu() / written).toFixed(2)} ms a page`,
  );
  return written;
}

function take(pages: Iterator<IndexedPage>, count: number): IndexedPage[] {
  const taken: IndexedPage[] = [];
  for (let next = pages.next(); next.done !== true; next = pages.next()) {
    taken.push(next.value);
    if (taken.length === count) break;
  }
  return taken;
}

/** CPU milliseconds of all nodes since their start. */
async function cpuOfNodes(): Promise<number> {
  type Stats = { nodes: Record<string, { process: { cpu: { total_in_millis: number } } }> };
  const { nodes } = await cluster.request<Stats>({ method: 'GET', path: '/_nodes/stats/process' });
  return Object.values(nodes).reduce((sum, { process: { cpu } }) => sum + cpu.total_in_millis, 0);
}

/** The engines take turns, so that other load slows them alike. */
async function search(
  engines: Record<string, LocalIndex>,
  { what, written }: { what: string; written: number },
): Promise<void> {
  const arriving = what === 'at rest' ? null : arrive(Object.values(engines), written);
  for (const [filter, filters] of Object.entries(FILTERS)) {
    const times: Record<string, number[]> = {};
    for (const text of queries)
      for (const [engine, index] of Object.entries(engines)) {
        const took = times[engine] ?? [];
        took.push(await timed(() => index.search({ ...filters, query: readQuery(text), limit: 10 })));
        times[engine] = took;
      }
    for (const [engine, took] of Object.entries(times))
      console.log(`5 words, ${filter}, ${what}: ${engine.padEnd(10)} ${percentiles(took)} ms`);
  }
  await arriving?.end();
}

/** New pages enter all engines until it is told to end. */
function arrive(indexes: LocalIndex[], written: number): { end(): Promise<void> } {
  const pages = varyPages(sources, written + 1_000_000);
  for (let passed = 0; passed < written; passed += 1) pages.next();
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver) {
      const batch = take(pages, FRESH.pages);
      await Promise.all(indexes.map((index) => index.put(batch)));
      await new Promise((resolve) => setTimeout(resolve, FRESH.everyMs));
    }
  };
  const running = run();
  return {
    async end() {
      isOver = true;
      await running;
    },
  };
}
