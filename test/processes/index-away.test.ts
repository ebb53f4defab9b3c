import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../cluster/nodes.ts';
import { startWeb } from '../fixtures/web.ts';
import { startServer } from './server-process.ts';

test('a server starts while the cluster with its index is away, reads pages, and says that it cannot search', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'index-away-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const web = await startWeb({
    routes: { '/': `<title>Waders</title><p>${'Waders stand on one leg. '.repeat(20)}</p>` },
  });
  t.after(web.close);
  const server = await startServer(t, folder, {
    INDEX_URL: `http://127.0.0.1:${await freePort()}/docs`,
    METERING: 'off',
    FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
    LOG_LEVEL: 'silent',
  });
  const { status, opensearch } = await server.get('/readyz');
  assert.deepEqual({ status, opensearch }, { status: 'ready', opensearch: 'unreachable' });
  const search = await fetch(`${server.address}/v1/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'why do waders stand on one leg' }),
  });
  assert.equal(search.status, 503);
  assert.equal(((await search.json()) as { error: string }).error, 'recall_unavailable');
  const page = await fetch(`${server.address}/r/${web.origin}/`);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /Waders stand on one leg/);
  await server.end();
});
