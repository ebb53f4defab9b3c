import { randomBytes } from 'node:crypto';
import { after, describe } from 'node:test';
import pg from 'pg';

/** A server on which tests make databases of their own. */
const SERVER = process.env.TEST_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres';
const CONNECT_MS = 2_000;
/** Of the names of databases; the instant of their making follows, by which those are known that a killed test has left. */
const PREFIX = 'sanderling_test_';
const LEFT_MS = 3_600_000;

/** What a test says that is skipped where no server listens. */
export const noServer = `no PostgreSQL listens on ${SERVER} (scripts/test-services.sh starts one; TEST_DATABASE_URL names another)`;

export type TestDatabase = { url: string; drop(): Promise<void> };

/**
 * An empty database, or null where no server listens: then say that the test was skipped. Under continuous integration (`CI`
 * is set) nothing may be skipped in silence: there it throws.
 */
export async function createTestDatabase(): Promise<TestDatabase | null> {
  const name = `${PREFIX}${Date.now()}_${randomBytes(6).toString('hex')}`;
  try {
    await onServer(async (client) => {
      await dropLeft(client);
      await client.query(`create database ${name}`);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
    if (process.env.CI) throw new Error(`${noServer}, and CI is set`, { cause: error });
    return null;
  }
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer((client) => drop(client, name)) };
}

async function dropLeft(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where datname like $1',
    [`${PREFIX}%`],
  );
  for (const { datname } of rows) {
    const [made, random] = datname.slice(PREFIX.length).split('_');
    if (random !== undefined && Number(made) < Date.now() - LEFT_MS) await drop(client, datname);
  }
}

async function drop(client: pg.Client, name: string): Promise<void> {
  await client.query(`drop database if exists ${name} with (force)`);
}

/** Runs a suite once for each store that keeps the books: on SQLite (null) and on an empty PostgreSQL database. */
export async function describeOnStores(
  title: string,
  suite: (databaseUrl: string | null) => void,
): Promise<void> {
  // Made first: a suite that begins while the file is still being read would miss what stands below it.
  const database = await createTestDatabase();
  describe(`${title}, on SQLite`, () => suite(null));
  describe(`${title}, on PostgreSQL`, {
    skip: database === null ? noServer : false,
  }, () => {
    suite(database?.url ?? null);
    after(() => database?.drop());
  });
}

async function onServer(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER, connectionTimeoutMillis: CONNECT_MS });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
