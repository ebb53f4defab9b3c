/**
 * The index behind OpenSearch at up to 1,000,000 pages, beside that on SQLite with the same pages in the same run: pages a second over the
 * cluster path, CPU for a page of this process and of the nodes, and searches with 5 words while pages arrive and at rest:
 * node bench/cluster-million.ts --url http://127.0.0.1:9200 --docs <folder>,<folder> [--pages 100000,300000] [--minutes 12] [--queries 100] [--shards 1] [--no-sqlite] [--kept <file>]
 * Pages are those of bench/million.ts; searches are timed at each of the sizes. `--minutes`: for filling the cluster; it stops there, and SQLite gets
 * as many pages. `--kept`: a file with the sources of an earlier run, or for those of this one.
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
  url: `${values.url}/${name}`,
  caFile: null,
  token: null,
  aws: null,
  shards: Number(values.shards),
  refreshMs: 1_000,
};
const cluster = openCluster(settings);
const remote = createClusterIndex({ settings, log });
const local = await createLocalIndex({ path: join(folder, 'index.db'), log });
try {
  const sizes = values.pages.split(',').map(Number);
  const engines = [filled(remote), ...(values.sqlite ? [filled(local)] : [])];
  let msLeft = Number(values.minutes) * 60_000;
  for (const size of sizes) {
    const nodesBefore = await cpuOfNodes();
    const before = engines[0]?.written ?? 0;
    let reached = size;
    for (const engine of engines) {
      const isFirst = engine === engines[0];
      const ms = await fill(engine, { size: reached, forMs: isFirst ? msLeft : Number.POSITIVE_INFINITY });
      if (!isFirst) continue;
      msLeft -= ms;
      reached = engine.written;
      const nodesMs = (await cpuOfNodes()) - nodesBefore;
      console.log(`  CPU of the nodes ${(nodesMs / (reached - before)).toFixed(2)} ms a page`);
    }
    await search(engines, 'at rest');
    await search(engines, 'while pages arrive');
    if (reached < size) break;
  }
} finally {
  await Promise.all([remote.close(), local.close()]);
  for (const index of Object.keys(await cluster.request({ method: 'GET', path: `/${name}*` })))
    await cluster.request({ method: 'DELETE', path: `/${index}` });
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
}

/** An engine, and the pages that it gets, of which it has so many. */
type Filled = { index: LocalIndex; pages: Iterator<IndexedPage>; written: number };

function filled(index: LocalIndex): Filled {
  return { index, pages: varyPages(sources, Number.MAX_SAFE_INTEGER), written: 0 };
}

/** Writes pages until there are enough or the time is over; resolves to how long it took. */
async function fill(engine: Filled, { size, forMs }: { size: number; forMs: number }): Promise<number> {
  const { index, pages, written } = engine;
  const until = performance.now() + forMs;
  const cpu = createCpuMeter();
  const lane = async (): Promise<void> => {
    while (performance.now() < until && engine.written < size) {
      const batch = take(pages, Math.min(BATCH, size - engine.written));
      engine.written += batch.length;
      await index.put(batch);
    }
  };
  const ms = await timed(() => Promise.all(Array.from({ length: BATCHES_OPEN }, lane)));
  const more = engine.written - written;
  console.log(
    `${index.place().engine}: ${engine.written} pages, ${Math.round((more * 1_000) / ms)} pages/s, CPU of this process ${(cpu() / more).toFixed(2)} ms a page`,
  );
  return ms;
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
async function search(engines: Filled[], what: 'at rest' | 'while pages arrive'): Promise<void> {
  const arriving = what === 'at rest' ? null : arrive(engines);
  for (const [filter, filters] of Object.entries(FILTERS)) {
    const times = new Map<Filled, number[]>(engines.map((engine) => [engine, []]));
    for (const text of queries)
      for (const [{ index }, took] of times)
        took.push(await timed(() => index.search({ ...filters, query: readQuery(text), limit: 10 })));
    for (const [{ index }, took] of times)
      console.log(`5 words, ${filter}, ${what}: ${index.place().engine.padEnd(10)} ${percentiles(took)} ms`);
  }
  await arriving?.end();
}

/** New pages enter all engines until it is told to end. */
function arrive(engines: Filled[]): { end(): Promise<void> } {
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver) {
      await Promise.all(
        engines.map((engine) => {
          engine.written += FRESH.pages;
          return engine.index.put(take(engine.pages, FRESH.pages));
        }),
      );
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
