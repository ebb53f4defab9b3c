import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createBilling } from '../../src/app/compose-billing.ts';
import { ROUTE_MS } from '../../src/contract/limits.ts';
import { createLog } from '../../src/platform/log.ts';
import { startServer } from './server-process.ts';

const CREDITS = 100;

test('an OpenSearch that takes connections and never answers: a search ends in time, with 503, and costs nothing', {
  timeout: 120_000,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'stalled-cluster-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const sockets = new Set<Socket>();
  const peer = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.resume();
  });
  peer.listen(0, '127.0.0.1');
  await once(peer, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    peer.close();
  });
  const billing = await createBilling({ dataDir: folder, databaseUrl: null }, { log: createLog('silent') });
  const { apiKey, keyId } = await billing.keys.create({ credits: CREDITS, label: null });
  await billing.close();
  const server = await startServer(t, folder, {
    INDEX_URL: `http://127.0.0.1:${(peer.address() as AddressInfo).port}/docs`,
    LOG_LEVEL: 'silent',
  });
  const begun = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      fetch(`${server.address}/v1/search`, {
        method: 'POST',
        body: JSON.stringify({ query: 'why do waders stand on one leg' }),
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      }),
    ),
  );
  const ms = performance.now() - begun;
  for (const answer of answers) assert.equal(answer.status, 503, await answer.clone().text());
  assert.ok(ms < ROUTE_MS.search + 2_000, `${ms} ms`);
  const balance = await server.get('/v1/balance', { 'x-api-key': apiKey });
  assert.equal(balance.credits, CREDITS);
  await server.end();
  const after = await createBilling({ dataDir: folder, databaseUrl: null }, { log: createLog('silent') });
  assert.equal(await after.ledger.available(keyId), CREDITS);
  await after.close();
});
