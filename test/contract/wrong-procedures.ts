import { defineProcedure, readRows } from '../../src/platform/store/ledger/procedure.ts';

/** Procedures that take the thread with them that carries them out. */
export const endsByThrowing = defineProcedure<null, void>(
  import.meta.url,
  'endsByThrowing',
  { durability: 'kept' },
  function* () {
    queueMicrotask(() => {
      throw new Error('thrown where nobody catches');
    });
  },
);

export const endsByItself = defineProcedure<null, void>(
  import.meta.url,
  'endsByItself',
  { durability: 'kept' },
  // biome-ignore lint/correctness/useYield: it asks nothing
  function* () {
    process.exit(0);
  },
);

/** Forgets to look whether a reference was granted before: the store itself has to. */
export const grantsBlindly = defineProcedure(
  import.meta.url,
  'grantsBlindly',
  { durability: 'flushed' },
  function* ({ db }, entry: { key_id: string; version: number; balance: number; ref: string }) {
    const grant = { kind: 'grant', contra: 'grants', delta: 0, at: 0 } as const;
    yield* readRows(db.insertInto('entry').values({ ...entry, ...grant }));
  },
);
