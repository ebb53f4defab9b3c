import type { Store } from '../../../platform/store/open-store.ts';
import type { SourcePlace } from '../collections/read-collection.ts';

/** Number of records by result. `copies`: nearly repeat an earlier page; `filtered`: excluded by the filter. */
export type ImportCounts = { pages: number; failed: number; copies: number; filtered: number };

/** The progress of an import: everything before `place` is in the index and in the counts. */
export type ImportState = { place: SourcePlace | null; counts: ImportCounts; texts: number };

export const NOTHING_IMPORTED: ImportState = {
  place: null,
  counts: { pages: 0, failed: 0, copies: 0, filtered: 0 },
  texts: 0,
};

/** Returns null if the import has not begun, or is complete. */
export async function findImport(store: Store, id: string): Promise<ImportState | null> {
  const row = await store.selectFrom('import_state').select('state').where('id', '=', id).executeTakeFirst();
  // Written by `saveImport`.
  return row === undefined ? null : (JSON.parse(row.state) as ImportState);
}

/** Saves the progress. Call it once the pages are in the index: a process that is killed in between repeats them, with the same result. */
export async function saveImport(
  store: Store,
  id: string,
  { state, now }: { state: ImportState; now: number },
): Promise<void> {
  const values = { state: JSON.stringify(state), updated_at: now };
  await store
    .insertInto('import_state')
    .values({ id, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}

export async function dropImport(store: Store, id: string): Promise<void> {
  await store.deleteFrom('import_state').where('id', '=', id).execute();
}
