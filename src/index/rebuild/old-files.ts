import { existsSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openExclusive } from '../../platform/store/open-sqlite.ts';

/** The queries for the columns that `readIndexedPage` needs, for every layout that this version can take pages from. */
const PAGES_OF_LAYOUT: Record<number, string> = {
  1: 'select * from page',
  2: 'select * from page',
  3: 'select * from page join page_text on page_text.page_id = page.id',
  4: 'select * from page join page_text on page_text.page_id = page.id',
};

const NAMES_MAX = 1_000;

/** Returns the query for all pages of a file, or null if this version does not know the layout. */
export function findPagesQuery(layout: number): string | null {
  return PAGES_OF_LAYOUT[layout] ?? null;
}

/** Reads the layout of an index file; 0: it is empty. */
export function readLayout(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
}

/**
 * Renames the index `index.db` to `index.layout-<layout>.db`, from which the next opening fills a new one. Does nothing if its
 * layout has changed, because another process was faster. Throws FileInUse.
 */
export function setIndexAside(path: string, expected: number): void {
  setAsideIf(path, (layout) => layout === expected);
}

/**
 * Makes the next opening rebuild the whole index; a rebuild that has begun continues. Returns false if there is no index. Throws
 * FileInUse.
 */
export function orderRebuild(path: string): boolean {
  if (listOldFiles(path).some((file) => findPagesQuery(parseLayout(file)) !== null)) return true;
  return setAsideIf(path, (layout) => layout > 0);
}

function setAsideIf(path: string, isWanted: (layout: number) => boolean): boolean {
  if (!existsSync(path)) return false;
  const database = openExclusive(path);
  try {
    const layout = readLayout(database);
    if (!isWanted(layout)) return false;
    renameSync(path, findFreeName(path, layout));
    return true;
  } finally {
    database.close();
  }
}

/** Lists the old files beside an index from which pages are taken over, in the order of their names. */
export function listOldFiles(path: string): string[] {
  if (!existsSync(dirname(path))) return [];
  const prefix = `${basename(path, '.db')}.layout-`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^\d+(?:-\d+)?\.db$/.test(name.slice(prefix.length)))
    .sort()
    .map((name) => join(dirname(path), name));
}

function parseLayout(file: string): number {
  return Number(/\.layout-(\d+)/.exec(basename(file))?.[1]);
}

function findFreeName(path: string, layout: number): string {
  const stem = path.replace(/\.db$/, '');
  for (let number = 1; number <= NAMES_MAX; number++) {
    const name = `${stem}.layout-${layout}${number === 1 ? '' : `-${number}`}.db`;
    if (!existsSync(name)) return name;
  }
  throw new Error(`too many files are named ${stem}.layout-*.db: remove those you do not need`);
}
