/**
 * Crawls a site with a job while its servers are killed: one server on SQLite, then two on PostgreSQL. Exits with 1 when a page, a credit
 * or an event was wrong:
 * node test/chaos/run-job-chaos.ts [--pages 2000] [--kills 20]
 */
import { parseArgs } from 'node:util';
import { createTestDatabase } from '../fixtures/postgres.ts';
import { jobChaos } from './job-chaos.ts';

const { values } = parseArgs({
  options: { pages: { type: 'string', default: '2000' }, kills: { type: 'string', default: '20' } },
});
const sizes = { pages: Number(values.pages), kills: Number(values.kills) };
const database = await createTestDatabase();
const runs = [
  { name: 'SQLite, one server', databaseUrl: null, servers: 1 },
  ...(database === null ? [] : [{ name: 'PostgreSQL, two servers', databaseUrl: database.url, servers: 2 }]),
];
for (const { name, ...run } of runs) {
  const report = await jobChaos({ ...sizes, ...run });
  console.log(name, JSON.stringify(report));
  if (report.faults.length > 0) process.exitCode = 1;
}
await database?.drop();
