import type { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../platform/store/open-sqlite.ts';

/** Counters of an index: `changes` grows with every change, `epoch` whenever pages are forgotten. */
type IndexCounters = { changes: number; epoch: number };

/** The state of an index file as of this turn of the event loop, whichever process wrote last. */
type IndexState = {
  /** Null if the file cannot be read at once; a reader may still answer. */
  read(): IndexCounters | null;
  close(): void;
};

/**
 * Reads the state on the event loop, because asking a thread costs more and would make cached answers wait behind searches. It takes a
 * few microseconds per turn of the event loop in which anyone asks, and never waits for a lock. The first call opens the file.
 */
export function createIndexState(path: string): IndexState {
  let opened: { database: DatabaseSync; look(): IndexCounters } | null = null;
  let current: IndexCounters | null = null;
  return {
    read() {
      if (current !== null) return current;
      try {
        opened ??= openState(path);
        current = opened.look();
      } catch {
        return null;
      }
      setImmediate(() => {
        current = null;
      });
      return current;
    },
    close: () => opened?.database.close(),
  };
}

function openState(path: string): { database: DatabaseSync; look(): IndexCounters } {
  const database = openSqlite(path, { readOnly: true });
  database.exec('pragma busy_timeout = 0');
  const written = database.prepare('pragma data_version');
  const counters = database.prepare('select (select changes from total) as changes, epoch from forgetting');
  let version: unknown;
  let known: IndexCounters | null = null;
  return {
    database,
    look() {
      // Read the version first: the counters read after it may be newer, never older.
      const found = written.get()?.data_version;
      if (known !== null && version === found) return known;
      const { changes, epoch } = counters.get() ?? {};
      version = found;
      known = { changes: Number(changes), epoch: Number(epoch) };
      return known;
    },
  };
}
