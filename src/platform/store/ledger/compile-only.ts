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
import type { BooksTables } from './books-tables.ts';
import type { BooksQueries, Dialect } from './procedure.ts';

const PARTS = {
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
export function compileOnly(dialect: Dialect): BooksQueries {
  const db = new Kysely<BooksTables>({
    dialect: { ...PARTS[dialect], createDriver: () => new DummyDriver() },
  });
  return { db, dialect };
}
