import { Worker } from 'node:worker_threads';
import { Kysely } from 'kysely';
import { StoreUnavailable } from '../../../contract/errors.ts';
import { nodeSqliteDialect, openSqlite } from '../node-sqlite-dialect.ts';
import { assertNothingLost } from './flush-mark.ts';
import { flushedCommits } from './group-commit.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { LedgerTables } from './ledger-tables.ts';
import { migrateLedgerStore } from './migrate-ledger-store.ts';
import type { Procedure, ProcedureCall, ProcedureReply } from './procedure.ts';

type Waiting = { resolve(value: unknown): void; reject(reason: unknown): void };

/** Procedures that may wait for the thread; more than that means that the disk does not follow. */
const WAITING_MAX = 10_000;

/**
 * SQLite, written by one thread: neither a flush nor another process's lock holds up the event loop, and whatever waits
 * when a commit begins shares it.
 */
export async function openSqliteLedgerStore(path: string): Promise<LedgerStore> {
  await migrateFile(path);
  const database = openSqlite(path, { readOnly: true });
  const db = new Kysely<LedgerTables>({ dialect: nodeSqliteDialect(database, { begin: 'deferred' }) });
  try {
    assertNothingLost(path, () => flushedCommits(database));
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

async function migrateFile(path: string): Promise<void> {
  const db = new Kysely<LedgerTables>({ dialect: nodeSqliteDialect(openSqlite(path)) });
  try {
    await migrateLedgerStore(db);
  } finally {
    await db.destroy();
  }
}

type Writer = { run: LedgerStore['run']; close(): Promise<void> };

/** A thread that dies tells all who wait for it, and the next call starts another; what it had not committed has not happened. */
function startWriter(path: string): Writer {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | null = startThread(path, waiting, forget);
  let closed = false;
  let last = 0;
  function forget(): void {
    thread = null;
  }
  return {
    run<Args, Result>({ module, name }: Procedure<Args, Result>, args: Args): Promise<Result> {
      if (closed) return Promise.reject(new Error('the books are closed'));
      if (waiting.size >= WAITING_MAX)
        return Promise.reject(new StoreUnavailable('Too many calls wait for the accounts.'));
      last += 1;
      const call: ProcedureCall = { id: last, module, name, args };
      try {
        thread ??= startThread(path, waiting, forget);
      } catch (cause) {
        return Promise.reject(threadEnded(cause));
      }
      const writing = thread;
      return new Promise<Result>((resolve, reject) => {
        // The thread answers with what the named procedure returns.
        waiting.set(call.id, { resolve: resolve as (value: unknown) => void, reject });
        writing.postMessage(call);
      });
    },
    async close() {
      closed = true;
      if (thread === null) return;
      const ending = thread;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.postMessage(null);
      await ended;
    },
  };
}

function startThread(path: string, waiting: Map<number, Waiting>, onExit: () => void): Worker {
  const thread = new Worker(new URL('./sqlite-ledger-store-thread.ts', import.meta.url), {
    workerData: { path },
  });
  let cause: unknown;
  thread.on('message', (reply: ProcedureReply) => {
    const one = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('value' in reply) one?.resolve(reply.value);
    else if ('unavailable' in reply)
      one?.reject(new StoreUnavailable(reply.unavailable, { cause: reply.cause }));
    else one?.reject(reply.problem);
  });
  thread.on('error', (error) => {
    cause = error;
  });
  thread.on('exit', () => {
    onExit();
    for (const { reject } of waiting.values()) reject(threadEnded(cause));
    waiting.clear();
  });
  return thread;
}

function threadEnded(cause: unknown): StoreUnavailable {
  return new StoreUnavailable('The accounts cannot be written; try again in a moment.', { cause });
}
