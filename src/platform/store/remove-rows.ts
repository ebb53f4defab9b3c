import { setImmediate } from 'node:timers/promises';
import { type QueryExecutorProvider, sql } from 'kysely';
import type { Store } from './open-store.ts';

type Row = Record<string, unknown> & { id: number };

const ROWS_PER_STEP = 200;
const RELEASED_PER_STEP = 500;

/** `read` returns the rows after an id in the order of their ids. */
type Removal<Found extends Row> = {
  read(after: number, limit: number): Promise<Found[]>;
  isMeant(row: Found): boolean;
  remove(ids: number[]): Promise<unknown>;
};

/** Deletes the rows of a store table that `isMeant` selects and returns their space to the disk; resolves to their number. */
export async function removeRows<Found extends Row>(store: Store, removal: Removal<Found>): Promise<number> {
  const removed = await removeInSteps(removal);
  if (removed > 0) await releaseSpace(store);
  return removed;
}

/** Returns free pages of the store's file to the disk, and what was deleted leaves its log. */
export async function releaseSpace(store: QueryExecutorProvider): Promise<void> {
  await releasePages(store);
  await sql`pragma wal_checkpoint(truncate)`.execute(store);
}

/** Scans a table in short steps, yielding to other work in between, and deletes the rows that `isMeant` selects. */
export async function removeInSteps<Found extends Row>({
  read,
  isMeant,
  remove,
}: Removal<Found>): Promise<number> {
  let removed = 0;
  for (let after = 0; ; await setImmediate()) {
    const rows = await read(after, ROWS_PER_STEP);
    const meant = rows.filter(isMeant).map(({ id }) => id);
    if (meant.length > 0) await remove(meant);
    removed += meant.length;
    const last = rows.at(-1);
    if (last === undefined) return removed;
    after = last.id;
  }
}

/** Returns some free pages of the store's file to the disk. */
export async function releasePages(store: QueryExecutorProvider): Promise<void> {
  await sql`pragma incremental_vacuum(${sql.raw(String(RELEASED_PER_STEP))})`.execute(store);
}
