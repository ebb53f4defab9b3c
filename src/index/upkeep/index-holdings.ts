import type { DatabaseSync } from 'node:sqlite';
import { DAY_MS } from '../../platform/clock.ts';
import type { OutlinesStep } from '../hosts/host-ranker.ts';
import { buildOutline } from '../hosts/page-outline.ts';
import type { HeldPage, HoldingsQuery, IndexedPage, IndexStats } from '../local-index-types.ts';
import { createSelectorMatcher, listRanges } from './page-selector.ts';

/** Reads the contents of the index for its operator. */
export type IndexHoldings = {
  list(query: HoldingsQuery): HeldPage[];
  /** The pages that were fetched last, the newest first. */
  recent(limit: number): HeldPage[];
  /** Only the addresses of pages. */
  urls(query: HoldingsQuery): string[];
  pages(query: HoldingsQuery): IndexedPage[];
  outlines(query: HoldingsQuery): OutlinesStep;
  /** Addresses that are due for a visit, the longest overdue first. */
  due(query: { at: number; limit: number }): string[];
  stats(query: { at: number }): IndexStats;
  /** Changes whenever something was forgotten, by whichever process. */
  epoch(): number;
};

const AGE_DAYS = [1, 7, 30, 90, 365];
const HOSTS_SHOWN = 20;

/** `toPage` reads a row of `page`. */
export function createHoldings(
  database: DatabaseSync,
  toPage: (url: string) => IndexedPage | null,
): IndexHoldings {
  const inRange = database.prepare(
    'select url from page where url > ? and url >= ? and url <= ? order by url limit ?',
  );
  const hosts = database.prepare('select name from host order by name');
  const held = database.prepare(
    `select url, title, coalesce(page_life.fetched_at, page.fetched_at) as fetchedAt,
       coalesce(used_at, page.fetched_at) as usedAt, coalesce(bytes, 0) as bytes
     from page left join page_life on page_id = id where url = ?`,
  );
  const recent = database.prepare(
    `select url, title, page_life.fetched_at as fetchedAt, used_at as usedAt, bytes
     from (select page_id, fetched_at, used_at, bytes from page_life order by fetched_at desc limit ?) as page_life
     join page on page_id = id order by page_life.fetched_at desc, url`,
  );
  const due = database.prepare(
    'select url from page_life join page on id = page_id where due_at <= ? order by due_at limit ?',
  );
  const epoch = database.prepare('select epoch from forgetting');
  const listUrls = ({ selector, after, limit }: HoldingsQuery): string[] => {
    const isSelected = selector === null ? () => true : createSelectorMatcher(selector);
    const listHostNames = (): string[] => hosts.all().map(({ name }) => String(name));
    const found: string[] = [];
    for (const { from, to } of listRanges(selector, listHostNames).sort((a, b) =>
      a.from < b.from ? -1 : 1,
    )) {
      let last = after ?? '';
      while (found.length < limit) {
        const rows = inRange.all(last, from, to, limit).map(({ url }) => String(url));
        found.push(...rows.filter(isSelected));
        last = rows.at(-1) ?? last;
        if (rows.length < limit) break;
      }
    }
    return [...new Set(found)].slice(0, limit);
  };
  return {
    urls: listUrls,
    list: (query) => listUrls(query).map((url) => ({ ...held.get(url) }) as HeldPage),
    recent: (limit) => recent.all(limit).map((row) => ({ ...row }) as HeldPage),
    pages: (query) =>
      listUrls(query)
        .map(toPage)
        .filter((page) => page !== null),
    outlines(query) {
      const found = listUrls(query);
      const outlines = found.map(toPage).flatMap((page) => (page === null ? [] : [buildOutline(page)]));
      return { outlines, last: found.at(-1) ?? null };
    },
    due: ({ at, limit }) => due.all(at, limit).map(({ url }) => String(url)),
    stats: ({ at }) => readStats(database, at),
    epoch: () => Number(epoch.get()?.epoch),
  };
}

function readStats(database: DatabaseSync, at: number): IndexStats {
  const readNumber = (sql: string, ...values: number[]): number =>
    Number(Object.values(database.prepare(sql).get(...values) ?? {})[0] ?? 0);
  const pages = readNumber('select pages from total');
  const since = AGE_DAYS.map((days) =>
    readNumber('select count(*) from page_life where fetched_at >= ?', at - days * DAY_MS),
  );
  const ages = [...AGE_DAYS, null].map((daysMax, place) => ({
    daysMax,
    pages: (since[place] ?? pages) - (since[place - 1] ?? 0),
  }));
  const readCounts = (sql: string): [string, number][] =>
    database
      .prepare(sql)
      .all()
      .map(({ name, pages: count }) => [String(name), Number(count)]);
  return {
    pages,
    hosts: readNumber('select count(*) from host'),
    bytes: readNumber('select page_count * page_size from pragma_page_count, pragma_page_size'),
    textBytes: readNumber('select sum(bytes) from page_life'),
    ages,
    languages: readCounts('select name, pages from language where pages > 0 order by pages desc, name').map(
      ([language, count]) => ({ language, pages: count }),
    ),
    largestHosts: readCounts(
      `select name, pages from host order by pages desc, name limit ${HOSTS_SHOWN}`,
    ).map(([host, count]) => ({ host, pages: count })),
  };
}
