/**
 * Rebuilds an index of a new layout from the pages of older index files, in short steps between which the writer does other work. Pages
 * and progress are committed together, so a kill loses nothing. It does not decide when steps run: run-rebuild.ts does.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../../contract/errors.ts';
import { hasSecret } from '../../pages/privacy/secret-in-address.ts';
import { isDamage, moveAside, toSqliteFailure } from '../../platform/store/open-sqlite.ts';
import type { IndexedPage, PageSelector, Rebuilding } from '../local-index-types.ts';
import { createSelectorMatcher } from '../upkeep/page-selector.ts';
import { listOldFiles } from './old-files.ts';
import { type OldIndex, OldIndexDamaged, openOldIndex, UnknownLayout } from './old-index.ts';

/** Progress of a rebuild (null: there is none, or it is finished), and the problems found since the last report. */
export type RebuildReport = { rebuilding: Rebuilding | null; problems: string[] };

/** Fills an index with the pages of the older files beside it, in short steps between which the writer does other work. */
export type TakeOver = {
  report(): RebuildReport;
  /** Takes over the next few pages, in one transaction. */
  step(): RebuildReport;
  /** A page that may not have been taken over yet. */
  get(url: string): IndexedPage | null;
  /** Some selected addresses that may not have been taken over yet. */
  urls(selector: PageSelector): string[];
  /** Removes a page before it is taken over; returns whether there was one. */
  remove(url: string): boolean;
  close(): void;
};

/** Writes a page to the new index; `flush` must be called before the transaction ends. */
type Put = (page: IndexedPage) => void;

export function createTakeOver(
  path: string,
  { database, put, flush }: { database: DatabaseSync; put: Put; flush(): void },
): TakeOver {
  const problems: string[] = [];
  const olds = openAll(path, problems);
  if (olds.length === 0) return createEmptyTakeOver(problems);
  const places = createPlaces(database);
  const take = createTake(database, put);
  const leave = (old: OldIndex): void => {
    olds.shift();
    places.forget(old);
  };
  const takeNext = (old: OldIndex): void => {
    const place = places.of(old);
    // If the file is gone, another process that rebuilds the same index was faster.
    const rows = old.exists() ? old.after(place.afterId) : [];
    const last = rows.at(-1);
    if (last === undefined) {
      old.discard();
      leave(old);
    } else {
      problems.push(...rows.map((row) => take(() => old.page(row))).filter((problem) => problem !== null));
      flush();
      places.move(old, { afterId: last.id, pages: place.pages + rows.length });
    }
  };
  const report = (): RebuildReport => ({
    rebuilding:
      olds.length === 0
        ? null
        : sumProgress(olds.map((old) => ({ pages: places.of(old).pages, of: old.pages }))),
    problems: problems.splice(0),
  });
  return {
    report,
    step() {
      const [old] = olds;
      if (old === undefined) return report();
      database.exec('begin immediate');
      try {
        takeNext(old);
        database.exec('update total set changes = changes + 1; commit');
      } catch (error) {
        database.exec('rollback');
        if (!(error instanceof OldIndexDamaged)) throw error;
        old.close();
        problems.push(
          `${old.path} is damaged (${error.message}); what is left of it is kept as ${moveAside(old.path)}`,
        );
        leave(old);
      }
      return report();
    },
    get: (url) => olds.map((old) => old.get(url)).find((page) => page !== null) ?? null,
    urls: (selector) => olds.flatMap((old) => old.urls(createSelectorMatcher(selector))),
    remove: (url) => olds.map((old) => old.remove(url)).some((removed) => removed),
    close() {
      for (const old of olds) old.close();
    },
  };
}

function createEmptyTakeOver(problems: string[]): TakeOver {
  const report = (): RebuildReport => ({ rebuilding: null, problems: problems.splice(0) });
  return { report, step: report, get: () => null, urls: () => [], remove: () => false, close() {} };
}

/** Opens the old files that can be read, and adds a problem for each of the others. */
function openAll(path: string, problems: string[]): OldIndex[] {
  return listOldFiles(path).flatMap((file) => {
    try {
      return [openOldIndex(file)];
    } catch (error) {
      if (error instanceof UnknownLayout) problems.push(error.message);
      else if (isDamage(error))
        problems.push(`${file} is damaged (${error}); it is kept as ${moveAside(file)}`);
      else throw error;
      return [];
    }
  });
}

function sumProgress(parts: Rebuilding[]): Rebuilding {
  const pages = parts.reduce((sum, part) => sum + part.pages, 0);
  return {
    pages,
    of: Math.max(
      pages,
      parts.reduce((sum, part) => sum + part.of, 0),
    ),
  };
}

type Place = { afterId: number; pages: number };

/** Keeps the position in each old file in the new index, so that pages and positions are committed together. */
function createPlaces(database: DatabaseSync) {
  database.exec(
    'create table if not exists rebuild (file text primary key, after_id integer not null, pages integer not null) strict',
  );
  const find = database.prepare('select after_id as afterId, pages from rebuild where file = ?');
  const set = database.prepare('insert or replace into rebuild values (?, ?, ?)');
  const remove = database.prepare('delete from rebuild where file = ?');
  return {
    of: ({ name }: OldIndex): Place => (find.get(name) as Place | undefined) ?? { afterId: 0, pages: 0 },
    move: ({ name }: OldIndex, { afterId, pages }: Place) => void set.run(name, afterId, pages),
    forget: ({ name }: OldIndex) => void remove.run(name),
  };
}

/** Takes over one page, unless the index has a newer version; returns the problem if that fails, else null. */
function createTake(database: DatabaseSync, put: Put): (read: () => IndexedPage) => string | null {
  const newer = database.prepare('select 1 from page where url = ? and fetched_at >= ?');
  return (read) => {
    database.exec('savepoint page');
    try {
      const page = read();
      if (!hasSecret(page.url) && newer.get(page.url, page.fetchedAt) === undefined) put(page);
      database.exec('release page');
      return null;
    } catch (error) {
      if (toSqliteFailure(error) instanceof StoreUnavailable) throw error;
      database.exec('rollback to page; release page');
      return `a page of the older index could not be taken over: ${error instanceof Error ? error.message : error}`;
    }
  };
}
