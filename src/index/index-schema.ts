import type { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../platform/store/open-sqlite.ts';
import { ensureRowSums } from '../platform/store/row-sums.ts';
import { ANCHOR_SCHEMA } from './anchors/page-anchors.ts';
import { STANDING_SCHEMA } from './hosts/standing-table.ts';
import type { IndexedPage } from './local-index-types.ts';
import { LIBRARY_SCHEMA, readLibrary } from './page-library.ts';
import { METADATA_SCHEMA, readMetadata } from './page-metadata.ts';
import { SEGMENT_SCHEMA } from './postings/segment-schema.ts';
import { readLayout, setIndexAside } from './rebuild/old-files.ts';
import { type KeptText, TEXT_SCHEMA } from './texts/page-texts.ts';
import { LIFE_SCHEMA } from './upkeep/page-life.ts';
import { ORIGIN_SCHEMA, readOrigin } from './upkeep/page-origin.ts';
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

/** Scales the totals to a part of the index. The field lengths of these pages are not counted, so they are assumed to be average. */
export function scaleTotals(all: IndexTotals, pages: number): IndexTotals {
  const share = all.pages === 0 ? 0 : pages / all.pages;
  const { title, headings, address, body, changes } = all;
  return {
    pages,
    title: share * title,
    headings: share * headings,
    address: share * address,
    body: share * body,
    changes,
  };
}

/** Version of the file's layout and of the terms in it (text/words); an index of another version is rebuilt from its pages (rebuild/). */
export const SCHEMA_VERSION = 4;
const OPENINGS_MAX = 10;
/** Rows of one to three thousand bytes fill such pages better than the usual 4,096. */
const PAGE_BYTES = 16_384;

/*
 * page        the properties of a page, and the number of terms of its fields; ids are never reused, and a replaced page gets a new one
 * page_text   its text (texts/)
 * page_words  the packed terms of a long page with their places, and its sketch for near-duplicates; other pages are read from their text
 * segment, posting, gone  which pages hold which terms and marks (postings/)
 * host, language, total   sums over the pages, kept in the same transaction
 */
const SCHEMA = `
create table page (
  id integer primary key autoincrement,
  url text not null unique,
  host text not null,
  title text not null,
  published_day text,
  language text,
  site text,
  author text,
  raw_chars integer not null,
  fetched_at integer not null,
  title_terms integer not null,
  heading_terms integer not null,
  address_terms integer not null,
  body_terms integer not null
) strict;
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
${TEXT_SCHEMA}${SEGMENT_SCHEMA}
pragma user_version = ${SCHEMA_VERSION};
`;

/**
 * Opens the index file for writing, creating it if absent. An index of another layout is set aside and a new one created. Throws
 * FileInUse.
 */
export function openIndexFile(path: string): DatabaseSync {
  // Another process may set the file aside, or create it, at any time.
  for (let opening = 1; ; opening++) {
    const database = openSqlite(path, { leavesNoTraces: true, pageBytes: PAGE_BYTES });
    const layout = ensureSchema(database);
    if (layout === SCHEMA_VERSION) {
      ensureRowSums(database);
      return database;
    }
    database.close();
    if (opening >= OPENINGS_MAX)
      throw new Error(`${path} has layout ${layout} however often it is set aside`);
    setIndexAside(path, layout);
  }
}

/** Creates the tables in an empty file and returns the layout of the file. */
function ensureSchema(database: DatabaseSync): number {
  database.exec('begin immediate');
  try {
    if (readLayout(database) === 0) database.exec(SCHEMA);
    if (readLayout(database) === SCHEMA_VERSION)
      database.exec(
        LIFE_SCHEMA +
          ANCHOR_SCHEMA +
          VECTOR_SCHEMA +
          METADATA_SCHEMA +
          ORIGIN_SCHEMA +
          LIBRARY_SCHEMA +
          STANDING_SCHEMA,
      );
    database.exec('commit');
    return readLayout(database);
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    database.close();
    throw error;
  }
}

/** Converts a row of `page` and the page's text, with the columns of `page_metadata` and of its corpus if they were selected. */
export function readIndexedPage(row: Record<string, unknown>, { headings, markdown }: KeptText): IndexedPage {
  const readText = (name: string): string | null => (row[name] === null ? null : String(row[name]));
  const declared = readMetadata(row);
  const origin = readOrigin(row);
  const library = readLibrary(row);
  return {
    url: String(row.url),
    title: String(row.title),
    headings,
    markdown,
    publishedDay: readText('published_day'),
    language: readText('language'),
    site: readText('site'),
    author: readText('author'),
    ...(declared === null ? {} : { declared }),
    ...(origin === null ? {} : { origin }),
    ...(library === null ? {} : { library }),
    rawChars: Number(row.raw_chars),
    fetchedAt: Number(row.fetched_at),
  };
}
