import assert from 'node:assert/strict';
import type { FrontierRow } from '../frontier/frontier-types.ts';
import { createRowQueues, type RowQueues } from '../frontier/row-queues.ts';
import type { SiteRow } from './site-types.ts';

/** The waiting rows of a site crawl by host; decides which is visited next. */
export type SiteQueues = {
  /** Returns the hosts of the site; other hosts only once no row of the site is waiting, so that they take no page from it. */
  hosts(): string[];
  peek(host: string): Promise<SiteRow | null>;
  take(row: FrontierRow): void;
  putBack(row: FrontierRow): void;
  put(row: SiteRow): void;
  /** Moves the row to its new position after a change. */
  touch(row: SiteRow): void;
  retry(row: SiteRow, notBefore: number): void;
  settled(row: SiteRow): void;
};

type SiteQueuesOptions = {
  /** Links of pages at this depth are not followed. */
  depthMax: number;
  breadthMax: number;
  /** Maximum visits of pages that are not wanted but lead to others. */
  passesMax: number;
  /** True if pages are visited even if their links are not followed. */
  visitsLeaves: boolean;
  /** Returns whether the page of the row is known under another address. */
  isSpent(row: SiteRow): boolean;
  /** Number of pages that still fit into the answer. */
  room(): number;
};

export function createSiteQueues(options: SiteQueuesOptions): SiteQueues {
  const rows = new Map<number, SiteRow>();
  let insideTaken = 0;
  let passes = options.passesMax;
  const isVisited = ({ verdict, depth }: SiteRow): boolean => {
    const leads = verdict.inside && depth < options.depthMax;
    if (!options.visitsLeaves) return leads;
    return verdict.wanted || (leads && passes > 0);
  };
  const isNext = (row: SiteRow): boolean =>
    row.state === 'pending' && isVisited(row) && !options.isSpent(row);
  const inside = createRowQueues(isNext, compareBestLast);
  const outside = createRowQueues(isNext, compareBestLast);
  /** Also true while visits in progress may still fill the answer. */
  const shouldVisitSiteFirst = (): boolean =>
    inside.hasNext() || (insideTaken > 0 && options.room() <= insideTaken * (options.breadthMax + 1));
  const selectQueues = (): RowQueues<SiteRow> => (shouldVisitSiteFirst() ? inside : outside);
  const put = (row: SiteRow): void => {
    rows.set(row.id, row);
    (row.verdict.inside ? inside : outside).put(row);
  };
  const countTaken = (row: SiteRow, more: number): void => {
    if (row.verdict.inside) insideTaken += more;
  };
  const release = (row: SiteRow): void => {
    countTaken(row, -1);
    row.state = 'pending';
    put(row);
  };
  const resolveRow = ({ id }: FrontierRow): SiteRow => {
    const row = rows.get(id);
    assert(row !== undefined, `row ${id} is not of this site crawl`);
    return row;
  };
  return {
    hosts: () => selectQueues().hosts(),
    peek: async (host) => selectQueues().first(host),
    take(taken) {
      const row = resolveRow(taken);
      row.state = 'taken';
      if (!row.verdict.wanted) passes -= 1;
      countTaken(row, 1);
    },
    putBack: (given) => release(resolveRow(given)),
    put,
    touch(row) {
      if (row.state === 'pending') put(row);
    },
    retry(row, notBefore) {
      row.attempts += 1;
      row.not_before = notBefore;
      release(row);
    },
    settled(row) {
      countTaken(row, -1);
      row.state = 'lost';
    },
  };
}

/** Sorts the next row to the end: retries come after all others, wanted rows before the rest, then by interest, depth and order. */
function compareBestLast(left: SiteRow, right: SiteRow): number {
  return (
    right.attempts - left.attempts ||
    Number(left.verdict.wanted) - Number(right.verdict.wanted) ||
    left.interest - right.interest ||
    right.depth - left.depth ||
    right.id - left.id
  );
}
