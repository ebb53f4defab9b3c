import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';

/** The minimum for a charge: one prepared `update ... returning` in its own commit, as durable as usage. */
export type BareUpdate = { run(keyId: string): Promise<void>; close(): Promise<void> };

const CONNECTIONS = 8;
const STATEMENT = (place: string): string =>
  `update bare set available = available - 1 where key_id = ${place} and available >= 1 returning available`;
const CREATE = 'create table bare (key_id text primary key, available bigint not null)';

/** Runs on the event loop and blocks it: there is no faster way to SQLite. */
export function bareSqlite(folder: string, keyIds: string[]): BareUpdate {
  const database = new DatabaseSync(join(folder, 'bare.db'));
  database.exec(`pragma journal_mode = wal; pragma synchronous = normal; ${CREATE}`);
  const insert = database.prepare('insert into bare values (?, 1000000000)');
  for (const keyId of keyIds) insert.run(keyId);
  const update = database.prepare(STATEMENT('?'));
  return {
    async run(keyId) {
      update.get(keyId);
      await setImmediate();
    },
    async close() {
      database.close();
    },
  };
}

export async function barePostgres(url: string, keyIds: string[]): Promise<BareUpdate> {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    options: '-c synchronous_commit=off',
  });
  await pool.query(CREATE);
  await pool.query('insert into bare select unnest($1::text[]), 1000000000', [keyIds]);
  const text = STATEMENT('$1');
  return {
    run: async (keyId) => void (await pool.query({ name: 'bare', text, values: [keyId] })),
    close: () => pool.end(),
  };
}
