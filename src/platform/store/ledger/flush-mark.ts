import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * How many flushed commits the books have had, kept in a file of its own: books that have fewer have lost some, such as by the
 * removal of their write-ahead log. The count within the books is SQLite's `user_version`.
 */
export type FlushMark = { raise(commits: number): void; close(): void };

const DIGITS = 10;
const OWNER_ONLY = 0o600;

function flushMarkPath(booksPath: string): string {
  return booksPath.replace(/\.db$/, '.mark');
}

/** Zero when there is none yet. */
function readFlushMark(booksPath: string): number {
  try {
    return Number.parseInt(readFileSync(flushMarkPath(booksPath), 'utf8'), 10) || 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** It is written over in place, so that it takes no room on a disk that is full; and never lowered, so that a loss stays visible. */
export function openFlushMark(booksPath: string): FlushMark {
  let highest = readFlushMark(booksPath);
  closeSync(openSync(flushMarkPath(booksPath), 'a', OWNER_ONLY));
  const file = openSync(flushMarkPath(booksPath), 'r+');
  return {
    raise(commits) {
      if (commits <= highest) return;
      writeSync(file, String(commits).padStart(DIGITS, '0'), 0);
      highest = commits;
    },
    close: () => closeSync(file),
  };
}

/** Throws when the books have fewer flushed commits than they have had. */
export function assertNothingLost(booksPath: string, commits: () => number): void {
  // Read first: the books may only move on meanwhile.
  const mark = readFlushMark(booksPath);
  const found = commits();
  if (found >= mark) return;
  throw new Error(
    `it has ${found} of ${mark} flushed commits: its write-ahead log (${booksPath}-wal) was removed, or an older copy stands in its place. Put back the newest books.db and books.db-wal; to go on without what is lost, remove ${flushMarkPath(booksPath)}`,
  );
}
