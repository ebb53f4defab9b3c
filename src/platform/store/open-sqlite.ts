import { existsSync, renameSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../../contract/errors.ts';
import type { Log } from '../log.ts';
import { ensurePrivateFile, listCompanions } from './private-files.ts';
import { registerRowChecksum } from './row-sums.ts';

/** SQLITE_CORRUPT and SQLITE_NOTADB (https://sqlite.org/rescode.html). */
const DAMAGED = new Set([11, 26]);
const CAUSES_MAX = 5;

/** Result code: https://sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;
/** busy, locked, read-only, I/O error, corrupt, full, cannot open, not a database: errors of the file, not of the query. */
const FILE_FAILURES = new Set([SQLITE_BUSY, 6, 8, 10, 11, 13, 14, 26]);
const PRIMARY_CODE = 0xff;
const TRIES_MAX = 100;
const PAUSE_MS = 10;

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
    registerRowChecksum(database);
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
      if (tries >= TRIES_MAX || (error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/**
 * Opens a database file whose content can be rebuilt. A damaged file is renamed and logged, and a new one is opened in its
 * place. Never use this for the ledger.
 */
export async function openOrSetAside<Opened>(
  path: string,
  { open, log }: { open(): Promise<Opened>; log: Log },
): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    if (!isDamage(error)) throw error;
    const movedTo = moveAside(path);
    log.error(
      { file: path, movedTo, reason: String(error) },
      'a damaged file was moved aside; a new one is used',
    );
    return open();
  }
}

/** Returns whether SQLite reported the file as damaged. */
export function isDamage(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth++) {
    const { errcode } = cause as { errcode?: number };
    if (errcode !== undefined && DAMAGED.has(errcode & PRIMARY_CODE)) return true;
    cause = cause.cause;
  }
  return false;
}

/** Renames a damaged file and its companions; returns the new path. */
export function moveAside(path: string): string {
  const suffix = `.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const file of listCompanions(path)) if (existsSync(file)) renameSync(file, file + suffix);
  return path + suffix;
}

/** Another process has the database file open. */
export class FileInUse extends Error {
  override name = 'FileInUse';
}

/**
 * Opens a database file as its only user, and folds its write-ahead log into it, so that the one file holds everything
 * and may be renamed. Until it is closed nobody else can read or write it. Throws FileInUse if another process keeps it open.
 */
export function openExclusive(path: string): DatabaseSync {
  for (let tries = 1; ; tries++) {
    const before = readInode(path);
    const database = new DatabaseSync(path);
    try {
      database.exec('pragma locking_mode = exclusive; pragma journal_mode = delete; begin exclusive; commit');
      // Another process may have replaced the file before the lock was held.
      if (readInode(path) === before) return database;
      database.close();
    } catch (error) {
      database.close();
      if ((((error as { errcode?: number }).errcode ?? 0) & PRIMARY_CODE) !== SQLITE_BUSY) throw error;
      if (tries >= TRIES_MAX)
        throw new FileInUse(`${path} is in use: stop the process that has it open first`, { cause: error });
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

function readInode(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
