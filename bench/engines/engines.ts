import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLocalIndex } from '../../src/index/local-index.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { createLog } from '../../src/platform/log.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { plainText } from '../../src/text/words/plain-text.ts';
import { openPlainFts } from '../million/plain-fts.ts';

/** A search engine that is compared. */
export type Engine = {
  name: string;
  /** Whether what it has on disk includes the texts. */
  keepsTexts: boolean;
  add(pages: IndexedPage[]): Promise<void>;
  /** Ends what it does in the background. */
  settle(): Promise<void>;
  find(query: string, limit: number): Promise<string[]>;
  bytes(): number;
  close(): Promise<void>;
};

/** In a folder; `installed`: where LanceDB may be. Null: it is not installed. */
type Open = (folder: string, installed: string | undefined) => Promise<Engine | null>;

export const openOurs: Open = async (folder) => {
  const path = join(folder, 'ours.db');
  const index = await createLocalIndex({ path, log: createLog('warn') });
  return {
    name: 'ours',
    keepsTexts: true,
    add: index.put,
    settle: index.tidy,
    close: index.close,
    find: async (query, limit) =>
      (await index.search({ ...NO_FILTERS, query: readQuery(query), limit })).map(({ url }) => url),
    bytes: () => statSync(path).size,
  };
};

export const openPlain: Open = async (folder) => {
  const plain = openPlainFts(join(folder, 'plain.db'));
  return {
    name: 'plain FTS5',
    keepsTexts: false,
    add: async (pages) => plain.add(pages),
    settle: async () => {},
    find: async (query, limit) => plain.find(query, limit),
    bytes: plain.bytes,
    close: async () => plain.close(),
  };
};

/** What is used of `@lancedb/lancedb`. */
type Lance = {
  connect(path: string): Promise<{
    createTable(name: string, rows: Record<string, string>[]): Promise<LanceTable>;
  }>;
  Index: { fts(options: object): object };
  MatchQuery: new (query: string, column: string) => object;
};
type LanceTable = {
  add(rows: Record<string, string>[]): Promise<unknown>;
  createIndex(column: string, options: { config: object }): Promise<void>;
  search(query: object): { limit(count: number): { toArray(): Promise<{ url: string }[]> } };
  close(): void;
};

export const openLance: Open = async (folder, installed) => {
  if (installed === undefined) {
    console.log('LanceDB: not measured, --lance names no folder with it');
    return null;
  }
  const file = createRequire(join(installed, 'package.json')).resolve('@lancedb/lancedb');
  // The package is CommonJS; its types are not installed here.
  const { default: lance } = (await import(pathToFileURL(file).href)) as { default: Lance };
  const path = join(folder, 'lance');
  const database = await lance.connect(path);
  let table: LanceTable | null = null;
  return {
    name: 'LanceDB',
    keepsTexts: true,
    async add(pages) {
      const rows = pages.map(({ url, title, markdown }) => ({
        url,
        text: `${title}\n${plainText(markdown)}`,
      }));
      if (table === null) table = await database.createTable('pages', rows);
      else await table.add(rows);
    },
    async settle() {
      await table?.createIndex('text', { config: lance.Index.fts({ withPosition: false }) });
    },
    async find(query, limit) {
      const found = await table?.search(new lance.MatchQuery(query, 'text')).limit(limit).toArray();
      return (found ?? []).map(({ url }) => url);
    },
    bytes: () => bytesBelow(path),
    close: async () => table?.close(),
  };
};

const bytesBelow = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + statSync(join(folder, name)).size,
    0,
  );
