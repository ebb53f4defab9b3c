import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { filtersOf, filtersSet } from '../text/query/filters.ts';
import { domainExpressions } from './index-marks.ts';
import type { IndexQuery } from './local-index-types.ts';

/** The pages that the filters of a query let in, found once per search and kept while the index stays as it is. */
export type Admitted = { has(id: number): boolean; count: number; ids(): number[] };

/** Null when the query filters nothing. */
type Admission = (query: IndexQuery, changes: number) => Admitted | null;

const FILTERS_KEPT = 8;

export function createAdmission(database: DatabaseSync): Admission {
  const matching = database.prepare('select rowid from term where term match ?');
  const published = database.prepare(
    'select id from page where published_day is not null and published_day between ? and ?',
  );
  const all = database.prepare('select id from page');
  for (const statement of [matching, published, all]) statement.setReturnArrays(true);
  const kept = new LRUCache<string, { changes: number; admitted: Admitted }>({ max: FILTERS_KEPT });

  const idsOf = (rows: unknown): number[] => (rows as [number][]).map(([id]) => id);
  const find = (query: IndexQuery): Admitted => {
    const { within, without } = domainExpressions(query);
    const dated = query.publishedFrom !== null || query.publishedTo !== null;
    let ids: number[] | null = null;
    if (within !== null) ids = idsOf(matching.all(within));
    if (dated) {
      const inTime = idsOf(published.all(query.publishedFrom ?? '', query.publishedTo ?? '9999-99-99'));
      ids = ids === null ? inTime : intersection(ids, inTime);
    }
    ids ??= idsOf(all.all());
    return admit(ids, without === null ? [] : idsOf(matching.all(without)));
  };
  return (query, changes) => {
    if (filtersSet(query).length === 0) return null;
    const key = JSON.stringify(filtersOf(query));
    const known = kept.get(key);
    if (known?.changes === changes) return known.admitted;
    const admitted = find(query);
    kept.set(key, { changes, admitted });
    return admitted;
  };
}

function intersection(left: number[], right: number[]): number[] {
  const there = new Set(right);
  return left.filter((id) => there.has(id));
}

/** One byte per id: ids are dense, and a lookup is made for every page that a question finds. */
function admit(ids: number[], except: number[]): Admitted {
  const last = ids.reduce((max, id) => Math.max(max, id), 0);
  const entries = new Uint8Array(last + 1);
  for (const id of ids) entries[id] = 1;
  for (const id of except) if (id <= last) entries[id] = 0;
  return {
    has: (id) => entries[id] === 1,
    count: entries.reduce((sum, one) => sum + one, 0),
    ids: () => ids.filter((id) => entries[id] === 1),
  };
}
