import { type Compilable, Kysely, PostgresDialect, type Transaction } from 'kysely';
import type pg from 'pg';
import { openPool, retryOnConflict, throwReached, wrapPool } from '../postgres-pool.ts';
import { compileOnly } from './group-commit.ts';
import type { LedgerTables } from './ledger-tables.ts';
import { migrateLedgerStore } from './migrate-ledger-store.ts';
import type { Durability, LedgerStore, Procedure, Steps } from './procedure.ts';

const CONNECTIONS: Record<Durability, number> = { kept: 8, flushed: 4 };
const STATEMENT_MS = 5_000;
/** Time limit of a migration, which may rewrite or index large tables. */
const MIGRATION_MS = 3_600_000;

/**
 * Opens the ledger in PostgreSQL, for any number of processes. Usage is written over connections whose commits do not wait for the disk,
 * money over others that do, so that a busy key is locked for a round trip but not for a flush.
 */
export async function openPostgresLedgerStore(
  url: string,
  { statementMs = STATEMENT_MS }: { statementMs?: number } = {},
): Promise<LedgerStore> {
  const open = (durability: Durability): pg.Pool =>
    openPool(url, { max: CONNECTIONS[durability], statementMs, flushes: durability === 'flushed' });
  const pools = { kept: open('kept'), flushed: open('flushed') };
  const db = new Kysely<LedgerTables>({ dialect: new PostgresDialect({ pool: wrapPool(pools.kept) }) });
  const money = new Kysely<LedgerTables>({
    dialect: new PostgresDialect({ pool: wrapPool(pools.flushed) }),
  });
  const running = new Set<Promise<unknown>>();
  const close = async (): Promise<void> => {
    // A pool that ends drops calls that still wait for a connection.
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
      const result = retryOnConflict(() =>
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
    findDamage: async () => [],
    close,
  };
}

async function migrate(url: string): Promise<void> {
  const pool = openPool(url, { max: 1, statementMs: MIGRATION_MS, flushes: true });
  const db = new Kysely<LedgerTables>({ dialect: new PostgresDialect({ pool: wrapPool(pool) }) });
  await migrateLedgerStore(db).finally(() => db.destroy());
}

/** Runs a one-statement procedure as a prepared statement, because planning it costs more than running it. */
async function runStatement<Result>(
  pool: pg.Pool,
  { name }: Pick<Procedure<never, never>, 'name'>,
  steps: Steps<Result>,
): Promise<Result> {
  const first = steps.next();
  if (first.done) return first.value;
  const { sql: text, parameters } = (first.value as Compilable).compile();
  const prepared = findPreparedName(name, text);
  const { rows } = await pool.query({ name: prepared, text, values: [...parameters] }).catch(throwReached);
  const last = steps.next(rows);
  if (!last.done) throw new Error(`${name} is declared as one statement but has another`);
  return last.value;
}

/** The names of prepared statements by their text; their number is bounded by the queries of the procedures. */
const PREPARED = new Map<string, string>();

/** Returns the name of a statement; a procedure may choose between several. */
function findPreparedName(procedure: string, text: string): string {
  const known = PREPARED.get(text) ?? `${procedure} ${PREPARED.size}`;
  PREPARED.set(text, known);
  return known;
}

async function runSteps<Result>(
  transaction: Transaction<LedgerTables>,
  steps: Steps<Result>,
): Promise<Result> {
  let step = steps.next();
  while (!step.done) step = steps.next((await transaction.executeQuery(step.value.compile())).rows);
  return step.value;
}
