import type { Store } from '../../platform/store/open-store.ts';
import { addLibrary, type LibraryKey } from './library-rows.ts';

/** Which dependencies of a project count. Names may end with `*`; empty lists choose all and leave out none. */
export type ProjectChoice = {
  /** Those that dependencies depend on too. */
  all: boolean;
  /** Those for development too. */
  dev: boolean;
  only: string[];
  skip: string[];
};

export type HeldProject = {
  id: number;
  path: string;
  choice: ProjectChoice;
  stamp: string;
  syncedAt: number;
};

type LibraryUse = LibraryKey & { isDirect: boolean; isDev: boolean };

export async function listProjects(store: Store): Promise<HeldProject[]> {
  const rows = await store.selectFrom('library_project').selectAll().orderBy('path').execute();
  return rows.map(({ id, path, choice, stamp, synced_at: syncedAt }) => ({
    id,
    path,
    stamp,
    syncedAt,
    // Written by `saveProject`.
    choice: JSON.parse(choice) as ProjectChoice,
  }));
}

/** Records what a project uses now, in one transaction, and returns its id: a run that is killed afterwards is continued by the next. */
export async function saveProject(
  store: Store,
  {
    path,
    choice,
    stamp,
    uses,
    now,
  }: Omit<HeldProject, 'id' | 'syncedAt'> & { uses: readonly LibraryUse[]; now: number },
): Promise<number> {
  const values = { choice: JSON.stringify(choice), stamp, synced_at: now };
  return store.transaction().execute(async (tx) => {
    const { id } = await tx
      .insertInto('library_project')
      .values({ path, ...values })
      .onConflict((conflict) => conflict.column('path').doUpdateSet(values))
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx.deleteFrom('library_use').where('project_id', '=', id).execute();
    for (const { isDirect, isDev, ...key } of uses) {
      const row = await addLibrary(tx, key, { spec: null, now });
      await tx
        .replaceInto('library_use')
        .values({
          project_id: id,
          library_id: row.id,
          is_direct: Number(isDirect),
          is_dev: Number(isDev),
        })
        .execute();
    }
    return id;
  });
}

export async function dropProject(store: Store, id: number): Promise<void> {
  await store.transaction().execute(async (tx) => {
    await tx.deleteFrom('library_use').where('project_id', '=', id).execute();
    await tx.deleteFrom('library_project').where('id', '=', id).execute();
  });
}

/** The paths of the projects that use each library. */
export async function listUses(store: Store): Promise<Map<number, string[]>> {
  const rows = await store
    .selectFrom('library_use')
    .innerJoin('library_project', 'library_project.id', 'library_use.project_id')
    .select(['library_use.library_id', 'library_project.path'])
    .orderBy('library_project.path')
    .execute();
  const uses = new Map<number, string[]>();
  for (const { library_id, path } of rows) uses.set(library_id, [...(uses.get(library_id) ?? []), path]);
  return uses;
}
