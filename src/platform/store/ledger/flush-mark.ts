import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * How many flushed commits the books have had, kept in a file of its own: books that have fewer have lost some, such as by the
 * removal of their write-ahead log. The count within the books is SQLite's `user_version`.
 */
export type FlushMark = { raise(commits: number): void; close(): void };

const DIGITS = 10;
const OWNER_ONLY = 0o600;

function flushMarkPath(ledgerPath: string): string {
  return ledgerPath.replace(/\.db$/, '.mark');
}

/** Zero when there is none yet. */
function readFlushMark(ledgerPath: string): number {
  try {
    return Number.parseInt(readFileSync(flushMarkPath(ledgerPath), 'utf8'), 10) || 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** It is written over in place, so that it takes no room on a disk that is full; and never lowered, so that a loss stays visible. */
export function openFlushMark(ledgerPath: string): FlushMark {
  let highest = readFlushMark(ledgerPath);
  closeSync(openSync(flushMarkPath(ledgerPath), 'a', OWNER_ONLY));
  const file = openSync(flushMarkPath(ledgerPath), 'r+');
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
export function assertNothingLost(ledgerPath: string, commits: () => number): void {
  // Read first: the books may only move on meanwhile.
  const mark = readFlushMark(ledgerPath);
  const found = commits();
  if (found >= mark) return;
  throw new Error(
    `it has ${found} of ${mark} flushed commits: its write-ahead log (${ledgerPath}-wal) was removed, or an older copy stands in its place. Put back the newest books.db and books.db-wal; to go on without what is lost, remove ${flushMarkPath(ledgerPath)}`,
  );
}
