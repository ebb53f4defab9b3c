import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../platform/store/open-store.ts';
import type { Article } from './article.ts';
import { createPageCache, removeCopies } from './page-cache.ts';

const articleAt = (url: string): Article => ({
  url,
  canonicalUrl: url,
  kind: 'html',
  title: 'A page',
  author: null,
  site: null,
  language: 'en',
  published: null,
  description: null,
  headings: [],
  markdown: 'word '.repeat(2_000),
  links: [],
  robots: { index: true, follow: true },
  rawChars: 10_000,
});

test('a smaller bound drops the least recently used pages, and the file shrinks', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'page-cache-'));
  const store = await openStore(folder);
  t.after(async () => {
    await store.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
  let now = 1;
  const clock = { now: () => now };
  const fill = async (bytesMax: number, from: number, to: number): Promise<void> => {
    const cache = createPageCache({ store, clock, bytesMax });
    for (let page = from; page < to; page++) {
      now += 1;
      const url = `https://example.org/${page}`;
      await cache.put(url, { article: articleAt(url), etag: null, lastModified: null, fetchedAt: now });
    }
    await sql`pragma wal_checkpoint(truncate)`.execute(store);
  };
  const size = (): number => statSync(join(folder, 'store.db')).size;
  await fill(100_000_000, 0, 300);
  const before = size();
  await fill(1_000_000, 300, 301);
  const after = size();
  assert.ok(after < before / 2, `${after} of ${before} bytes are left`);
  const cache = createPageCache({ store, clock });
  assert.equal(await cache.get('https://example.org/0'), null);
  assert.notEqual(await cache.get('https://example.org/300'), null);
});

test('copies leave by any of their addresses, and nothing of them stays in the file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'page-cache-'));
  const store = await openStore(folder);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const cache = createPageCache({ store, clock: { now: () => 1 } });
  const article = { ...articleAt('https://example.org/read'), markdown: 'zanthoxylum '.repeat(900) };
  const asked = ['https://example.org/asked', 'https://other.test/'];
  for (const url of asked) await cache.put(url, { article, etag: null, lastModified: null, fetchedAt: 1 });
  await cache.put('https://stays.test/', {
    article: articleAt('https://stays.test/'),
    etag: null,
    lastModified: null,
    fetchedAt: 1,
  });
  assert.equal(await removeCopies(store, (address) => address === 'https://example.org/read'), 2);
  assert.equal(await cache.get(asked[0] ?? ''), null);
  assert.notEqual(await cache.get('https://stays.test/'), null);
  await store.destroy();
  assert.equal(readFileSync(join(folder, 'store.db')).includes('zanthoxylum'), false);
});
