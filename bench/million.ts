/**
 * Measures the local index at 100,000 to 1,000,000 pages, beside plain FTS5 over the same rows in the same run:
 * node bench/million.ts --docs <folder>,<folder> [--pages 100000,300000,1000000] [--queries 100] [--manuals <folder>] [--items <count>] [--no-plain] [--keep <folder>]
 * Pages are made of real documentation (HTML below `--docs`; at most 9,000 pages of it are kept in the folder, so that the next run starts at once).
 * `--keep`: the index stays in that folder, and the next run goes on from the pages that it has.
 * `--manuals`: measures how often the pages are found that the indexes of two manuals name, when they are among all these (EVAL_DATA as for bench/known-item.ts);
 * `--items 200`: by about so many of their queries, spread over all, because plain FTS5 takes a second for each at a million pages.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLocalIndex } from '../src/index/local-index.ts';
import type { IndexedPage, IndexQuery, LocalIndex } from '../src/index/local-index-types.ts';
import { createLog } from '../src/platform/log.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { type Query, readQuery } from '../src/text/query/read-query.ts';
import { readManual } from './known-item/manuals.ts';
import { measure } from './known-item/measure.ts';
import { readQueries } from './known-item/queries.ts';
import { createCpuMeter, percentiles, timed } from './million/measures.ts';
import { hostName, varyPages } from './million/pages.ts';
import { openPlainFts } from './million/plain-fts.ts';
import { readSourcePages } from './million/sources.ts';
import { searchWhileMerging } from './million/while-merging.ts';
import { makeQueries } from './search/corpus.ts';

const BATCH = 200;
/** Batches on their way to the writer at a time. */
const BATCHES_OPEN = 3;
const LENGTHS = [2, 5, 10];
const TOP = 10;
const SOURCE_PAGES = 9_000;
const MANUALS = ['python3.11-doc', 'postgresql-doc-15'];
/** While pages arrive, a query every so many milliseconds. */
const PACE_MS = 100;
const hundred = Array.from({ length: 100 }, (_, number) => hostName(number * 20));
const FILTERS: Record<string, Omit<IndexQuery, 'query' | 'limit'>> = {
  'no filter': NO_FILTERS,
  '100 domains': { ...NO_FILTERS, includeDomains: hundred },
  'two years': { ...NO_FILTERS, publishedFrom: '2020-02-10', publishedTo: '2022-02-09' },
};

const { values } = parseArgs({
  allowNegative: true,
  options: {
    docs: { type: 'string' },
    pages: { type: 'string', default: '100000,300000,1000000' },
    queries: { type: 'string', default: '100' },
    manuals: { type: 'string' },
    items: { type: 'string' },
    plain: { type: 'boolean', default: true },
    keep: { type: 'string' },
  },
});
if (values.docs === undefined) {
  console.log('give --docs: folders with HTML documentation');
  process.exit(1);
}
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'bench-million-'));
mkdirSync(folder, { recursive: true });
const kept = join(folder, 'sources.jsonl');
const sources = await readSourcePages(values.docs.split(','), { count: SOURCE_PAGES, kept });
const paragraphs = sources
  .map(({ title, sections }) => ({
    title,
    paragraphs: sections.flatMap(({ text }) => text.split(/\n\n+/)).filter((text) => text.length > 80),
  }))
  .filter((source) => source.paragraphs.length > 0);
const count = Number(values.queries);
const queriesOf = (words: number): string[] => makeQueries(paragraphs, { words, count });

const path = join(folder, 'index.db');
const idleRss = process.memoryUsage.rss();
const index = await createLocalIndex({ path, log: createLog('warn') });
const plain = values.plain ? openPlainFts(join(folder, 'plain.db')) : null;
const items =
  values.manuals === undefined ? [] : MANUALS.flatMap((name) => readManual(values.manuals ?? '', name));
const sizes = values.pages.split(',').map(Number);
try {
  const { pages: held } = await index.size();
  if (held === 0) await fill(items);
  let written = Math.max(0, held - items.length);
  if (plain !== null && plain.pages() !== written + items.length)
    throw new Error('the kept plain index has other pages: begin with an empty folder');
  const pages = varyPages(sources, Math.max(...sizes));
  for (let left = written; left > 0; left -= 1) pages.next();
  for (const size of sizes.filter((size) => size >= written)) {
    if (size > written) await grow(pages, size - written);
    written = size;
    await report(size);
  }
} finally {
  plain?.close();
  await index.close();
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

async function fill(pages: IndexedPage[]): Promise<void> {
  for (let at = 0; at < pages.length; at += BATCH) {
    await index.put(pages.slice(at, at + BATCH));
    plain?.add(pages.slice(at, at + BATCH));
  }
}

/** Writes the next pages, searching all the while. */
async function grow(pages: Iterator<IndexedPage>, wanted: number): Promise<void> {
  const cpu = createCpuMeter();
  let [seconds, cpuMs, chars] = [0, 0, 0];
  const searching = searchWhile(index);
  for (let left = wanted; left > 0; ) {
    const batches: IndexedPage[][] = [];
    for (; batches.length < BATCHES_OPEN * 4 && left > 0; left -= batches.at(-1)?.length ?? 0)
      batches.push(take(pages, Math.min(BATCH, left)));
    chars += batches.flat().reduce((sum, { markdown }) => sum + markdown.length, 0);
    searching.begin();
    cpu();
    seconds += (await timed(() => inTurn(batches))) / 1_000;
    cpuMs += cpu();
    // What the bench itself does on this event loop would count as waiting.
    await searching.pause();
    for (const batch of batches) plain?.add(batch);
  }
  const took = await searching.end();
  console.log(
    `\n${wanted} pages more (${(chars / wanted).toFixed(0)} characters each): ${(wanted / seconds).toFixed(0)} pages/s written, ${(cpuMs / wanted).toFixed(2)} ms of CPU a page (searches included)`,
  );
  console.log(`  5 words while they arrive       ${percentiles(took)} ms (${took.length} searches)`);
}

async function inTurn(batches: IndexedPage[][]): Promise<void> {
  const waiting = [...batches];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await index.put(next);
  };
  await Promise.all(Array.from({ length: BATCHES_OPEN }, lane));
}

function take(pages: Iterator<IndexedPage>, wanted: number): IndexedPage[] {
  return Array.from({ length: wanted }, () => pages.next().value);
}

/** Asks queries between `begin` and `pause`. */
function searchWhile({ search }: LocalIndex): {
  begin(): void;
  /** Resolves when the query under way is answered. */
  pause(): Promise<void>;
  end(): Promise<number[]>;
} {
  const queries = queriesOf(5);
  const took: number[] = [];
  let asking: Promise<void> | null = null;
  let isOpen = false;
  let at = 0;
  const run = async (): Promise<void> => {
    for (; isOpen; at += 1) {
      const filters = Object.values(FILTERS)[at % 3] ?? NO_FILTERS;
      const query = readQuery(queries[at % queries.length] ?? '');
      took.push(await timed(() => search({ ...filters, query, limit: TOP })));
      await new Promise((resolve) => setTimeout(resolve, PACE_MS));
    }
  };
  const pause = async (): Promise<void> => {
    isOpen = false;
    await asking;
  };
  return {
    pause,
    begin() {
      isOpen = true;
      asking = run();
    },
    async end() {
      await pause();
      return took;
    },
  };
}

async function report(size: number): Promise<void> {
  const tidying = await timed(index.tidy);
  const { textBytes } = await index.stats();
  const bytes = statSync(path).size;
  const chars = await textOf(size);
  console.log(
    `${size} pages at rest (tidied in ${(tidying / 1_000).toFixed(1)} s): ${(bytes / 1e6).toFixed(0)} MB, ${(bytes / chars).toFixed(2)} of the text` +
      `${plain === null ? '' : `; plain FTS5 without texts ${(plain.bytes() / 1e6).toFixed(0)} MB`}; counted by the index ${(textBytes / 1e6).toFixed(0)} MB; RSS of the bench ${((process.memoryUsage.rss() - idleRss) / 1e6).toFixed(0)} MB above its own`,
  );
  for (const [name, filters] of Object.entries(FILTERS)) {
    for (const words of LENGTHS) await times(name, { filters, words });
  }
  await timesWhileMerging();
  if (plain !== null) for (const words of LENGTHS) timesOfPlain(words);
  if (items.length > 0) await knownItems();
  const asked = join(folder, 'queries.json');
  writeFileSync(asked, JSON.stringify(queriesOf(5)));
  const child = spawnSync(process.execPath, [
    join(import.meta.dirname, 'million/search-only.ts'),
    path,
    asked,
  ]);
  process.stdout.write(child.stdout);
  process.stderr.write(child.stderr);
}

/** Bytes of the Markdown, counted anew: the pages are the same every time. */
async function textOf(size: number): Promise<number> {
  let bytes = items.reduce((sum, { markdown }) => sum + Buffer.byteLength(markdown), 0);
  for (const { markdown } of varyPages(sources, size)) bytes += Buffer.byteLength(markdown);
  return bytes;
}

async function times(
  name: string,
  { filters, words }: { filters: Omit<IndexQuery, 'query' | 'limit'>; words: number },
) {
  const cpu = createCpuMeter();
  const took: number[] = [];
  for (const query of queriesOf(words))
    took.push(await timed(() => index.search({ ...filters, query: readQuery(query), limit: TOP })));
  console.log(
    `  ${name.padEnd(12)} ${String(words).padStart(2)} words          ${percentiles(took)} ms; CPU ${(cpu() / took.length).toFixed(1)} ms`,
  );
}

async function timesWhileMerging(): Promise<void> {
  const queries = queriesOf(5).map(readQuery);
  const ask = (at: number) =>
    index.search({ ...NO_FILTERS, query: queries[at % count] as Query, limit: TOP });
  const { took, seconds } = await searchWhileMerging(index, ask);
  console.log(
    `  5 words while a segment is written anew (${seconds.toFixed(1)} s) ${percentiles(took)} ms (${took.length} searches)`,
  );
}

function timesOfPlain(words: number): void {
  const took: number[] = [];
  for (const query of queriesOf(words).slice(0, 40)) {
    const start = performance.now();
    plain?.find(query, TOP);
    took.push(performance.now() - start);
  }
  console.log(`  plain FTS5   ${String(words).padStart(2)} words          ${percentiles(took)} ms`);
}

async function knownItems(): Promise<void> {
  const all = MANUALS.flatMap((name) => readQueries(process.env.EVAL_DATA ?? '../shared/data', name));
  const every = Math.max(1, Math.round(all.length / Number(values.items ?? all.length)));
  const queries = all.filter((_, place) => place % every === 0);
  const ours = async (query: string): Promise<string[]> =>
    (await index.search({ ...NO_FILTERS, query: readQuery(query), limit: TOP })).map(({ url }) => url);
  const found = {
    ours: await measure(queries, ours),
    ...(plain === null ? {} : { plain: await measure(queries, async (query) => plain.find(query, TOP)) }),
  };
  for (const [name, { mrr, success1 }] of Object.entries(found))
    console.log(
      `  known item, ${name.padEnd(6)} MRR@10 ${(mrr * 100).toFixed(1)}, first ${(success1 * 100).toFixed(1)} % (${queries.length} queries)`,
    );
}
