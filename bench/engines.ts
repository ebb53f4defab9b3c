/**
 * Compares search engines over the same pages, with the same queries, in one run: node bench/engines.ts --docs <folder>,<folder>
 * [--pages 20000] [--queries 60] [--lance <folder>] [--sources <file>]
 * Ours, plain FTS5 (bm25(), on disk), and LanceDB where `npm install --prefix <folder> @lancedb/lancedb` has put it. What is not installed is skipped, and said so.
 * `--sources`: where the pages made of `--docs` are kept for the next run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { IndexedPage } from '../src/index/local-index-types.ts';
import { type Engine, openLance, openOurs, openPlain } from './engines/engines.ts';
import { createCpuMeter, percentiles, timed } from './million/measures.ts';
import { varyPages } from './million/pages.ts';
import { readSourcePages } from './million/sources.ts';
import { makeQueries } from './search/corpus.ts';

const BATCH = 500;
const SOURCE_PAGES = 9_000;
const LENGTHS = [2, 5, 10];
const TOP = 10;
/** Pages that arrive before a query is asked again. */
const FRESH_PAGES = 1_000;

const { values } = parseArgs({
  options: {
    docs: { type: 'string' },
    pages: { type: 'string', default: '20000' },
    queries: { type: 'string', default: '60' },
    lance: { type: 'string' },
    sources: { type: 'string' },
  },
});
if (values.docs === undefined && values.sources === undefined) {
  console.log('give --docs: folders with HTML documentation');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'bench-engines-'));
const kept = values.sources ?? join(folder, 'sources.jsonl');
const sources = await readSourcePages((values.docs ?? '').split(','), { count: SOURCE_PAGES, kept });
const paragraphs = sources
  .map(({ title, sections }) => ({
    title,
    paragraphs: sections.flatMap(({ text }) => text.split(/\n\n+/)).filter((text) => text.length > 80),
  }))
  .filter((source) => source.paragraphs.length > 0);
const count = Number(values.pages);
try {
  for (const open of [openOurs, openPlain, openLance]) {
    const engine = await open(folder, values.lance);
    if (engine !== null) await measureEngine(engine);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureEngine(engine: Engine): Promise<void> {
  const cpu = createCpuMeter();
  let [cpuMs, chars] = [0, 0];
  for (const batch of batchesOf(varyPages(sources, count))) {
    chars += batch.reduce((sum, { markdown }) => sum + Buffer.byteLength(markdown), 0);
    cpu();
    await engine.add(batch);
    cpuMs += cpu();
  }
  await engine.settle();
  cpuMs += cpu();
  console.log(
    `${engine.name}: ${count} pages, ${(cpuMs / count).toFixed(2)} ms of CPU a page, ${(engine.bytes() / chars).toFixed(2)} of the text on disk${engine.keepsTexts ? '' : ' without the texts'}`,
  );
  for (const words of LENGTHS) await ask(engine, words, 'at rest');
  // The last pages of a longer row, so that they are others.
  const fresh = [...varyPages(sources, count + FRESH_PAGES)].slice(count);
  for (const batch of batchesOf(fresh.values())) await engine.add(batch);
  await ask(engine, 5, `after ${FRESH_PAGES} fresh pages`);
  await engine.close();
}

async function ask({ find }: Engine, words: number, when: string): Promise<void> {
  const queries = makeQueries(paragraphs, { words, count: Number(values.queries) });
  for (const query of queries.slice(0, 5)) await find(query, TOP);
  const cpu = createCpuMeter();
  const took: number[] = [];
  for (const query of queries) took.push(await timed(() => find(query, TOP)));
  console.log(
    `  ${String(words).padStart(2)} words ${when}: ${percentiles(took)} ms; CPU ${(cpu() / queries.length).toFixed(1)} ms`,
  );
}

function* batchesOf(pages: Iterator<IndexedPage>): Generator<IndexedPage[]> {
  for (;;) {
    const batch: IndexedPage[] = [];
    while (batch.length < BATCH) {
      const { value, done } = pages.next();
      if (done === true) break;
      batch.push(value);
    }
    if (batch.length === 0) return;
    yield batch;
  }
}
