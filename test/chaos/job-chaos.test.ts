import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createTestDatabase, describeOnStores, noServer } from '../fixtures/postgres.ts';
import { noRedis, startTestRedis } from '../fixtures/redis.ts';
import { jobChaos } from './job-chaos.ts';

/** A small run; `node test/chaos/run-job-chaos.ts` is the large one. */
const PAGES = 80;
const KILLS = 2;

await describeOnStores('a crawl job whose servers are killed', (databaseUrl) => {
  test('has every page once, charges for each once, and delivers every event', {
    timeout: 240_000,
  }, async () => {
    const servers = databaseUrl === null ? 1 : 2;
    const report = await jobChaos({ databaseUrl, pages: PAGES, kills: KILLS, servers });
    assert.deepEqual(report.faults, []);
    assert.equal(report.pages, PAGES);
  });
});

const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
const missing = database === null ? noServer : redis === null ? noRedis : false;
after(async () => {
  await redis?.close();
  await database?.drop();
});

describe('a crawl job over three servers, PostgreSQL and Redis', { skip: missing }, () => {
  test('loses no page when the server that took it is stopped past its lease, another is killed and Redis dies', {
    timeout: 240_000,
  }, async () => {
    assert.ok(database !== null && redis !== null);
    const report = await jobChaos({
      databaseUrl: database.url,
      redis,
      pages: PAGES,
      kills: 1,
      servers: 3,
      pauses: true,
    });
    assert.deepEqual(report.faults, []);
    assert.equal(report.pages, PAGES);
    // Again only what a stopped or killed process was reading: at most 16 pages each.
    assert.ok(report.requests <= PAGES + 16 * 2, `${report.requests} requests for ${PAGES} pages`);
  });
});
