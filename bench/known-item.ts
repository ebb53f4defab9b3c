/**
 * Measures how often a search finds the page that a manual's own index names, against plain FTS5 bm25() over the same text in
 * the same run: node bench/known-item.ts --docs <folder with python3.11/html, postgresql-doc-15/html, ...> [--tune] [--misses]
 * `--tune` uses the SQLite and Django manuals (the ones for choosing weights) instead of Python and PostgreSQL.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLocalIndex } from '../src/index/local-index.ts';
import { createLog } from '../src/platform/log.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { readQuery } from '../src/text/query/read-query.ts';
import { readManual } from './known-item/manuals.ts';
import { type Finding, type Measured, measure } from './known-item/measure.ts';
import { openPlainIndex } from './known-item/plain-index.ts';
import { readQueries } from './known-item/queries.ts';
import { readCollection, TEXT_COLLECTIONS } from './known-item/text-collections.ts';

const FOUND_MAX = 10;

const { values } = parseArgs({
  options: {
    docs: { type: 'string' },
    tune: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
  },
});
const data = process.env.EVAL_DATA ?? '../shared/data';
const folder = mkdtempSync(join(tmpdir(), 'known-item-'));
try {
  if (values.docs !== undefined) await manuals(values.docs);
  for (const name of TEXT_COLLECTIONS) await collection(name);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function manuals(docs: string): Promise<void> {
  const packages = values.tune
    ? ['sqlite3-doc', 'python-django-doc']
    : ['python3.11-doc', 'postgresql-doc-15'];
  const pages = packages.flatMap((name) => readManual(docs, name));
  console.log(`${pages.length} pages of ${packages.join(' and ')}`);
  const engines = await openEngines('manuals', pages);
  for (const name of packages) {
    const queries = readQueries(data, name);
    for (const [engine, find] of Object.entries(engines.find)) {
      const measured = await measure(queries, find);
      print(`${name} ${engine}`, measured);
      if (values.misses && engine === 'ours') printMisses(measured.findings);
    }
  }
  await engines.close();
}

async function collection(name: string): Promise<void> {
  const { pages, queries } = readCollection(data, name);
  const engines = await openEngines(name, pages);
  for (const [engine, find] of Object.entries(engines.find))
    print(`${name} ${engine}`, await measure(queries, find));
  await engines.close();
}

type Pages = Parameters<Awaited<ReturnType<typeof createLocalIndex>>['put']>[0];

async function openEngines(name: string, pages: Pages) {
  const index = await createLocalIndex({ path: join(folder, `${name}.db`), log: createLog('warn') });
  for (let at = 0; at < pages.length; at += 100) await index.put(pages.slice(at, at + 100));
  const plain = openPlainIndex(pages);
  return {
    find: {
      ours: async (query: string) =>
        (await index.search({ ...NO_FILTERS, query: readQuery(query), limit: FOUND_MAX })).map(
          ({ url }) => url,
        ),
      plain: async (query: string) => plain.find(query, FOUND_MAX),
    },
    async close() {
      plain.close();
      await index.close();
    },
  };
}

function print(what: string, { mrr, success1, success5, ndcg, ms }: Measured): void {
  const percent = (share: number): string => (share * 100).toFixed(1).padStart(5);
  console.log(
    `${what.padEnd(26)} MRR@10 ${percent(mrr)}  success@1 ${percent(success1)}  success@5 ${percent(success5)}  nDCG@10 ${percent(ndcg)}  ${ms.toFixed(1)} ms a query`,
  );
}

function printMisses(findings: Finding[]): void {
  for (const { query, found, rank } of findings) {
    if (rank === 1) continue;
    const wanted = [...query.relevant.keys()].map((url) => url.replace(/^https:\/\/[^/]+\//, ''));
    const first = found.slice(0, 3).map((url) => url.replace(/^https:\/\/[^/]+\//, ''));
    console.log(`  ${rank ?? '-'}  ${query.text}  wanted ${wanted.join(' ')}  found ${first.join(' ')}`);
  }
}
