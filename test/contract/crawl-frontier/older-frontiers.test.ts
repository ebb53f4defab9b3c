import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import * as distributedCrawls from '../../../src/platform/store/crawls/migrations/0001-spread-crawls.ts';
import { openCrawlStore } from '../../../src/platform/store/crawls/open-crawl-store.ts';
import { openStore } from '../../../src/platform/store/open-store.ts';
import { createTestDatabase, noServer } from '../../fixtures/postgres.ts';
import { openCrawlFixture } from '../../flows/crawl-fixture.ts';

const START = 'http://one.test/';
const PAGES = { [START]: { links: [`${START}a`, `${START}b`] }, [`${START}a`]: {}, [`${START}b`]: {} };
const idOf = (...named: string[]): string =>
  createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 32);

/** A crawl that has read its start and has two addresses left, in the columns that both older versions have. */
const urlRows = (id: string, text: (value: string) => string) =>
  [
    [START, 0, 'done', START, 'Start'],
    [`${START}a`, 1, 'pending', null, null],
    [`${START}b`, 1, 'pending', null, null],
  ]
    .map(
      ([url, depth, state, page, title]) =>
        `(${[id, url, 'one.test', depth, state, 0, 0, null, page, title].map((value) => (value === null ? 'null' : text(String(value)))).join(', ')})`,
    )
    .join(', ');
const URL_COLUMNS = 'crawl_id, url, host, depth, state, attempts, not_before, reason, page_url, title';
const quote = (value: string): string => `'${value}'`;

test('an unfinished crawl of an older data folder goes on', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'older-crawl-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const store = await openStore(dataDir);
  const id = idOf('site', START);
  for (const statement of [
    'drop table crawl_worker',
    'drop table crawl_host',
    'drop table crawl_url',
    'drop table crawl',
    'create table crawl (id text primary key, starts text not null, started_at bigint not null)',
    `create table crawl_url (id integer primary key autoincrement, crawl_id text not null references crawl (id) on delete cascade,
      url text not null, host text not null, depth integer not null, state text not null, attempts integer not null,
      not_before bigint not null, reason text, page_url text, title text, constraint crawl_url_once unique (crawl_id, url))`,
    'create index crawl_url_next on crawl_url (crawl_id, state, host, attempts, depth, id)',
    `insert into crawl values ('${id}', '[]', 1)`,
    `insert into crawl_url (${URL_COLUMNS}) values ${urlRows(id, quote)}`,
    // What came after it.
    'drop table library_reader',
    'drop table library_use',
    'drop table library_project',
    'drop table library_page',
    'drop table library',
    'drop table model_day',
    `delete from kysely_migration where name >= '0007-crawl-hosts'`,
  ])
    await sql.raw(statement).execute(store);
  await store.destroy();
  const fixture = await openCrawlFixture({ dataDir, pages: PAGES });
  const summary = await fixture.crawl({ starts: [START] });
  assert.deepEqual(
    [summary.resumed, summary.pages, summary.newPages, summary.ended],
    [true, 3, 2, 'complete'],
  );
  assert.deepEqual(
    fixture.opened.map(({ url }) => url),
    [`${START}a`, `${START}b`],
  );
  await fixture.close();
});

const database = await createTestDatabase();
test('an unfinished crawl of an older database goes on', {
  skip: database === null ? noServer : false,
}, async (t) => {
  assert.ok(database !== null);
  t.after(() => database.drop());
  await (await openCrawlStore(database.url)).close();
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url }) }),
  });
  await sql`drop table crawl, crawl_host, crawl_url, crawl_worker`.execute(db);
  await sql`delete from crawl_migration where name <> '0001-spread-crawls'`.execute(db);
  await distributedCrawls.up(db);
  const id = idOf('here', 'site', START);
  for (const statement of [
    `insert into spread_crawl (id, place, request, started_at, wanted_until, done) values ('${id}', 'here', '{}', 1, 1, 1)`,
    `insert into spread_host (crawl_id, host, urls, pending, visited) values ('${id}', 'one.test', 3, 2, true)`,
    `insert into spread_url (${URL_COLUMNS}) values ${urlRows(id, quote)}`,
  ])
    await sql.raw(statement).execute(db);
  await db.destroy();
  const store = await openCrawlStore(database.url);
  const fixture = await openCrawlFixture({
    pages: PAGES,
    frontiers: { store, place: 'here', atWork: new Set() },
  });
  const summary = await fixture.crawl({ starts: [START] });
  assert.deepEqual(
    [summary.resumed, summary.pages, summary.newPages, summary.ended],
    [true, 3, 2, 'complete'],
  );
  await fixture.close();
  await store.close();
});
