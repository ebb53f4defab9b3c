import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { startAttacked } from './attacked-service.ts';
import { type HostilePage, hostilePages } from './hostile-page-bodies.ts';

/** The CPU limit of a page in its thread, and what the rest of the process may use meanwhile. */
const CPU_MS_MAX = 2_000 + 500;
const HEALTH_EVERY_MS = 50;
const HEALTH_P99_MS_MAX = 150;

test('200 hostile pages are read or refused, each within its CPU time', async (t) => {
  const pages = hostilePages();
  assert.ok(pages.length >= 200, `${pages.length} pages`);
  const site = await servePages(t, pages);
  const service = await startAttacked(t, { FETCH_ALLOW_PRIVATE: '127.0.0.0/8', LOG_LEVEL: 'warn' });
  const issued = await fetch(`${service.address}/v1/keys/free`, { method: 'POST' });
  const { apiKey: key } = (await issued.json()) as { apiKey: string };
  const health = watchHealth(`${service.address}/healthz`);
  t.after(() => health.stop());
  const harmful: string[] = [];
  for (const [place, { name }] of pages.entries()) {
    const before = service.cpuMs();
    const response = await fetch(`${service.address}/r/${site}/${place}?q=words`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await response.arrayBuffer();
    const cpuMs = service.cpuMs() - before;
    if (![200, 502].includes(response.status) || cpuMs > CPU_MS_MAX)
      harmful.push(`${name}: ${response.status} after ${cpuMs} ms of CPU time`);
  }
  assert.deepEqual(harmful, []);
  const waits = (await health.stop()).sort((one, other) => one - other);
  const p99 = waits[Math.floor(waits.length * 0.99)] ?? 0;
  t.diagnostic(
    `${waits.length} health checks, p99 ${Math.round(p99)} ms, peak ${service.rssPeak() >> 20} MB`,
  );
  assert.ok(p99 <= HEALTH_P99_MS_MAX, `p99 of /healthz: ${p99} ms`);
  await service.assertUnharmed();
});

async function servePages(t: TestContext, pages: HostilePage[]): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const page = pages[Number(/^\/(\d+)/.exec(url)?.[1])];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': page?.type ?? 'text/plain' });
    response.end(page?.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Requests /healthz until `stop` is called, which returns the latencies in milliseconds. */
function watchHealth(address: string): { stop(): Promise<number[]> } {
  const stopping = new AbortController();
  const waits: number[] = [];
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      const asked = performance.now();
      await (await fetch(address, { signal: stopping.signal })).arrayBuffer();
      waits.push(performance.now() - asked);
      await later(HEALTH_EVERY_MS);
    }
  })().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return {
    async stop() {
      stopping.abort();
      await watching;
      return waits;
    },
  };
}
