import { existsSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isDamage, openSqlite } from '../../platform/store/open-sqlite.ts';
import { listCompanions } from '../../platform/store/private-files.ts';
import { readIndexedPage } from '../index-schema.ts';
import type { IndexedPage } from '../local-index-types.ts';
import { hasLibraries, LIBRARY_COLUMNS } from '../page-library.ts';
import { hasMetadata, JOIN_METADATA } from '../page-metadata.ts';
import { createTextReader } from '../texts/page-texts.ts';
import { hasOrigins, ORIGIN_COLUMNS } from '../upkeep/page-origin.ts';
import { findPagesQuery, readLayout } from './old-files.ts';

/** The pages of an index file that was set aside. */
export type OldIndex = {
  path: string;
  /** File name without the folder, which may be moved. */
  name: string;
  /** Number of pages when the file was opened. */
  pages: number;
  /** The next pages by id, a few at a time; empty at the end. Throws OldIndexDamaged. */
  after(id: number): Row[];
  /** The page of a row. */
  page(row: Row): IndexedPage;
  get(url: string): IndexedPage | null;
  /** Matching addresses, at most URLS_AT_ONCE. */
  urls(isMeant: (url: string) => boolean): string[];
  /** Returns whether there was such a page. */
  remove(url: string): boolean;
  /** False once another process has finished with the file. */
  exists(): boolean;
  close(): void;
  /** Closes and deletes the file. */
  discard(): void;
};

/** A row of a page, which `page` reads. */
type Row = Record<string, unknown> & { id: number };

export class OldIndexDamaged extends Error {}

/** Bounds of one read, during which other changes of the index wait. */
const PAGES_AT_ONCE = 16;
const CHARS_AT_ONCE = 500_000;
const URLS_AT_ONCE = 100;
/** Approximate characters per byte of compressed text. */
const CHARS_PER_BYTE = 3;

/** Opens the file. Throws OldIndexDamaged, or UnknownLayout if this version cannot read it. */
export function openOldIndex(path: string): OldIndex {
  const database = openSqlite(path, { wal: false });
  const layout = readLayout(database);
  const select = findPagesQuery(layout);
  if (select === null) {
    database.close();
    throw new UnknownLayout(`${path} has layout ${layout}, which this version cannot read; the file is kept`);
  }
  const selectAll = joinOwnTables(database, select);
  const rows = database.prepare(`${selectAll} where id > ? order by id limit ${PAGES_AT_ONCE}`);
  const row = database.prepare(`${selectAll} where url = ?`);
  const urls = database.prepare('select url from page');
  const page = createPageReader(database, layout);
  const removal = database.prepare('delete from page where url = ?');
  return {
    path,
    name: basename(path),
    pages: Number(database.prepare('select count(*) as pages from page').get()?.pages),
    after(id) {
      try {
        return takeFew(rows.iterate(id) as Iterable<Row>);
      } catch (error) {
        throw isDamage(error) ? new OldIndexDamaged(String(error), { cause: error }) : error;
      }
    },
    page,
    get(url) {
      const found = row.get(url);
      return found === undefined ? null : page(found as Row);
    },
    urls(isMeant) {
      const found: string[] = [];
      for (const { url } of urls.iterate()) {
        if (isMeant(String(url))) found.push(String(url));
        if (found.length >= URLS_AT_ONCE) break;
      }
      return found;
    },
    remove: (url) => Number(removal.run(url).changes) > 0,
    exists: () => existsSync(path),
    close: () => database.close(),
    discard() {
      database.close();
      for (const file of listCompanions(path)) rmSync(file, { force: true });
    },
  };
}

/** Adds the columns of the metadata, origin and library tables to a query, if the file has them. */
function joinOwnTables(database: DatabaseSync, select: string): string {
  const columns = [
    ...(hasOrigins(database) ? [ORIGIN_COLUMNS] : []),
    ...(hasLibraries(database) ? [LIBRARY_COLUMNS] : []),
  ];
  const selected = select.replace('select *', ['select *', ...columns].join(', '));
  return hasMetadata(database) ? `${selected} ${JOIN_METADATA}` : selected;
}

/** Creates a reader of rows; up to layout 2, texts were columns of `page`. */
function createPageReader(database: DatabaseSync, layout: number): (row: Row) => IndexedPage {
  if (layout <= 2)
    return (row) =>
      readIndexedPage(row, { headings: JSON.parse(String(row.headings)), markdown: String(row.markdown) });
  const texts = createTextReader(database);
  return (row) => readIndexedPage(row, texts.textOf(row));
}

export class UnknownLayout extends Error {}

function takeFew(rows: Iterable<Row>): Row[] {
  const few: Row[] = [];
  let chars = 0;
  for (const row of rows) {
    few.push(row);
    chars +=
      row.markdown === undefined
        ? CHARS_PER_BYTE * (row.text as Uint8Array).length
        : String(row.markdown).length;
    if (chars >= CHARS_AT_ONCE) break;
  }
  return few;
}
