import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { StoreUnavailable } from '../../contract/errors.ts';

const CONNECT_MS = 3_000;
/** Grace period after which the client ends a statement if the server disappears silently. */
const REPLY_GRACE_MS = 1_000;
/** Maximum idle time within a transaction; a process that is stopped there would otherwise keep its rows locked. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** Maximum tries of a conflicting transaction, which the server has rolled back. */
const TRIES_MAX = 5;
/**
 * serialization_failure, deadlock_detected, unique_violation (https://www.postgresql.org/docs/15/errcodes-appendix.html): of two
 * transactions that write the same reference at once, the retried one sees the other's row and responds accordingly.
 */
const CONFLICTS = new Set(['40001', '40P01', '23505']);

/** Classes of error codes about the server, not the query: connection, resources, operator intervention, system error. */
const SERVER_TROUBLE = /^(?:08|53|57|58)/;
/** read_only_sql_transaction: the server is a standby, or its disk is read-only. */
const READ_ONLY = '25006';

const BIGINT = 20;
const NUMERIC = 1_700;

/** Opens a pool of up to `max` connections, opened as needed. Without `flushes`, commits do not wait for the disk. */
export function openPool(
  connectionString: string,
  { max, statementMs, flushes }: { max: number; statementMs: number; flushes: boolean },
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs,
    query_timeout: statementMs + REPLY_GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    options: flushes ? undefined : '-c synchronous_commit=off',
    types: {
      // Credits and instants are far below 2^53.
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === BIGINT || oid === NUMERIC
          ? Number
          : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  });
  // The pool replaces dead connections, and a query on one fails by itself; but an unhandled 'error' event would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Wraps a pool for Kysely: throws StoreUnavailable if the server cannot be reached, and discards failed connections. */
export function wrapPool(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch(throwReached);
      let broken: Error | undefined;
      const runQuery = (text: string, values: unknown[]) =>
        client.query(text, values).catch((error: Error) => {
          if (isUnreached(error)) broken = error;
          return throwReached(error);
        });
      // Without a cursor, Kysely only calls the form that takes text and values.
      return {
        query: runQuery as unknown as PostgresPoolClient['query'],
        release: () => client.release(broken),
      };
    },
    end: () => pool.end(),
  };
}

/** Throws StoreUnavailable if the error is about the server or the connection, else the error itself. */
export function throwReached(error: unknown): never {
  if (!isUnreached(error)) throw error;
  throw new StoreUnavailable('The account database cannot be reached; try again in a moment.', {
    cause: error,
  });
}

/** Returns whether the error is about the server or the connection; errors that do not come from the server are about the connection. */
function isUnreached(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return SERVER_TROUBLE.test(error.code ?? '') || error.code === READ_ONLY;
}

/** Runs a transaction again after a conflict with another one. */
export async function retryOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES_MAX || !CONFLICTS.has((error as pg.DatabaseError).code ?? '')) throw error;
    }
  }
}
