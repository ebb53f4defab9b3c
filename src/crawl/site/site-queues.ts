import type { FrontierRow } from '../frontier/frontier.ts';
import type { SiteFrontierOptions } from './site-frontier.ts';
import type { SiteRow } from './site-rows.ts';

/** Who is visited next: the rows of a walk that wait, by host. */
export type SiteQueues = {
  /** Hosts of the site; others only once nothing of the site waits, and take no page from it. */
  hosts(): string[];
  peek(host: string): Promise<SiteRow | null>;
  take(row: FrontierRow): void;
  giveBack(row: FrontierRow): void;
  put(row: SiteRow): void;
  /** Its place may have changed. */
  touch(row: SiteRow): void;
  retry(row: SiteRow, notBefore: number): void;
  settled(row: SiteRow): void;
};

type Queue = { rows: SiteRow[]; isSorted: boolean };

/** The queues of a walk, empty. */
export function createSiteQueues(
  options: Pick<SiteFrontierOptions, 'depthMax' | 'breadthMax' | 'passesMax' | 'visitsLeaves'> & {
    isSpent(row: SiteRow): boolean;
    /** Pages that still fit into the answer. */
    room(): number;
  },
): SiteQueues {
  const inside = new Map<string, Queue>();
  const outside = new Map<string, Queue>();
  const byId = new Map<number, SiteRow>();
  let insideOpen = 0;
  let passes = options.passesMax;

  const queueOf = ({ verdict, host }: SiteRow): Queue => {
    const queues = verdict.inside ? inside : outside;
    const queue = queues.get(host) ?? { rows: [], isSorted: true };
    queues.set(host, queue);
    return queue;
  };
  const isVisited = ({ verdict, depth }: SiteRow): boolean => {
    const leads = verdict.inside && depth < options.depthMax;
    if (!options.visitsLeaves) return leads;
    return verdict.wanted || (leads && passes > 0);
  };
  const put = (row: SiteRow): void => {
    byId.set(row.id, row);
    const queue = queueOf(row);
    queue.rows.push(row);
    queue.isSorted = false;
  };
  const open = (row: SiteRow, more: number): void => {
    if (row.verdict.inside) insideOpen += more;
  };
  const first = (queue: Queue | undefined): SiteRow | null => {
    if (queue === undefined) return null;
    if (!queue.isSorted) queue.rows.sort(lastFirst);
    queue.isSorted = true;
    for (let row = queue.rows.at(-1); row !== undefined; row = queue.rows.at(-1)) {
      if (row.state === 'pending' && isVisited(row) && !options.isSpent(row)) return row;
      queue.rows.pop();
    }
    return null;
  };
  /** Also while what is under way may yet lead to as many pages as there is room for. */
  const siteGoesFirst = (): boolean =>
    [...inside.values()].some((queue) => first(queue) !== null) ||
    (insideOpen > 0 && options.room() <= insideOpen * (options.breadthMax + 1));
  const rowOf = ({ id }: FrontierRow): SiteRow => {
    const row = byId.get(id);
    if (row === undefined) throw new Error(`row ${id} is not of this walk`);
    return row;
  };

  return {
    hosts: () => [...(siteGoesFirst() ? inside : outside).keys()],
    peek: async (host) => first((siteGoesFirst() ? inside : outside).get(host)),
    take(taken) {
      const row = rowOf(taken);
      row.state = 'taken';
      if (!row.verdict.wanted) passes -= 1;
      open(row, 1);
    },
    giveBack(given) {
      const row = rowOf(given);
      row.state = 'pending';
      open(row, -1);
      put(row);
    },
    put,
    touch(row) {
      if (row.state === 'pending') put(row);
    },
    retry(row, notBefore) {
      open(row, -1);
      row.state = 'pending';
      row.attempts += 1;
      row.not_before = notBefore;
      put(row);
    },
    settled(row) {
      open(row, -1);
      row.state = 'lost';
    },
  };
}

/** The best stands at the end: retries after all others, wanted before what only leads on, then by interest, depth and order. */
function lastFirst(left: SiteRow, right: SiteRow): number {
  return (
    right.attempts - left.attempts ||
    Number(left.verdict.wanted) - Number(right.verdict.wanted) ||
    left.interest - right.interest ||
    right.depth - left.depth ||
    right.id - left.id
  );
}
