import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import { type AttackedService, startAttacked } from './attacked-service.ts';

const DISK = '48m';
const CHUNK_BYTES = 65_536;
const FILL_BYTES_MAX = 64_000_000;
const READY_MS_MAX = 15_000;
/** Runs the service in a separate mount namespace, where the data folder is a small disk in memory. */
const ON_SMALL_DISK = [
  ...['unshare', '--mount', 'sh', '-c'],
  `mount -t tmpfs -o size=${DISK} tmpfs "$DATA_DIR" && exec "$0" "$@"`,
];
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

test('on a full disk: 503 in the format of the route, and not ready until space is freed', {
  skip: canMount ? false : 'mounting a small disk is not allowed here',
}, async (t) => {
  const service = await startAttacked(t, {}, { wrapper: ON_SMALL_DISK });
  await untilReady(service, 200);
  const filler = `/proc/${service.pid}/root${service.dataDir}/filler`;
  fill(filler);
  await untilReady(service, 503);
  // Fewer than the free requests of a day, so that the jobs below are not refused before they are written.
  for (let call = 0; call < 20; call++) {
    const search = await post(service, call % 2 === 0 ? '/v1/search' : '/shapeB/search');
    // Writes that fit into the allocated part of the ledger's log still succeed.
    assert.ok([200, 402, 432, 503].includes(search.status), String(search.status));
    assert.match(search.headers.get('x-request-id') ?? '', /^req_/);
    const json = (await search.json()) as { error?: string; detail?: { error: string } };
    if (search.status === 503) assert.equal(json.error ?? json.detail?.error, 'overloaded');
  }
  for (const path of ['/v2/crawl', '/v2/batch/scrape', '/v2/crawl']) {
    const job = await post(service, path, '{"url":"https://example.org/","urls":["https://example.org/"]}');
    assert.ok([200, 402, 503].includes(job.status), `${path}: ${job.status} ${await job.text()}`);
  }
  const key = await post(service, '/v1/keys/free');
  assert.ok([200, 503].includes(key.status), String(key.status));
  rmSync(filler);
  await untilReady(service, 200);
  assert.ok([200, 402].includes((await post(service, '/v1/search')).status));
  await service.assertUnharmed();
});

function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let written = 0; written < FILL_BYTES_MAX; )
      written += writeSync(file, Buffer.alloc(CHUNK_BYTES, 1));
    assert.fail('the disk does not fill');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

async function untilReady({ address }: AttackedService, status: number): Promise<void> {
  const until = Date.now() + READY_MS_MAX;
  for (;;) {
    const ready = await fetch(`${address}/readyz`);
    if (ready.status === status) return;
    assert.ok(Date.now() < until, `/readyz answers ${ready.status}: ${await ready.text()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function post(
  { address }: AttackedService,
  path: string,
  body = '{"query":"wading birds"}',
): Promise<Response> {
  return fetch(address + path, { method: 'POST', body });
}
