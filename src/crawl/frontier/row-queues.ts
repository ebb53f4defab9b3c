import type { FrontierRow } from './frontier-types.ts';

/** Rows in memory by host, sorted when they are needed, for what is visited within one request or batch. */
export type RowQueues<Row extends FrontierRow> = {
  hosts(): string[];
  put(row: Row): void;
  first(host: string): Row | null;
  hasNext(): boolean;
};

/** `compare` sorts the next row to the end. A row may be queued more than once; one that is not `isNext` any more is passed over. */
export function createRowQueues<Row extends FrontierRow>(
  isNext: (row: Row) => boolean,
  compare: (left: Row, right: Row) => number,
): RowQueues<Row> {
  const queues = new Map<string, { rows: Row[]; isSorted: boolean }>();
  const findFirst = (host: string): Row | null => {
    const queue = queues.get(host);
    if (queue === undefined) return null;
    if (!queue.isSorted) queue.rows.sort(compare);
    queue.isSorted = true;
    for (let row = queue.rows.at(-1); row !== undefined; row = queue.rows.at(-1)) {
      if (isNext(row)) return row;
      queue.rows.pop();
    }
    return null;
  };
  return {
    hosts: () => [...queues.keys()],
    put(row) {
      const queue = queues.get(row.host) ?? { rows: [], isSorted: true };
      queues.set(row.host, queue);
      queue.rows.push(row);
      queue.isSorted = false;
    },
    first: findFirst,
    hasNext: () => [...queues.keys()].some((host) => findFirst(host) !== null),
  };
}
