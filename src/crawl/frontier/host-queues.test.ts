import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../platform/store/open-store.ts';
import { insertRows, readNextRows } from './frontier-rows.ts';
import type { FrontierRow } from './frontier-types.ts';
import { createHostQueues } from './host-queues.ts';

const HOST = 'one.test';

test('an address that failed for a moment comes after those that were never tried, deeper ones too', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'host-queues-'));
  const store = await openStore(folder);
  t.after(async () => {
    await store.destroy();
    rmSync(folder, { recursive: true });
  });
  await store.insertInto('crawl').values({ id: 'crawl', starts: '[]', started_at: 0 }).execute();
  const at = (path: string): string => `https://${HOST}/${path}`;
  await insertRows(store, 'crawl', { urls: [at('failed'), at('first')], depth: 0 });
  await insertRows(store, 'crawl', { urls: [at('deeper')], depth: 3 });
  await store.updateTable('crawl_url').set({ attempts: 1 }).where('url', '=', at('failed')).execute();
  const rows = await readNextRows(store, 'crawl', { host: HOST, limit: 10 });
  assert.deepEqual(
    rows.map(({ url }) => url),
    [at('first'), at('deeper'), at('failed')],
  );
});

test('an address that is found while only retries are left comes before them', async () => {
  const row = (id: number, attempts: number): FrontierRow => ({
    id,
    url: `https://${HOST}/${id}`,
    host: HOST,
    depth: 1,
    attempts,
    not_before: 0,
  });
  let stored = [row(1, 1), row(2, 2)];
  const queues = createHostQueues({ pendingOf: () => stored.length, takePending() {} }, async () => stored);
  assert.equal((await queues.peek(HOST))?.id, 1);
  stored = [row(3, 0), ...stored];
  queues.outdate(HOST);
  assert.equal((await queues.peek(HOST))?.id, 3);
});
