import { sql } from 'kysely';
import { defineProcedure, readRows, type Steps } from '../../platform/store/ledger/procedure.ts';
import { resolveThreadModule } from '../../platform/threads/thread-modules.ts';

/** Free pages to leave in the file for new rows. */
const FREE_SHARE = 0.1;
const FREE_PAGES = 1_000;
/** Pages moved at a time, so that the write lock is not held for long. */
const PAGES_AT_ONCE = 100;

/**
 * SQLite: returns some free pages at the end of the file to the disk if many are free; returns whether it did. A file that was
 * not set up for this keeps its size and reuses its pages. PostgreSQL does the same by itself (autovacuum).
 */
export const shrinkFile = defineProcedure(
  resolveThreadModule('billing/retention/shrink-file').href,
  'shrinkFile',
  { durability: 'kept' },
  function* ({ db, dialect }, _: null): Steps<boolean> {
    if (dialect === 'postgres') return false;
    const runPragma = (text: string): Steps<Record<string, number>[]> =>
      readRows({ compile: () => sql<Record<string, number>>`pragma ${sql.raw(text)}`.compile(db) });
    const [all] = yield* runPragma('page_count');
    const [free] = yield* runPragma('freelist_count');
    const kept = FREE_PAGES + (all?.page_count ?? 0) * FREE_SHARE;
    if ((free?.freelist_count ?? 0) <= kept) return false;
    yield* runPragma(`incremental_vacuum(${PAGES_AT_ONCE})`);
    const [rest] = yield* runPragma('freelist_count');
    return (rest?.freelist_count ?? 0) < (free?.freelist_count ?? 0);
  },
);
