import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnStores } from '../fixtures/postgres.ts';
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
