import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noRedis, startTestRedis } from '../fixtures/redis.ts';
import { runCluster } from './cluster-run.ts';
import { noNodes, startNodes } from './nodes.ts';
import { startPostgres } from './postgres-server.ts';

/** By hand: SANDERLING_CLUSTER_SECONDS=300 npm run test:cluster. */
const SECONDS = Number(process.env.SANDERLING_CLUSTER_SECONDS || 60);
const NODES = 3;

test('three servers over three nodes, PostgreSQL and Redis: callers see only honest answers while parts are lost', {
  timeout: (SECONDS + 600) * 1_000,
}, async (t) => {
  const lacking = await noNodes();
  if (lacking !== null) return t.skip(lacking);
  const postgres = await startPostgres();
  if (postgres === null) return t.skip('no PostgreSQL is installed');
  t.after(() => postgres.close());
  const redis = await startTestRedis();
  if (redis === null) return t.skip(noRedis);
  t.after(() => redis.close());
  const nodes = await startNodes(NODES);
  t.after(() => nodes.close());
  const report = await runCluster(t, { nodes, postgres, redis, seconds: SECONDS });
  t.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.faults, []);
  assert.ok(report.kills.servers >= 3 && report.kills.nodes >= 1, JSON.stringify(report.kills));
  assert.ok(report.answered > SECONDS, `only ${report.answered} calls were answered`);
});
