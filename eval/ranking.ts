/**
 * nDCG@10 of the local index against plain FTS5 bm25() and TF-IDF cosine, over collections with human judgements:
 * npm run eval:ranking [-- --vectors] (pages are found by their meaning too). Weights were chosen on every other query (`tuned`); `held out` are the others.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Measured, measure } from '../bench/known-item/measure.ts';
import { openPlainIndex } from '../bench/known-item/plain-index.ts';
import { readCollection } from '../bench/known-item/text-collections.ts';
import { createLocalIndex } from '../src/index/local-index.ts';
import { createLog } from '../src/platform/log.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { readQuery } from '../src/text/query/read-query.ts';
import { openCosineIndex } from './ranking/cosine-index.ts';

const FOUND_MAX = 10;
/** Pages written to the index at once. */
const BATCH = 100;
const ENGINES = ['ours', 'FTS5', 'cosine'] as const;
type Engine = (typeof ENGINES)[number];
type Row = Record<Engine, number>;

/** The last one is not part of the mean: its questions need two pages. */
const COLLECTIONS = [
  { name: 'cranfield', folder: '', inMean: true },
  { name: 'cisi', folder: '', inMean: true },
  { name: 'med', folder: '', inMean: true },
  { name: 'npl', folder: '', inMean: true },
  { name: 'beir', folder: 'hotpotqa100', inMean: false },
];

const data = process.env.EVAL_DATA ?? '../shared/data';
const folder = mkdtempSync(join(tmpdir(), 'eval-ranking-'));
try {
  console.log(`${'nDCG@10'.padEnd(24)}${ENGINES.map((engine) => engine.padStart(8)).join('')}   ours - FTS5`);
  const rows: Record<string, Row>[] = [];
  for (const collection of COLLECTIONS) {
    const measured = await measureCollection(collection);
    for (const [part, row] of Object.entries(measured))
      print(`${collection.folder || collection.name} ${part}`, row);
    if (collection.inMean) rows.push(measured);
  }
  for (const part of ['all', 'tuned', 'held out'])
    print(`mean of four, ${part}`, meanOf(rows.map((row) => row[part]).filter((row) => row !== undefined)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureCollection({ name, folder: parent }: (typeof COLLECTIONS)[number]) {
  const { pages, queries } = readCollection(join(data, parent), name);
  const index = await createLocalIndex({
    path: join(folder, `${name}.db`),
    log: createLog('warn'),
    vectorRecall: process.argv.includes('--vectors'),
  });
  for (let at = 0; at < pages.length; at += BATCH) await index.put(pages.slice(at, at + BATCH));
  const plain = openPlainIndex(pages);
  const cosine = openCosineIndex(pages);
  const find: Record<Engine, (query: string) => Promise<string[]>> = {
    ours: async (query) =>
      (await index.search({ ...NO_FILTERS, query: readQuery(query), limit: FOUND_MAX })).map(
        ({ url }) => url,
      ),
    FTS5: async (query) => plain.find(query, FOUND_MAX),
    cosine: async (query) => cosine.find(query, FOUND_MAX),
  };
  const parts: Record<string, Row> = {};
  for (const engine of ENGINES) {
    for (const [part, chosen] of Object.entries({
      all: queries,
      tuned: queries.filter((_, place) => place % 2 === 0),
      'held out': queries.filter((_, place) => place % 2 === 1),
    })) {
      const { ndcg }: Measured = await measure(chosen, find[engine]);
      const row = parts[part] ?? { ours: 0, FTS5: 0, cosine: 0 };
      parts[part] = { ...row, [engine]: ndcg };
    }
  }
  plain.close();
  await index.close();
  return parts;
}

function meanOf(rows: Row[]): Row {
  const mean = (engine: Engine): number =>
    rows.reduce((sum, row) => sum + row[engine], 0) / Math.max(1, rows.length);
  return { ours: mean('ours'), FTS5: mean('FTS5'), cosine: mean('cosine') };
}

function print(what: string, row: Row): void {
  const cells = ENGINES.map((engine) => row[engine].toFixed(3).padStart(8)).join('');
  const lead = row.ours - row.FTS5;
  console.log(`${what.padEnd(24)}${cells}   ${lead < 0 ? '' : '+'}${lead.toFixed(3)}`);
}
