import type { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../platform/store/open-sqlite.ts';
import type { IndexedPage } from './local-index-types.ts';
import { METADATA_SCHEMA, metadataOf } from './page-metadata.ts';
import { layoutOf, setIndexAside } from './rebuild/old-files.ts';
import { LIFE_SCHEMA } from './upkeep/page-life.ts';
import { ORIGIN_SCHEMA, originOf } from './upkeep/page-origin.ts';
import { VECTOR_SCHEMA } from './vectors/page-vectors.ts';

/** The sums over all pages at one moment. */
export type IndexTotals = {
  pages: number;
  title: number;
  headings: number;
  address: number;
  body: number;
  changes: number;
};

/** Of the file's layout and of the terms in it (text/words); an index of another one is rebuilt from its pages (rebuild/). */
export const SCHEMA_VERSION = 2;
const OPENINGS_MAX = 10;

/*
 * page        a page as it was given
 * page_words  its terms with their places, packed, and the sketch for near-duplicates
 * term        FTS5 over the distinct terms and the marks of index-tokens.ts: which pages hold what, nothing else
 * host, language, total   sums over the pages, kept in the same transaction
 */
const SCHEMA = `
create table page (
  id integer primary key,
  url text not null unique,
  host text not null,
  title text not null,
  headings text not null,
  markdown text not null,
  published_day text,
  language text,
  site text,
  author text,
  raw_chars integer not null,
  fetched_at integer not null
) strict;
create index page_published on page (published_day) where published_day is not null;
create table page_words (
  page_id integer primary key references page (id) on delete cascade,
  words blob not null,
  sketch blob not null
) strict;
create table host (name text primary key, pages integer not null) strict, without rowid;
create table language (name text primary key, pages integer not null) strict, without rowid;
create table total (
  id integer primary key check (id = 1),
  pages integer not null,
  title integer not null,
  headings integer not null,
  address integer not null,
  body integer not null,
  changes integer not null
) strict;
insert into total values (1, 0, 0, 0, 0, 0, 0);
create virtual table term using fts5 (
  terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '._-:+#$@^=/'"
);
create virtual table term_row using fts5vocab (term, 'row');
pragma user_version = ${SCHEMA_VERSION};
`;

/** Opens the index file for writing, created if absent. An index of another layout is set aside, and a new one created. Throws FileInUse. */
export function openIndexFile(path: string): DatabaseSync {
  // Another process may set the file aside, or create it, at any time.
  for (let opening = 1; ; opening++) {
    const database = openSqlite(path, { leavesNoTraces: true });
    const layout = createdLayoutOf(database);
    if (layout === SCHEMA_VERSION) return database;
    database.close();
    if (opening >= OPENINGS_MAX)
      throw new Error(`${path} has layout ${layout} however often it is set aside`);
    setIndexAside(path, layout);
  }
}

/** The layout of the file; an empty one gets that of this version first. */
function createdLayoutOf(database: DatabaseSync): number {
  database.exec('begin immediate');
  try {
    if (layoutOf(database) === 0) database.exec(SCHEMA);
    if (layoutOf(database) === SCHEMA_VERSION)
      database.exec(LIFE_SCHEMA + VECTOR_SCHEMA + METADATA_SCHEMA + ORIGIN_SCHEMA);
    database.exec('commit');
    return layoutOf(database);
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    database.close();
    throw error;
  }
}

/** A row of `page`, with the columns of `page_metadata` and of its corpus where they were read. */
export function pageOf(row: Record<string, unknown>): IndexedPage {
  const text = (name: string): string | null => (row[name] === null ? null : String(row[name]));
  const declared = metadataOf(row);
  const origin = originOf(row);
  return {
    url: String(row.url),
    title: String(row.title),
    headings: JSON.parse(String(row.headings)),
    markdown: String(row.markdown),
    publishedDay: text('published_day'),
    language: text('language'),
    site: text('site'),
    author: text('author'),
    ...(declared === null ? {} : { declared }),
    ...(origin === null ? {} : { origin }),
    rawChars: Number(row.raw_chars),
    fetchedAt: Number(row.fetched_at),
  };
}
