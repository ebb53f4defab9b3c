import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** SQLITE_BUSY (https://sqlite.org/rescode.html#busy). */
const BUSY = 5;
const PRIMARY_CODE = 0xff;
const TRIES_MAX = 100;
const PAUSE_MS = 10;

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
      if ((((error as { errcode?: number }).errcode ?? 0) & PRIMARY_CODE) !== BUSY) throw error;
      if (tries >= TRIES_MAX)
        throw new FileInUse(`${path} is in use: stop the process that has it open first`, { cause: error });
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

function readInode(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
