import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { useFileForCrawls } from '../../platform/store/crawls/open-crawl-store.ts';
import { openStore } from '../../platform/store/open-store.ts';
import { beginCrawl, changeCrawl } from './crawl-rows.ts';
import type { FrontierRow } from './frontier-types.ts';
import { createHostQueues } from './host-queues.ts';
import { insertUrls, readNextUrls } from './url-rows.ts';

const HOST = 'one.test';

test('an address that failed for a moment comes after those that were never tried, deeper ones too', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'host-queues-'));
  const store = await openStore(folder);
  t.after(async () => {
    await store.destroy();
    rmSync(folder, { recursive: true });
  });
  const crawls = useFileForCrawls(store, { now: () => 1 });
  const order = { place: '', request: '{}', worker: 'one', fresh: false, pagesMax: 9 };
  await beginCrawl(crawls, { id: 'crawl', ...order });
  const at = (path: string): string => `https://${HOST}/${path}`;
  const bounds = { urlsMax: 9, hostUrlsMax: 9, hostsMax: null };
  const urls = [
    { url: at('failed'), depth: 0, reason: null },
    { url: at('deeper'), depth: 3, reason: null },
    { url: at('first'), depth: 0, reason: null },
  ];
  await changeCrawl(crawls, 'crawl', (crawl) => insertUrls(crawl, { urls, bounds }));
  await crawls.db.updateTable('crawl_url').set({ attempts: 1 }).where('url', '=', at('failed')).execute();
  const rows = await readNextUrls(crawls, 'crawl', { host: HOST, limit: 10, now: 1 });
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
