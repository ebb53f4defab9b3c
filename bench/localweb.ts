/**
 * The whole product on a small real web: serves the manuals of Debian's `python3.11-doc` and `postgresql-doc-15` on loopback
 * under two host names of its own DNS, crawls them with the command line, starts the server and sends it requests over HTTP.
 *
 *   node bench/localweb.ts --docs <folder with python3.11/html and postgresql-doc-15/html>
 *
 * Prints: the crawl; known-item queries against plain FTS5 bm25() over the same text; the thirty written questions; whether
 * /v1/contents returns tables and code whole; what /r/{url}?q= returns for questions about known places.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { measure } from './known-item/measure.ts';
import { openPlainIndex } from './known-item/plain-index.ts';
import { type Query, readQueries } from './known-item/queries.ts';
import { type ManualName, startManuals } from './localweb/manuals.ts';
import { printContents, printReads } from './localweb/page-checks.ts';
import { crawlWithCli, startServer } from './localweb/processes.ts';

const MANUALS: ManualName[] = ['python3.11-doc', 'postgresql-doc-15'];
const PAGES_MAX = 5_000;
const FOUND_MAX = 10;
const QUESTIONS = resolve(import.meta.dirname, '../test/ranking/questions.json');

type PagesFor = (query: string) => Promise<string[]>;

const { values } = parseArgs({ options: { docs: { type: 'string', default: '/usr/share/doc' } } });
const data = process.env.EVAL_DATA ?? resolve(import.meta.dirname, '../../shared/data');
const web = await startManuals(values.docs, MANUALS);
const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-localweb-'));
const settings = { ...web.settings, DATA_DIR: dataDir, PORT: '0' };

try {
  await crawlWithCli(
    web.origins.map((origin) => `${origin}/index.html`),
    PAGES_MAX,
    settings,
  );
  const server = await startServer(settings);
  const plain = openPlainIndex(readIndex(join(dataDir, 'index.db')));
  const engines: Record<string, PagesFor> = {
    sanderling: (query) => searchOverHttp(server.address, query),
    'plain FTS5': async (query) => plain.find(query, FOUND_MAX),
  };
  try {
    await printKnownItems(engines);
    await printQuestions(engines);
    await printContents(server.address, web.origins);
    await printReads(server.address, web.origins);
  } finally {
    plain.close();
    await server.stop();
  }
} finally {
  await web.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function searchOverHttp(address: string, query: string): Promise<string[]> {
  const response = await fetch(`${address}/v1/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, numResults: FOUND_MAX }),
  });
  if (response.status !== 200) throw new Error(`${response.status} for ${query}: ${await response.text()}`);
  const { results } = (await response.json()) as { results: { url: string }[] };
  return results.map(({ url }) => url);
}

function readIndex(file: string): Parameters<typeof openPlainIndex>[0] {
  const index = new DatabaseSync(file, { readOnly: true });
  const pages = index.prepare('select url, title, markdown from page').all();
  index.close();
  return pages as unknown as Parameters<typeof openPlainIndex>[0];
}

async function printKnownItems(engines: Record<string, PagesFor>): Promise<void> {
  console.log('\nKnown items over both sites   |  queries | MRR@10 | success@1 | success@5 | median');
  for (const [place, name] of MANUALS.entries()) {
    const queries = onCrawledSite(readQueries(data, name), web.origins[place] ?? '');
    for (const [engine, find] of Object.entries(engines)) {
      const { mrr, success1, success5, ms } = await measure(queries, find);
      const shares = [mrr, success1, success5]
        .map((share) => (100 * share).toFixed(1).padStart(6))
        .join(' |    ');
      console.log(
        `${name.padEnd(17)} ${engine.padEnd(12)}| ${String(queries.length).padStart(8)} | ${shares} | ${ms.toFixed(1)} ms`,
      );
    }
  }
}

/** The same pages under the addresses of this run. */
function onCrawledSite(queries: Query[], origin: string): Query[] {
  return queries.map(({ text, relevant }) => ({
    text,
    relevant: new Map([...relevant].map(([url, grade]) => [origin + new URL(url).pathname, grade])),
  }));
}

async function printQuestions(engines: Record<string, PagesFor>): Promise<void> {
  const questions = JSON.parse(readFileSync(QUESTIONS, 'utf8')) as { question: string; pages: string[] }[];
  console.log('');
  for (const [engine, find] of Object.entries(engines)) {
    const missed: string[] = [];
    for (const { question, pages } of questions) {
      const urls = (await find(question)).slice(0, 3);
      if (!urls.some((url) => pages.some((page) => url.endsWith(`/${page}`)))) missed.push(question);
    }
    console.log(
      `${engine}: a right page in the first three for ${questions.length - missed.length} of ${questions.length} questions`,
    );
    for (const question of missed) console.log(`  missed: ${question}`);
  }
}
