/**
 * The whole product on a small real web: serves the manuals of Debian's `python3.11-doc` and `postgresql-doc-15` on loopback
 * under two host names of its own DNS, crawls them with the command line, starts the server and asks it over HTTP.
 *
 *   node bench/localweb.ts --docs <folder that holds python3.11/html and postgresql-doc-15/html>
 *
 * Prints: the crawl; known-item queries beside plain FTS5 bm25() over the same text; the thirty written questions; whether
 * tables and code come through /v1/contents whole; what /r/{url}?q= gives for questions about known places.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startDns } from '../test/world/dns-server.ts';
import { startWeb } from '../test/world/web.ts';
import { type KnownItem, measure, type PagesFor } from './localweb/known-items.ts';
import { printContents, printReads } from './localweb/page-checks.ts';
import { plainFts } from './localweb/plain-fts.ts';
import { crawlWithCli, startServer } from './localweb/processes.ts';

const SITES = {
  'python3.11-doc': {
    host: 'python.sanderling-manuals.org',
    address: '127.10.0.1',
    folder: 'python3.11/html',
  },
  'postgresql-doc-15': {
    host: 'postgresql.sanderling-manuals.org',
    address: '127.10.0.2',
    folder: 'postgresql-doc-15/html',
  },
} as const;
const PAGES_MAX = 5_000;

const { values } = parseArgs({
  options: { docs: { type: 'string', default: '/usr/share/doc' }, keep: { type: 'string' } },
});
const data = process.env.EVAL_DATA ?? resolve(import.meta.dirname, '../../shared/data');

const dns = await startDns(
  Object.fromEntries(Object.values(SITES).map(({ host, address }) => [host, [address]])),
);
const webs = await Promise.all(
  Object.values(SITES).map(({ address, folder }) => startWeb({ address, folder: join(values.docs, folder) })),
);
const origins = Object.values(SITES).map(({ host }, place) => webs[place]?.as(host) ?? '');
const dataDir = values.keep ?? mkdtempSync(join(tmpdir(), 'sanderling-localweb-'));
const settings = {
  DATA_DIR: dataDir,
  DNS_SERVERS: dns.address,
  FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
  LOG_LEVEL: 'warn',
  PORT: '0',
};

try {
  await crawlWithCli(
    origins.map((origin) => `${origin}/index.html`),
    PAGES_MAX,
    settings,
  );
  const server = await startServer(settings);
  try {
    const search: PagesFor = async (query) => {
      const response = await fetch(`${server.address}/v1/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, numResults: 10 }),
      });
      if (response.status !== 200)
        throw new Error(`${response.status} for ${query}: ${await response.text()}`);
      const { results } = (await response.json()) as { results: { url: string }[] };
      return results.map(({ url }) => url);
    };
    const plain = plainFts(join(dataDir, 'index.db'));
    await printKnownItems(search, plain);
    await printQuestions(search, plain);
    await printContents(server.address, origins);
    await printReads(server.address, origins);
  } finally {
    await server.stop();
  }
} finally {
  await Promise.all([dns.close(), ...webs.map((web) => web.close())]);
  if (values.keep === undefined) rmSync(dataDir, { recursive: true, force: true });
}

async function printKnownItems(search: PagesFor, plain: PagesFor): Promise<void> {
  const items = readFileSync(join(data, 'localweb_known_item/queries.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as KnownItem & { package: string });
  console.log('\nKnown items          |  queries |  MRR@10 | success@1 | success@5 | per query');
  for (const [name, site] of Object.entries(SITES)) {
    const own = items.filter((item) => item.package === name).map((item) => ({ ...item, host: site.host }));
    for (const [who, find] of Object.entries({ sanderling: search, 'plain FTS5': plain })) {
      const { mrr, success1, success5, msMedian } = await measure(own, find);
      const row = [mrr, success1, success5].map((share) => share.toFixed(3).padStart(9)).join(' |');
      console.log(
        `${name.slice(0, 10)} ${who.padEnd(10)}| ${String(own.length).padStart(8)} |${row} | ${msMedian.toFixed(1)} ms`,
      );
    }
  }
}

async function printQuestions(search: PagesFor, plain: PagesFor): Promise<void> {
  const questions = JSON.parse(
    readFileSync(resolve(import.meta.dirname, '../test/ranking/questions.json'), 'utf8'),
  ) as {
    question: string;
    pages: string[];
  }[];
  const inFirstThree = async (find: PagesFor): Promise<string[]> => {
    const missed: string[] = [];
    for (const { question, pages } of questions) {
      const urls = (await find(question)).slice(0, 3);
      if (!urls.some((url) => pages.some((page) => url.endsWith(`/${page}`))))
        missed.push(`${question} -> ${urls.join(' ')}`);
    }
    return missed;
  };
  const missed = await inFirstThree(search);
  const missedPlain = await inFirstThree(plain);
  console.log(
    `\nQuestions with a right page in the first three: ${questions.length - missed.length} of ${questions.length}`,
  );
  console.log(`  plain FTS5: ${questions.length - missedPlain.length} of ${questions.length}`);
  for (const line of missed) console.log(`  missed: ${line}`);
}
