/**
 * A running Sanderling over its own index, asked as a caller asks: pages are imported with the command line, the server runs with default
 * settings (but unmetered, and with the local index as its only source), and every question travels over HTTP. Beside it the same
 * index is opened in this process, so that what the server withholds or reorders shows as a difference.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runCli, startServer } from '../../bench/localweb/processes.ts';
import { createLocalIndex } from '../../src/index/local-index.ts';
import type { IndexedPage, LocalIndex } from '../../src/index/local-index-types.ts';
import { createLog } from '../../src/platform/log.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';

/** A page to import, as its file says it or as it was read before. */
export type PageRecord = { url: string; title?: string; language?: string | null } & (
  | { html: string }
  | { markdown: string }
);
/** `isWeak`: the service gives it and says that it is unlikely to be relevant. */
export type GivenResult = { url: string; isWeak: boolean };
export type ServedIndex = {
  address: string;
  search(query: string, domains?: string[]): Promise<GivenResult[]>;
  searchInside(query: string, domains?: string[]): Promise<GivenResult[]>;
  /** The index itself: it is only read. */
  index: LocalIndex;
  /** Every page of the index. */
  readPages(): Promise<IndexedPage[]>;
  close(): Promise<void>;
};

export const RESULTS = 10;
/** For so many results the service asks the index for so many candidates. */
const CANDIDATES = 20;
/** What is served may differ from the index inside by so much. */
const DIFFERENCE_MAX = 0.01;
const IMPORTS_MAX = 3;
/** Some pages of a manual have no text. */
const MISSING_MAX = 0.05;
const PAGES_AT_ONCE = 500;
const TRIES = 60;
const PAUSE_MS = 1_000;

/**
 * Imports pages into the index of a data folder; those that a busy machine left out are imported again. Throws if more are missing
 * than pages without text explain.
 */
export async function importPages(
  dataDir: string,
  records: readonly PageRecord[],
  settings: Record<string, string> = {},
): Promise<void> {
  let missing = [...records];
  for (let attempt = 1; attempt <= IMPORTS_MAX && missing.length > 0; attempt += 1) {
    const file = join(dataDir, `pages-${attempt}.jsonl`);
    writeFileSync(file, missing.map((record) => `${JSON.stringify(record)}\n`).join(''));
    await runCli(['import', file], { DATA_DIR: dataDir, ...settings });
    missing = await findMissing(dataDir, missing);
  }
  if (missing.length > records.length * MISSING_MAX)
    throw new Error(`${missing.length} of ${records.length} pages were not imported into ${dataDir}`);
}

async function findMissing(dataDir: string, records: readonly PageRecord[]): Promise<PageRecord[]> {
  const index = await openIndex(dataDir);
  const missing: PageRecord[] = [];
  for (const record of records) if ((await index.get(record.url)) === null) missing.push(record);
  await index.close();
  return missing;
}

function openIndex(dataDir: string, vectorRecall = false): Promise<LocalIndex> {
  return createLocalIndex({ path: join(dataDir, 'index.db'), log: createLog('warn'), vectorRecall });
}

/** Serves the index of a data folder, and opens it. */
export async function serveIndex(
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<ServedIndex> {
  const server = await startServer({
    DATA_DIR: dataDir,
    ...settings,
  });
  const index = await openIndex(dataDir, settings.VECTOR_RECALL === 'on');
  return {
    address: server.address,
    async search(query, includeDomains = []) {
      const body = { query, numResults: RESULTS, includeDomains };
      const { results } = await post<{ results: { url: string; weak?: boolean }[] }>(
        `${server.address}/v1/search`,
        body,
      );
      return results.map(({ url, weak }) => ({ url, isWeak: weak === true }));
    },
    async searchInside(query, includeDomains = []) {
      const found = await index.search({
        ...NO_FILTERS,
        includeDomains,
        query: readQuery(query),
        limit: CANDIDATES,
      });
      return found.slice(0, RESULTS).map(({ url, isWeak }) => ({ url, isWeak }));
    },
    index,
    readPages: () => readPages(index),
    async close() {
      await index.close();
      await server.stop();
    },
  };
}

async function readPages(index: LocalIndex): Promise<IndexedPage[]> {
  const all: IndexedPage[] = [];
  for (let after: string | null = null; ; ) {
    const pages: IndexedPage[] = await index.pages({ selector: null, after, limit: PAGES_AT_ONCE });
    all.push(...pages);
    after = pages.at(-1)?.url ?? null;
    if (after === null) return all;
  }
}

/** Makes the run fail, in words, if a share that was measured over HTTP differs by more than a point from the one inside. */
export function compareShares(measure: string, { served, inside }: { served: number; inside: number }): void {
  if (Math.abs(served - inside) <= DIFFERENCE_MAX + Number.EPSILON) return;
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  console.log(`served and inside differ: ${measure}: ${percent(served)} and ${percent(inside)}`);
  process.exitCode = 1;
}

/** Posts JSON. A busy machine may refuse a call: it is made again. */
export async function post<T>(url: string, body: object, triesLeft = TRIES): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status === 200) return (await response.json()) as T;
  const said = await response.text();
  if (response.status !== 503 || triesLeft <= 1) throw new Error(`${response.status} from ${url}: ${said}`);
  await setTimeout(PAUSE_MS);
  return post(url, body, triesLeft - 1);
}
