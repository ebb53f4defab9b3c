import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { StoreUnavailable } from '../../../contract/errors.ts';
import { createThread, ThreadEnded, ThreadOverloaded } from '../../threads/thread.ts';
import { resolveThreadModule } from '../../threads/thread-modules.ts';
import { JOBS_FILE } from '../jobs/open-job-store.ts';
import { createNodeSqliteDialect } from '../node-sqlite-dialect.ts';
import { openSqlite, toSqliteFailure } from '../open-sqlite.ts';
import { openDataFolder } from '../open-store.ts';
import { ensureRowSums, findDamage, forgetRowSums } from '../row-sums.ts';
import { assertNothingLost, countFlushedCommits } from './group-commit.ts';
import type { LedgerTables } from './ledger-tables.ts';
import { migrateLedgerStore } from './migrate-ledger-store.ts';
import type { LedgerStore, Procedure } from './procedure.ts';
import type { LedgerWriterCalls } from './sqlite-ledger-store-thread.ts';

/** Maximum procedures that wait for the thread; more mean that the disk cannot keep up. */
const WAITING_MAX = 10_000;
/** Maximum file size for the rewrite below, which delays the start; a larger file keeps its size and reuses the space of deleted rows. */
const REWRITTEN_BYTES_MAX = 1_000_000_000;
/** Value of auto_vacuum: https://sqlite.org/pragma.html#pragma_auto_vacuum */
const INCREMENTAL = 2;

/**
 * Opens PostgreSQL if there is a URL, else SQLite in `dataDir` (created if absent), and migrates the tables under a lock.
 * PostgreSQL cancels statements that take longer than `statementMs`.
 */
export async function openLedgerStore(
  place: { dataDir: string; databaseUrl: string | null },
  options: { statementMs?: number } = {},
): Promise<LedgerStore> {
  if (place.databaseUrl !== null) {
    // Imported on demand: its driver takes memory that SQLite does not need.
    const { openPostgresLedgerStore } = await import('./postgres-ledger-store.ts');
    return openPostgresLedgerStore(place.databaseUrl, options);
  }
  openDataFolder(place.dataDir);
  assertLedgerIsThere(place.dataDir);
  return openSqliteLedgerStore(join(place.dataDir, LEDGER_FILE));
}

const LEDGER_FILE = 'books.db';
/** Files that a server creates only after opening its ledger. */
const BESIDE_LEDGER = ['books.mark', JOBS_FILE];

/** Throws if the ledger is missing from a used folder: a partly restored one would start with an empty ledger, without keys or credits. */
function assertLedgerIsThere(dataDir: string): void {
  if (existsSync(join(dataDir, LEDGER_FILE))) return;
  const left = BESIDE_LEDGER.filter((name) => existsSync(join(dataDir, name)));
  if (left.length === 0) return;
  const names = left.join(' and ');
  throw new Error(
    `${LEDGER_FILE} is missing, although ${names} of a server that had a ledger ${left.length === 1 ? 'is' : 'are'} there. Restore the whole folder (sanderling restore), or, to begin with an empty ledger, remove ${names} too`,
  );
}

/** The database behind a ledger store; `weakness` says which promise its settings break, if any. */
type LedgerStoreServer = { name: string; weakness: string | null };

/**
 * Describes the database. PostgreSQL without flushes can lose commits in a power cut
 * (https://www.postgresql.org/docs/15/runtime-config-wal.html).
 */
export async function describeLedgerServer({
  dialect,
  db,
}: Pick<LedgerStore, 'dialect' | 'db'>): Promise<LedgerStoreServer> {
  if (dialect === 'sqlite') {
    const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db);
    return { name: `SQLite ${rows[0]?.version}`, weakness: null };
  }
  const { rows } = await sql<{ version: string; fsync: string; pages: string }>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as pages`.execute(db);
  const off = [rows[0]?.fsync === 'off' && 'fsync', rows[0]?.pages === 'off' && 'full_page_writes'].filter(
    (name) => name !== false,
  );
  return {
    name: `PostgreSQL ${rows[0]?.version.split(' ')[0]}`,
    weakness: off.length === 0 ? null : `${off.join(' and ')} off: a power cut can lose paid credits`,
  };
}

/**
 * Opens the ledger in SQLite, written by one thread: neither a flush nor another process's lock blocks the event loop, and all calls that
 * wait when a commit begins share it.
 */
async function openSqliteLedgerStore(path: string): Promise<LedgerStore> {
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
    run: writer.run,
    snapshot: (read) => db.transaction().execute(read),
    findDamage: async () => findDamage(database),
    async close() {
      await writer.close();
      await db.destroy();
    },
  };
}

async function migrateFile(path: string): Promise<void> {
  const database = openSqlite(path);
  const db = new Kysely<LedgerTables>({ dialect: createNodeSqliteDialect(database) });
  makeShrinkable(database);
  try {
    await migrateLedgerStore(db);
    ensureRowSums(database);
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
    forgetRowSums(database);
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
