import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { toSqliteFailure } from './open-sqlite.ts';

/**
 * Kysely on Node's built-in SQLite, without a native build. One connection; transactions queue for it. They begin `immediate`,
 * with the write lock, or `deferred`, as a read-only connection must.
 */
export function createNodeSqliteDialect(
  database: DatabaseSync,
  { begin = 'immediate' }: { begin?: 'immediate' | 'deferred' } = {},
): Dialect {
  return {
    createAdapter: () => new LockingAdapter(),
    createDriver: () => new NodeSqliteDriver(database, begin),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Runs migrations in one transaction with the write lock, so that of two processes that start together only one applies them. */
class LockingAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #begin: 'immediate' | 'deferred';
  readonly #connection: DatabaseConnection;
  #tail: Promise<void> = Promise.resolve();
  #release: (() => void) | null = null;

  constructor(database: DatabaseSync, begin: 'immediate' | 'deferred') {
    this.#database = database;
    this.#begin = begin;
    this.#connection = new NodeSqliteConnection(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const previous = this.#tail;
    let release = (): void => {};
    this.#tail = new Promise<void>((resolve) => {
      release = resolve;
    });
    await previous;
    this.#release = release;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release?.();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`begin ${this.#begin}`));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite has rolled back by itself where the disk was full or failed; the error to report is that one.
    if (this.#database.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    this.#database.close();
  }
}

/** Statements that are kept prepared: preparing one takes longer than running most. */
const PREPARED_MAX = 100;

class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return this.#run(query);
    } catch (error) {
      throw toSqliteFailure(error);
    }
  }

  #run<R>(query: CompiledQuery): QueryResult<R> {
    const statement = this.#prepare(query.sql);
    const parameters = query.parameters as SQLInputValue[];
    // A pragma may take several steps without naming a column, as `incremental_vacuum` does.
    if (statement.columns().length > 0 || query.sql.startsWith('pragma '))
      return { rows: statement.all(...parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** The most recently used statement is last. */
  #prepare(text: string): StatementSync {
    const statement = this.#prepared.get(text) ?? this.#database.prepare(text);
    this.#prepared.delete(text);
    this.#prepared.set(text, statement);
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size > PREPARED_MAX && oldest !== undefined) this.#prepared.delete(oldest);
    return statement;
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator; nothing here streams rows.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported');
  }
}
