import type { DatabaseSync } from 'node:sqlite';
import type { PageLibrary } from '../text/query/library-filter.ts';

/*
 * page_library  the libraries that a page documents; no row for other pages
 *
 * The table is additional to the layout of index-schema.ts, as page_life is. The marks of the same facts (index-tokens.ts) find the pages;
 * this table says what a found page documents.
 */
export const LIBRARY_SCHEMA = `
create table if not exists page_library (
  page_id integer primary key references page (id) on delete cascade,
  versions text not null,
  kind text not null,
  is_private integer not null
) strict;
`;

const buildLibraryColumn = (column: string): string =>
  `(select ${column} from page_library where page_library.page_id = page.id) as library_${column}`;
/** The columns of the library, for a query of `page`. */
export const LIBRARY_COLUMNS = ['versions', 'kind', 'is_private'].map(buildLibraryColumn).join(', ');

/** Writes the rows of `page_library`. */
export function createLibraryWriter(
  database: DatabaseSync,
): (pageId: number | bigint, library: PageLibrary | undefined) => void {
  const insert = database.prepare('insert or replace into page_library values (?, ?, ?, ?)');
  return (pageId, library) => {
    if (library === undefined) return;
    const { versions, kind, isPrivate } = library;
    insert.run(pageId, JSON.stringify(versions), kind, Number(isPrivate));
  };
}

/** Creates a test of addresses whose page documents a library. */
export function createLibraryTest(database: DatabaseSync): (url: string) => boolean {
  const find = database.prepare('select 1 from page_library join page on page.id = page_id where url = ?');
  return (url) => find.get(url) !== undefined;
}

/** Reads the library from a row with the LIBRARY_COLUMNS; null if the page documents none. */
export function readLibrary(row: Record<string, unknown>): PageLibrary | null {
  const { library_versions: versions, library_kind: kind, library_is_private: isPrivate } = row;
  if (typeof versions !== 'string') return null;
  // Written by `createLibraryWriter`.
  return { versions: JSON.parse(versions) as string[], kind: String(kind), isPrivate: isPrivate === 1 };
}

/** Returns whether the file has the table; files of earlier versions lack it. */
export function hasLibraries(database: DatabaseSync): boolean {
  return database.prepare("select 1 from sqlite_schema where name = 'page_library'").get() !== undefined;
}
