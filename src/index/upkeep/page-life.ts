import type { DatabaseSync } from 'node:sqlite';
import type { IndexedPage } from '../local-index-types.ts';
import { createTextReader } from '../texts/page-texts.ts';
import {
  computeDueAt,
  estimateRevisitMs,
  NEVER,
  recordVisit,
  USED_AFTER_MS,
  type VisitHistory,
} from './revisit.ts';

/*
 * page_life    when a page was fetched, used and seen to change, and when it is due again; separate, small rows for fast updates.
 *              A file of an earlier version lacks them: upkeep adds them in steps.
 * forgetting   the epoch: the number of times that something was forgotten, so that other processes notice
 *
 * The tables are additional to the layout of index-schema.ts: a program that does not know them still reads and writes the file.
 */
export const LIFE_SCHEMA = `
create table if not exists page_life (
  page_id integer primary key references page (id) on delete cascade,
  bytes integer not null,
  fetched_at integer not null,
  used_at integer not null,
  visits integer not null,
  changes integer not null,
  watched_ms integer not null,
  due_at integer not null
) strict;
create index if not exists page_life_used on page_life (used_at);
create index if not exists page_life_due on page_life (due_at);
create table if not exists forgetting (id integer primary key check (id = 1), epoch integer not null) strict;
insert or ignore into forgetting values (1, 0);
`;

/** A page that is about to be replaced: its visits, times and text. */
type ReplacedPage = VisitHistory & { fetchedAt: number; usedAt: number; markdown: string };

/** Keeps the rows of `page_life`; times in milliseconds since the epoch. */
export type PageLives = {
  /** Must be read before a page is replaced; null for a new page. */
  earlier(id: number | null): ReplacedPage | null;
  put(
    id: number | bigint,
    page: IndexedPage,
    known: { earlier: ReplacedPage | null; bytes: number; at: number },
  ): void;
  /** Records that the page was read again and is unchanged in every part. */
  seenAgain(id: number, page: Pick<IndexedPage, 'url' | 'fetchedAt'>): void;
  /** Records that the origin confirmed the page as unchanged; returns the number of rows changed. */
  confirm(url: string, fetchedAt: number): number;
  used(url: string, at: number): number;
  postpone(url: string, until: number): number;
};

export function createPageLives(database: DatabaseSync): PageLives {
  const find = database.prepare(
    `select fetched_at, used_at, visits, changes, watched_ms from page_life where page_id = ?`,
  );
  const findByUrl = database.prepare(
    `select page_id, page_life.fetched_at, visits, changes, watched_ms from page_life join page on id = page_id where url = ?`,
  );
  const texts = createTextReader(database);
  const insert = database.prepare('insert or replace into page_life values (?, ?, ?, ?, ?, ?, ?, ?)');
  const confirmed = database.prepare(
    'update page_life set fetched_at = ?, visits = ?, watched_ms = ?, due_at = ? where page_id = ?',
  );
  const used = database.prepare(
    'update page_life set used_at = ? where page_id = (select id from page where url = ?) and used_at < ?',
  );
  const postponed = database.prepare(
    'update page_life set due_at = ? where page_id = (select id from page where url = ?)',
  );
  return {
    earlier(id) {
      if (id === null) return null;
      const row = find.get(id);
      if (row === undefined) return null;
      const { fetched_at: fetchedAt, used_at: usedAt } = row;
      const markdown = texts.read(id)?.markdown ?? '';
      return { ...readVisitHistory(row), fetchedAt: Number(fetchedAt), usedAt: Number(usedAt), markdown };
    },
    put(id, page, { earlier, bytes, at }) {
      const seen = recordVisit(earlier, {
        fetchedAt: page.fetchedAt,
        isChanged: earlier !== null && page.markdown !== earlier.markdown,
      });
      const { visits, changes, watchedMs } = seen;
      const usedAt = earlier?.usedAt ?? at;
      insert.run(id, bytes, page.fetchedAt, usedAt, visits, changes, watchedMs, computeDueAt(page, seen));
    },
    seenAgain(id, { url, fetchedAt }) {
      const row = find.get(id);
      if (row === undefined) return;
      const earlier = { ...readVisitHistory(row), fetchedAt: Number(row.fetched_at) };
      const seen = recordVisit(earlier, { fetchedAt, isChanged: false });
      confirmed.run(fetchedAt, seen.visits, seen.watchedMs, computeDueAt({ url, fetchedAt }, seen), id);
    },
    confirm(url, fetchedAt) {
      const row = findByUrl.get(url);
      if (row === undefined) return 0;
      const earlier = { ...readVisitHistory(row), fetchedAt: Number(row.fetched_at) };
      const seen = recordVisit(earlier, { fetchedAt, isChanged: false });
      if (seen.visits === earlier.visits) return 0;
      const due = computeDueAt({ url, fetchedAt }, seen);
      return Number(confirmed.run(fetchedAt, seen.visits, seen.watchedMs, due, row.page_id ?? null).changes);
    },
    used: (url, at) => Number(used.run(at, url, at - USED_AFTER_MS).changes),
    postpone: (url, until) => Number(postponed.run(until, url).changes),
  };
}

function readVisitHistory(row: Record<string, unknown>): VisitHistory {
  return {
    visits: Number(row.visits),
    changes: Number(row.changes),
    watchedMs: Number(row.watched_ms),
  };
}

/** Adds the rows missing among the `limit` pages after an id. Returns the last id examined; null if there is no page after the id. */
export function addMissingLives(
  database: DatabaseSync,
  { after, limit }: { after: number; limit: number },
): number | null {
  const last = database
    .prepare('select max(id) as id from (select id from page where id > ? order by id limit ?)')
    .get(after, limit)?.id;
  if (last === null || last === undefined) return null;
  database
    .prepare(
      `insert or ignore into page_life
       select id, 3 * length(text), fetched_at, fetched_at, 0, 0, 0,
         case when url like 'http%' then fetched_at + ? else ? end
       from page join page_text on page_text.page_id = id
       where id > ? and id <= ? and id not in (select page_id from page_life)`,
    )
    .run(estimateRevisitMs({ visits: 0, changes: 0, watchedMs: 0 }), NEVER, after, Number(last));
  return Number(last);
}
