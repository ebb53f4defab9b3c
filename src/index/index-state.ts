import type { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../platform/store/open-sqlite.ts';

/** The counters of an index that tell whether something has changed, and whether something was forgotten. */
type IndexCounters = { changes: number; epoch: number };

/** The state of an index file as of this turn of the event loop, whichever process wrote last. */
type IndexState = {
  /** Null if the file cannot be read at once; a reader may still answer. */
  read(): IndexCounters | null;
  close(): void;
};

/**
 * Reads the state on the event loop, because asking a thread costs more, and an answer from memory would wait behind searches: a few
 * microseconds for each turn of the event loop in which anyone asks. It never waits for a lock. The file is opened by the first call.
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
      // The version first: what is read after it may be newer, never older.
      const found = written.get()?.data_version;
      if (known !== null && version === found) return known;
      const { changes, epoch } = counters.get() ?? {};
      version = found;
      known = { changes: Number(changes), epoch: Number(epoch) };
      return known;
    },
  };
}
