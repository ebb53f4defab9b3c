import type { DatabaseSync } from 'node:sqlite';
import type { HostRanking, HostStanding, StandingsPart, StandingsQuery } from './host-ranker.ts';
import type { Standing } from './standing.ts';

/*
 * host_standing  the standing of each host by the last ranking that included it; `signals` is JSON
 * host_ranking   the last complete ranking, as JSON
 *
 * The tables are additional to the layout of index-schema.ts, as page_life is. They do not follow pages: hosts added since the ranking
 * have no row.
 */
export const STANDING_SCHEMA = `
create table if not exists host_standing (
  host text primary key,
  ranked_at integer not null,
  pages integer not null,
  authority real not null,
  damping real not null,
  signals text not null
) strict, without rowid;
create table if not exists host_ranking (id integer primary key check (id = 1), ranking text not null) strict;
`;

type StandingWriter = {
  /** Writes a part of a ranking in one transaction. The last part removes hosts that are not in it and invalidates cached answers. */
  put(part: StandingsPart): void;
  /** Deletes the standings of the hosts of the pages; must be called within a transaction. */
  forget(urls: readonly string[]): void;
};

export function createStandingWriter(database: DatabaseSync): StandingWriter {
  const insert = database.prepare('insert or replace into host_standing values (?, ?, ?, ?, ?, ?)');
  const removeOthers = database.prepare('delete from host_standing where ranked_at < ?');
  const setRanking = database.prepare('insert or replace into host_ranking values (1, ?)');
  const countChange = database.prepare('update total set changes = changes + 1');
  const remove = database.prepare('delete from host_standing where host = ?');
  const put: StandingWriter['put'] = ({ rankedAt, standings, ranking }) => {
    database.exec('begin immediate');
    try {
      for (const { host, pages, authority, damping, signals } of standings)
        insert.run(host, rankedAt, pages, authority, damping, JSON.stringify(signals));
      if (ranking !== null) {
        removeOthers.run(rankedAt);
        setRanking.run(JSON.stringify(ranking));
        countChange.run();
      }
      database.exec('commit');
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
  };
  return {
    put,
    forget(urls) {
      for (const host of new Set(urls.map((url) => URL.parse(url)?.host ?? ''))) remove.run(host);
    },
  };
}

/** Reads the standing of a page's host; null if unknown. */
export function createStandings(database: DatabaseSync): (pageId: number) => Standing | null {
  const find = database.prepare(
    'select authority, damping from host_standing where host = (select host from page where id = ?)',
  );
  return (pageId) => (find.get(pageId) as Standing | undefined) ?? null;
}

/** Reads of the host ranking for the operator. */
export type RankedHosts = {
  ranking(): HostRanking | null;
  /** Hosts with the most authority first, or those that are damped, the most damped first. */
  standings(query: StandingsQuery): HostStanding[];
};

export function createRankedHosts(database: DatabaseSync): RankedHosts {
  const last = database.prepare('select ranking from host_ranking');
  const columns = 'select host, pages, authority, damping, signals from host_standing';
  const best = database.prepare(`${columns} order by authority desc, pages desc, host limit ?`);
  const damped = database.prepare(
    `${columns} where damping > 0 order by damping desc, pages desc, host limit ?`,
  );
  return {
    ranking() {
      const row = last.get();
      return row === undefined ? null : JSON.parse(String(row.ranking));
    },
    standings: ({ onlyDamped, limit }) =>
      (onlyDamped ? damped : best)
        .all(limit)
        .map((row) => ({ ...row, signals: JSON.parse(String(row.signals)) }) as HostStanding),
  };
}
