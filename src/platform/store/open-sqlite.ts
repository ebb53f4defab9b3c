import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../../contract/errors.ts';
import { ensurePrivateFile } from './private-files.ts';

/** Result code: https://sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;
/** busy, locked, read-only, I/O error, corrupt, full, cannot open, not a database: errors of the file, not of the query. */
const FILE_FAILURES = new Set([SQLITE_BUSY, 6, 8, 10, 11, 13, 14, 26]);
const PRIMARY_CODE = 0xff;
const WAL_TRIES_MAX = 100;
const WAL_PAUSE_MS = 10;

/**
 * Opens a database file, readable only by its owner, in WAL mode: a killed process loses no committed row. A new file can return its free
 * pages to the disk (`pragma incremental_vacuum`). `wal: false` leaves the journal mode unchanged; `pageBytes` is the page size of a new
 * file; `leavesNoTraces` overwrites deleted data, always, because rows that move within the file leave copies behind.
 */
export function openSqlite(
  path: string,
  options: { readOnly?: boolean; wal?: boolean; leavesNoTraces?: boolean; pageBytes?: number } = {},
): DatabaseSync {
  const readOnly = options.readOnly ?? false;
  if (!readOnly && path !== ':memory:') ensurePrivateFile(path);
  const database = new DatabaseSync(path, { readOnly, timeout: 10_000 });
  try {
    if (!readOnly) {
      if (options.pageBytes !== undefined) database.exec(`PRAGMA page_size = ${options.pageBytes};`);
      if (options.wal ?? true) useWal(database);
      database.exec('PRAGMA synchronous = NORMAL;');
      if (options.leavesNoTraces) database.exec('PRAGMA secure_delete = ON;');
    }
    database.exec('PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Turns an error of the file, such as a full disk, into `StoreUnavailable`; returns any other unchanged. */
export function toSqliteFailure(error: unknown): unknown {
  const { errcode } = error as { errcode?: number };
  if (errcode === undefined || !FILE_FAILURES.has(errcode & PRIMARY_CODE)) return error;
  return new StoreUnavailable('The store cannot be read or written; try again in a moment.', {
    cause: error,
  });
}

/**
 * Switches to WAL mode, and first a file without tables to incremental vacuum. Retries while another process creates the file, because
 * SQLite ignores its timeout here.
 */
function useWal(database: DatabaseSync): void {
  for (let tries = 1; ; tries++) {
    try {
      database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;');
      return;
    } catch (error) {
      if (tries >= WAL_TRIES_MAX || (error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_PAUSE_MS);
    }
  }
}
