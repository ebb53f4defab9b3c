import type { Store } from '../../platform/store/open-store.ts';

/** A library by its name, or a project with all libraries that it uses, that was added for keys. */
type ReaderSubject = { column: 'library_id' | 'project_id'; id: number };

/** Adds keys to those for which something was added. Without keys, it is the server's alone from now on. */
export async function saveReaders(
  store: Store,
  { column, id }: ReaderSubject,
  keyIds: readonly string[],
): Promise<void> {
  await store.transaction().execute(async (tx) => {
    const replaced = tx.deleteFrom('library_reader').where(column, '=', id);
    await (keyIds.length === 0 ? replaced : replaced.where('key_id', 'in', keyIds)).execute();
    const none = { library_id: null, project_id: null };
    const rows = [...new Set(keyIds)].map((keyId) => ({ ...none, key_id: keyId, [column]: id }));
    if (rows.length > 0) await tx.insertInto('library_reader').values(rows).execute();
  });
}

/** Lists the keys that may see each library: those it was added for, and those of the projects that use it. */
export async function listReaders(store: Store): Promise<Map<number, Set<string>>> {
  const rows = await store
    .selectFrom('library_reader')
    .leftJoin('library_use', 'library_use.project_id', 'library_reader.project_id')
    .select(({ fn }) => [
      'key_id',
      fn.coalesce('library_reader.library_id', 'library_use.library_id').as('library_id'),
    ])
    .execute();
  const readers = new Map<number, Set<string>>();
  for (const { key_id: keyId, library_id: id } of rows) {
    if (id !== null) readers.set(id, (readers.get(id) ?? new Set()).add(keyId));
  }
  return readers;
}

/** Lists the keys that a library itself was added for. */
export async function listOwnReaders(store: Store, libraryId: number): Promise<string[]> {
  const rows = await store
    .selectFrom('library_reader')
    .select('key_id')
    .where('library_id', '=', libraryId)
    .execute();
  return rows.map(({ key_id }) => key_id);
}

/** Lists the paths of the projects that were added for a key. */
export async function listReadableProjects(store: Store, keyId: string): Promise<string[]> {
  const rows = await store
    .selectFrom('library_reader')
    .innerJoin('library_project', 'library_project.id', 'library_reader.project_id')
    .select('path')
    .where('key_id', '=', keyId)
    .orderBy('path')
    .execute();
  return rows.map(({ path }) => path);
}
