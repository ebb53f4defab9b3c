import type { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { StoreUnavailable } from '../../../contract/errors.ts';
import { createThread, ThreadEnded, ThreadOverloaded } from '../../threads/thread.ts';
import { resolveThreadModule } from '../../threads/thread-modules.ts';
import { createNodeSqliteDialect } from '../node-sqlite-dialect.ts';
import { openSqlite, toSqliteFailure } from '../open-sqlite.ts';
import { assertNothingLost } from './flush-mark.ts';
import { countFlushedCommits } from './group-commit.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { LedgerTables } from './ledger-tables.ts';
import { migrateLedgerStore } from './migrate-ledger-store.ts';
import type { Procedure } from './procedure.ts';
import type { LedgerWriterCalls } from './sqlite-ledger-store-thread.ts';

/** Maximum procedures that wait for the thread; more mean that the disk cannot keep up. */
const WAITING_MAX = 10_000;

/**
 * Opens the ledger in SQLite, written by one thread: neither a flush nor another process's lock blocks the event loop, and all calls that
 * wait when a commit begins share it.
 */
export async function openSqliteLedgerStore(path: string): Promise<LedgerStore> {
  await migrateFile(path);
  const database = openSqlite(path, { readOnly: true });
  const db = new Kysely<LedgerTables>({ dialect: createNodeSqliteDialect(database, { begin: 'deferred' }) });
  try {
    assertNothingLost(path, () => countFlushedCommits(database));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const writer = startWriter(path);
  return {
    dialect: 'sqlite',
    db,
    run: (procedure, args) => writer.run(procedure, args),
    snapshot: (read) => db.transaction().execute(read),
    async close() {
      await writer.close();
      await db.destroy();
    },
  };
}

/** Maximum file size for the rewrite below, which delays the start; a larger file keeps its size and reuses the space of deleted rows. */
const REWRITTEN_BYTES_MAX = 1_000_000_000;
/** Value of auto_vacuum: https://sqlite.org/pragma.html#pragma_auto_vacuum */
const INCREMENTAL = 2;

async function migrateFile(path: string): Promise<void> {
  const database = openSqlite(path);
  const db = new Kysely<LedgerTables>({ dialect: createNodeSqliteDialect(database) });
  makeShrinkable(database);
  try {
    await migrateLedgerStore(db);
  } finally {
    await db.destroy();
  }
}

/** Enables returning free pages to the disk. A file without that setting is rewritten once, with a temporary file beside it. */
function makeShrinkable(database: DatabaseSync): void {
  const read = (name: string): number => Number(database.prepare(`pragma ${name}`).get()?.[name]);
  if (read('auto_vacuum') === INCREMENTAL) return;
  if (read('page_count') * read('page_size') > REWRITTEN_BYTES_MAX) return;
  try {
    // The copy could be too large for memory.
    database.exec(
      'pragma temp_store = file; pragma auto_vacuum = incremental; vacuum; pragma temp_store = memory',
    );
  } catch (error) {
    // The disk is full, or another process uses the file; the next start tries again.
    if (!(toSqliteFailure(error) instanceof StoreUnavailable)) throw error;
  }
}

type Writer = { run: LedgerStore['run']; close(): Promise<void> };

/** Starts the writer. If its thread dies, open calls fail (uncommitted ones had no effect), and the next call starts a new thread. */
function startWriter(path: string): Writer {
  const thread = createThread<LedgerWriterCalls>(
    resolveThreadModule('platform/store/ledger/sqlite-ledger-store-thread'),
    {
      data: { path },
      callsMax: WAITING_MAX,
    },
  );
  // Started early, while there are file descriptors left; if that fails, the first call reports why.
  thread.start().catch(() => {});
  return {
    async run<Args, Result>({ module, name }: Procedure<Args, Result>, args: Args): Promise<Result> {
      const reply = await thread.call('run', { module, name, args }).catch((error: unknown) => {
        throw toCallFailure(error);
      });
      // The thread replies with the result of the named procedure.
      if ('value' in reply) return reply.value as Result;
      if ('unavailable' in reply) throw new StoreUnavailable(reply.unavailable, { cause: reply.cause });
      throw reply.problem;
    },
    close: () => thread.close(),
  };
}

function toCallFailure(error: unknown): unknown {
  if (error instanceof ThreadOverloaded)
    return new StoreUnavailable('Too many calls are waiting for the account database.');
  if (!(error instanceof ThreadEnded)) return error;
  return new StoreUnavailable('The account database cannot be written; try again in a moment.', {
    cause: error.cause,
  });
}
