import { releasePages } from '../platform/store/remove-rows.ts';
import type { VersionQueries, VersionStore } from '../platform/store/versions/open-version-store.ts';
import { removeOldestRecord } from './record-rows.ts';
import { packText, readVersionText } from './version-texts.ts';

/** Versions removed in one transaction. */
const STEP = 16;
/** An eviction makes room for more than the next version, so that not every version costs one. */
const KEPT_SHARE = 0.98;

/**
 * Deletes until the rest fits: first the versions that no record needs, the ones seen least lately before others; then whole records,
 * the oldest first. Resolves to the bytes left.
 */
export async function evictVersions(store: VersionStore, bytesMax: number): Promise<number> {
  for (;;) {
    const held = await sumVersionBytes(store.db);
    if (held <= bytesMax * KEPT_SHARE) return held;
    const leaving = await store.db
      .selectFrom('page_version')
      .select(['id', 'bytes'])
      .where('cited', '=', 0)
      .orderBy('last_seen_at')
      .limit(STEP)
      .execute();
    if (leaving.length === 0 && !(await removeOldestRecord(store))) return held;
    let freed = 0;
    for (const { id, bytes } of leaving) {
      if (held - freed <= bytesMax * KEPT_SHARE) break;
      await removeVersion(store, id);
      freed += bytes;
    }
    if (store.dialect === 'sqlite') await releasePages(store.db);
  }
}

/** Deletes a version; texts that are compressed against its own are compressed anew. */
async function removeVersion(store: VersionStore, id: number): Promise<void> {
  await store.transaction(async (tx) => {
    const row = await tx.selectFrom('page_version').select('base_id').where('id', '=', id).executeTakeFirst();
    if (row === undefined) return;
    const base = row.base_id === null ? null : await readVersionText(tx, row.base_id);
    const dependents = await tx.selectFrom('page_version').select('id').where('base_id', '=', id).execute();
    for (const dependent of dependents) {
      const text = await readVersionText(tx, dependent.id);
      if (text === null) continue;
      const body = packText(text, base);
      await tx
        .updateTable('page_version')
        .set({ base_id: base === null ? null : row.base_id, body, bytes: body.length })
        .where('id', '=', dependent.id)
        .execute();
    }
    await tx.deleteFrom('page_version').where('id', '=', id).execute();
  });
}

/** Sums the stored bytes of all texts and records. */
export async function sumVersionBytes(db: VersionQueries): Promise<number> {
  const sums = await Promise.all(
    (['page_version', 'research_record'] as const).map((table) =>
      db
        .selectFrom(table)
        .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
        .executeTakeFirst(),
    ),
  );
  return sums.reduce((sum, row) => sum + Number(row?.bytes ?? 0), 0);
}
