import type { DatabaseSync } from 'node:sqlite';
import type { PageOrigin } from '../local-index-types.ts';

/*
 * page_origin  the corpus that a page was imported from; no row for a page that was read or crawled, or whose corpus is unknown
 * origin       the corpora, each once: a million pages share a few of them
 *
 * The tables are additional to the layout of index-schema.ts, as page_life is.
 */
export const ORIGIN_SCHEMA = `
create table if not exists origin (
  id integer primary key,
  source text not null,
  licence text not null,
  unique (source, licence)
) strict;
create table if not exists page_origin (
  page_id integer primary key references page (id) on delete cascade,
  origin_id integer not null references origin (id)
) strict;
`;

/** The stored value of an unknown licence. */
const NO_LICENCE = '';

/** Writes the rows of `page_origin`. */
export function createOriginWriter(
  database: DatabaseSync,
): (pageId: number | bigint, origin: PageOrigin | undefined) => void {
  const insert = database.prepare('insert or replace into page_origin values (?, ?)');
  const add = database.prepare('insert or ignore into origin (source, licence) values (?, ?)');
  const find = database.prepare('select id from origin where source = ? and licence = ?');
  return (pageId, origin) => {
    if (origin === undefined) return;
    const key = [origin.source, origin.licence ?? NO_LICENCE] as const;
    add.run(...key);
    insert.run(pageId, Number(find.get(...key)?.id));
  };
}

const buildOriginColumn = (column: string): string =>
  `(select ${column} from page_origin join origin on origin.id = origin_id where page_origin.page_id = page.id)`;
/** The columns of the corpus, for a query of `page`. */
export const ORIGIN_COLUMNS = `${buildOriginColumn('source')} as origin_source, ${buildOriginColumn('licence')} as origin_licence`;

/** Reads the origin from a row with the ORIGIN_COLUMNS; null if unknown. */
export function readOrigin(row: Record<string, unknown>): PageOrigin | null {
  const { origin_source: source, origin_licence: licence } = row;
  if (typeof source !== 'string') return null;
  return { source, licence: licence === NO_LICENCE ? null : String(licence) };
}

/** Returns whether the file has the tables; files of earlier versions lack them. */
export function hasOrigins(database: DatabaseSync): boolean {
  return database.prepare("select 1 from sqlite_schema where name = 'page_origin'").get() !== undefined;
}
