import type { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../platform/store/node-sqlite-dialect.ts';

/** The sums over all pages at one moment. */
export type IndexTotals = {
  pages: number;
  title: number;
  headings: number;
  address: number;
  body: number;
  changes: number;
};

/** Of the file's layout and of the terms in it (rank/words.ts); another one is refused, since the index can be made again from the pages. */
const SCHEMA_VERSION = 2;

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

/** Opens the index file for writing, made when absent. Throws when it has another layout. */
export function openIndexFile(path: string): DatabaseSync {
  const database = openSqlite(path);
  database.exec('begin immediate');
  try {
    const version = database.prepare('pragma user_version').get()?.user_version;
    if (version === 0) database.exec(SCHEMA);
    else if (version !== SCHEMA_VERSION) {
      throw new Error(
        `${path} has layout ${version}, this version reads ${SCHEMA_VERSION}: remove it and index again`,
      );
    }
    database.exec('commit');
  } catch (error) {
    database.exec('rollback');
    database.close();
    throw error;
  }
  return database;
}
