import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * The number of flushed commits, kept in a file beside the ledger. A ledger with fewer has lost some, for example because its
 * write-ahead log was removed. Inside the ledger, the count is SQLite's `user_version`.
 */
export type FlushMark = { raise(commits: number): void; close(): void };

const DIGITS = 10;
const OWNER_ONLY = 0o600;

function buildMarkPath(ledgerPath: string): string {
  return ledgerPath.replace(/\.db$/, '.mark');
}

/** Reads the mark; 0 if there is none yet. */
function readFlushMark(ledgerPath: string): number {
  try {
    return Number.parseInt(readFileSync(buildMarkPath(ledgerPath), 'utf8'), 10) || 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Opens the mark. It is overwritten in place, so that it needs no space on a full disk, and never lowered, so that a loss stays visible. */
export function openFlushMark(ledgerPath: string): FlushMark {
  let highest = readFlushMark(ledgerPath);
  closeSync(openSync(buildMarkPath(ledgerPath), 'a', OWNER_ONLY));
  const file = openSync(buildMarkPath(ledgerPath), 'r+');
  return {
    raise(commits) {
      if (commits <= highest) return;
      writeSync(file, String(commits).padStart(DIGITS, '0'), 0);
      highest = commits;
    },
    close: () => closeSync(file),
  };
}

/** Throws if the ledger has fewer flushed commits than its mark. */
export function assertNothingLost(ledgerPath: string, commits: () => number): void {
  // The mark is read first: the ledger can only advance in the meantime.
  const mark = readFlushMark(ledgerPath);
  const found = commits();
  if (found >= mark) return;
  throw new Error(
    `it has ${found} of ${mark} flushed commits: its write-ahead log (${ledgerPath}-wal) was removed, or it was replaced by an older copy. Restore the newest books.db and books.db-wal; to continue without the lost commits, remove ${buildMarkPath(ledgerPath)}`,
  );
}
