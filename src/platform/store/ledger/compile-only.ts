import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { LedgerTables } from './ledger-tables.ts';
import type { Dialect, LedgerQueries } from './procedure.ts';

const COMPILERS = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
};

/** Builds the SQL of a dialect without a connection. */
export function compileOnly(dialect: Dialect): LedgerQueries {
  const db = new Kysely<LedgerTables>({
    dialect: { ...COMPILERS[dialect], createDriver: () => new DummyDriver() },
  });
  return { db, dialect };
}
