/**
 * Measures the speed of the local index, and whether its cheap candidates contain what full BM25 would find, against plain FTS5 in the same run:
 * node bench/search.ts [--pages 10000,100000] [--queries 100] [--docs <folder with python3.11/html, ...>]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { openIndexReader } from '../src/index/index-reader.ts';
import { createLocalIndex } from '../src/index/local-index.ts';
import type { IndexQuery } from '../src/index/local-index-types.ts';
import { createLog } from '../src/platform/log.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { readQuery } from '../src/text/query/read-query.ts';
import { hostName, makePages, makeQueries, readSources } from './search/corpus.ts';
import { openFullBm25 } from './search/full-bm25.ts';

const BATCH = 200;
const LENGTHS = [2, 5, 10];
const TOP = 10;
const hundred = Array.from({ length: 100 }, (_, number) => hostName(number * 20));
const FILTERS: Record<string, Omit<IndexQuery, 'query' | 'limit'>> = {
  'no filter': NO_FILTERS,
  '100 domains': { ...NO_FILTERS, includeDomains: hundred },
  'without 100': { ...NO_FILTERS, excludeDomains: hundred },
  'two years': { ...NO_FILTERS, publishedFrom: '2020-02-10', publishedTo: '2022-02-09' },
};

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '10000,100000' },
    queries: { type: 'string', default: '100' },
    docs: { type: 'string' },
  },
});
const sources = readSources(process.env.EVAL_DATA ?? '../shared/data', values.docs);
if (sources.length === 0) {
  console.log('no texts: give --docs, or EVAL_DATA a folder with the ranking collections');
  process.exit(1);
}
for (const count of values.pages.split(',').map(Number)) await bench(count);

async function bench(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-search-'));
  const path = join(folder, 'index.db');
  try {
    const index = await createLocalIndex({ path, log: createLog('warn') });
    const full = openFullBm25(join(folder, 'full.db'));
    const seconds = await fill(count, { put: (pages) => index.put(pages), add: (pages) => full.add(pages) });
    const megabytes = statSync(path).size / 1e6;
    console.log(
      `\n${count} pages: ${Math.round(count / seconds)} pages/s written, ${Math.round(megabytes)} MB`,
    );
    await times(index.search);
    candidates(path, full);
    full.close();
    await index.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Pages = Parameters<Awaited<ReturnType<typeof createLocalIndex>>['put']>[0];

/** Seconds taken to write the index. */
async function fill(
  count: number,
  into: { put(pages: Pages): Promise<void>; add(pages: Pages): void },
): Promise<number> {
  let seconds = 0;
  let batch: Pages = [];
  const flush = async (): Promise<void> => {
    const start = performance.now();
    await into.put(batch);
    seconds += (performance.now() - start) / 1000;
    into.add(batch);
    batch = [];
  };
  for (const page of makePages(sources, count)) {
    batch.push(page);
    if (batch.length === BATCH) await flush();
  }
  await flush();
  return seconds;
}

/** Through the threads, one query at a time, as for a caller. */
async function times(search: (query: IndexQuery) => Promise<unknown>): Promise<void> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  for (const [name, filters] of Object.entries(FILTERS)) {
    for (const words of LENGTHS) {
      const took: number[] = [];
      for (const query of makeQueries(sources, { words, count: Number(values.queries) })) {
        const start = performance.now();
        await search({ ...filters, query: readQuery(query), limit: TOP });
        took.push(performance.now() - start);
      }
      const [p50, p95, p99] = percentiles(took, [50, 95, 99]);
      console.log(
        `${name.padEnd(12)} ${String(words).padStart(2)} words  p50 ${p50} ms  p95 ${p95} ms  p99 ${p99} ms`,
      );
    }
  }
  loop.disable();
  console.log(`longest stall of the event loop ${(loop.max / 1e6).toFixed(1)} ms (timer resolution 1 ms)`);
}

function percentiles(took: number[], ranks: number[]): string[] {
  const sorted = [...took].sort((left, right) => left - right);
  return ranks.map((rank) =>
    (sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * rank) / 100))] ?? 0).toFixed(1),
  );
}

/** In this thread, candidates and full BM25 in turn, with new words both times. */
function candidates(path: string, full: ReturnType<typeof openFullBm25>): void {
  const reader = openIndexReader({ path });
  for (const words of LENGTHS) {
    let kept = 0;
    let wanted = 0;
    const spent = { candidates: 0, search: 0, full: 0 };
    for (const query of makeQueries(sources, { words, count: Number(values.queries) })) {
      const asked = { ...NO_FILTERS, query: readQuery(query), limit: TOP };
      const top = timed(
        () => full.top(query, TOP),
        (ms) => (spent.full += ms),
      );
      const ids = new Set(
        timed(
          () => reader.candidates(asked),
          (ms) => (spent.candidates += ms),
        ),
      );
      timed(
        () => reader.search(asked),
        (ms) => (spent.search += ms),
      );
      kept += top.filter((id) => ids.has(id)).length;
      wanted += top.length;
    }
    const mean = (ms: number): string => (ms / Number(values.queries)).toFixed(2);
    console.log(
      `${words} words: candidates hold ${((kept / wanted) * 100).toFixed(1)} % of full BM25's top ten at ${(spent.candidates / spent.full).toFixed(2)} of its cost ` +
        `(${mean(spent.candidates)} of ${mean(spent.full)} ms; the whole search ${mean(spent.search)} ms)`,
    );
  }
  reader.close();
}

function timed<T>(work: () => T, add: (ms: number) => void): T {
  const start = performance.now();
  const result = work();
  add(performance.now() - start);
  return result;
}
