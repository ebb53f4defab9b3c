import {
  type Compilable,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { StoreUnavailable } from '../../../contract/errors.ts';
import { compileOnly } from './compile-only.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { LedgerTables } from './ledger-tables.ts';
import { migrateLedgerStore } from './migrate-ledger-store.ts';
import type { Durability, Procedure, Steps } from './procedure.ts';

const CONNECTIONS: Record<Durability, number> = { kept: 8, flushed: 4 };
const CONNECT_MS = 3_000;
const STATEMENT_MS = 5_000;
/** A migration may rewrite or index large tables. */
const MIGRATION_MS = 3_600_000;
/** If the server disappears silently, our side ends the statement this much later. */
const REPLY_GRACE_MS = 1_000;
/** Conflicting transactions are retried this often; the server has rolled them back. */
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

/**
 * PostgreSQL, for any number of processes. Usage is written over connections whose commits do not wait for the disk, money over
 * others that do, so that a busy key is locked for a round trip but not for a flush.
 */
export async function openPostgresLedgerStore(
  url: string,
  { statementMs = STATEMENT_MS }: { statementMs?: number } = {},
): Promise<LedgerStore> {
  const open = (durability: Durability): pg.Pool => openPool(url, { durability, statementMs });
  const pools = { kept: open('kept'), flushed: open('flushed') };
  const db = new Kysely<LedgerTables>({ dialect: new PostgresDialect({ pool: reachedPool(pools.kept) }) });
  const money = new Kysely<LedgerTables>({
    dialect: new PostgresDialect({ pool: reachedPool(pools.flushed) }),
  });
  const running = new Set<Promise<unknown>>();
  const close = async (): Promise<void> => {
    // A pool that ends forgets those who still wait for a connection.
    await Promise.allSettled(running);
    await Promise.all([db.destroy(), money.destroy()]);
    // Kysely ends a pool only after it has used it, and single statements go past it.
    await Promise.all(Object.values(pools).map((pool) => pool.ending || pool.end()));
  };
  await migrate(url).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const queries = compileOnly('postgres');
  return {
    dialect: 'postgres',
    db,
    run: (procedure, args) => {
      const result = withRetries(() =>
        procedure.oneStatement
          ? runStatement(pools[procedure.durability], procedure, procedure.steps(queries, args))
          : (procedure.durability === 'flushed' ? money : db)
              .transaction()
              .execute((transaction) => runSteps(transaction, procedure.steps(queries, args))),
      );
      running.add(result);
      const forget = (): boolean => running.delete(result);
      result.then(forget, forget);
      return result;
    },
    snapshot: (read) =>
      db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read),
    close,
  };
}

async function migrate(url: string): Promise<void> {
  const pool = openPool(url, { durability: 'flushed', statementMs: MIGRATION_MS });
  const db = new Kysely<LedgerTables>({ dialect: new PostgresDialect({ pool: reachedPool(pool) }) });
  await migrateLedgerStore(db).finally(() => db.destroy());
}

function openPool(
  connectionString: string,
  { durability, statementMs }: { durability: Durability; statementMs: number },
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: CONNECTIONS[durability],
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs,
    query_timeout: statementMs + REPLY_GRACE_MS,
    options: durability === 'kept' ? '-c synchronous_commit=off' : undefined,
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

/** A pool for Kysely that throws StoreUnavailable if the server cannot be reached, and discards failed connections. */
function reachedPool(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch(throwReached);
      let broken: Error | undefined;
      const query = (text: string, values: unknown[]) =>
        client.query(text, values).catch((error: Error) => {
          if (isUnreached(error)) broken = error;
          return throwReached(error);
        });
      // Without a cursor, Kysely only calls the form that takes text and values.
      return {
        query: query as unknown as PostgresPoolClient['query'],
        release: () => client.release(broken),
      };
    },
    end: () => pool.end(),
  };
}

function throwReached(error: unknown): never {
  if (!isUnreached(error)) throw error;
  throw new StoreUnavailable('The account database cannot be reached; try again in a moment.', {
    cause: error,
  });
}

/** An error that does not come from the server is about the connection. */
function isUnreached(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return SERVER_TROUBLE.test(error.code ?? '') || error.code === READ_ONLY;
}

async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES_MAX || !CONFLICTS.has((error as pg.DatabaseError).code ?? '')) throw error;
    }
  }
}

/** Runs a one-statement procedure, prepared under its name, because planning it costs more than running it. */
async function runStatement<Result>(
  pool: pg.Pool,
  { name }: Pick<Procedure<never, never>, 'name'>,
  steps: Steps<Result>,
): Promise<Result> {
  const first = steps.next();
  if (first.done) return first.value;
  const { sql: text, parameters } = (first.value as Compilable).compile();
  const { rows } = await pool.query({ name, text, values: [...parameters] }).catch(throwReached);
  const last = steps.next(rows);
  if (!last.done) throw new Error(`${name} is declared as one statement but has another`);
  return last.value;
}

async function runSteps<Result>(
  transaction: Transaction<LedgerTables>,
  steps: Steps<Result>,
): Promise<Result> {
  let step = steps.next();
  while (!step.done) step = steps.next((await transaction.executeQuery(step.value.compile())).rows);
  return step.value;
}
