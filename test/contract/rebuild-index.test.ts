import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, type TestContext, test } from 'node:test';
import { SCHEMA_VERSION } from '../../src/index/index-schema.ts';
import { openIndexWriter } from '../../src/index/index-writer.ts';
import { createLocalIndex } from '../../src/index/local-index.ts';
import type { IndexedPage, LocalIndex } from '../../src/index/local-index-types.ts';
import { findPagesQuery } from '../../src/index/rebuild/old-files.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { oldIndex } from '../fixtures/old-index.ts';
import { keptLog } from '../harness.ts';

const PAGES = 50;

const page = (number: number, parts: Partial<IndexedPage> = {}): IndexedPage => ({
  url: `https://h${number % 3}.example.com/${number}`,
  title: `Page ${number}`,
  headings: ['One'],
  markdown: `# Page ${number}\n\nIt explains codec${number} and what it does.`,
  publishedDay: '2024-02-29',
  language: 'en',
  site: 'S',
  author: null,
  rawChars: 100,
  fetchedAt: 1_000,
  ...parts,
});

let path: string;
beforeEach((t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-rebuild-'));
  path = join(folder, 'index.db');
  (t as TestContext).after(() => rmSync(folder, { recursive: true, force: true }));
});

const files = (): string[] => readdirSync(join(path, '..')).filter((name) => name.endsWith('.db'));
const numbers = Array.from({ length: PAGES }, (_, number) => number);

/** An index with pages whose words this version cannot read. */
function makeOld(layout = 1, pages = numbers.map((number) => page(number))): void {
  oldIndex(path, { layout, pages });
}

async function found(index: LocalIndex, query: string): Promise<string[]> {
  const none = { includeDomains: [], excludeDomains: [], publishedFrom: null, publishedTo: null };
  return (await index.search({ ...none, limit: 5, query: readQuery(query) })).map(({ url }) => url);
}

test('this version can take pages over from its own layout', () => {
  assert.notEqual(findPagesQuery(SCHEMA_VERSION), null);
});

test('an index of an older layout is rebuilt with the same pages, and its file is removed', async () => {
  makeOld();
  const { log, lines } = keptLog();
  const index = await createLocalIndex({ path, log });
  assert.deepEqual(index.rebuilding(), { pages: 0, of: PAGES });
  await index.rebuilt();
  assert.equal(index.rebuilding(), null);
  for (const number of numbers) assert.deepEqual(await index.get(page(number).url), page(number));
  assert.equal((await found(index, 'codec7'))[0], page(7).url);
  assert.deepEqual(await index.problems(), []);
  assert.deepEqual(await index.size(), { pages: PAGES, hosts: 3 });
  await index.close();
  assert.deepEqual(files(), ['index.db']);
  assert.ok(lines.some((line) => line.includes('the index is rebuilt')));
});

test('every process goes on at the page where the last one ended', () => {
  makeOld();
  const progress: number[] = [];
  for (let starts = 1; ; starts++) {
    const writer = openIndexWriter(path);
    const before = writer.takeOver.report().rebuilding;
    const after = writer.takeOver.step().rebuilding;
    writer.close();
    if (before === null) break;
    assert.ok(starts <= PAGES, 'it ends');
    progress.push((after?.pages ?? PAGES) - before.pages);
  }
  // Each page was taken over once; the last step found none.
  assert.deepEqual(progress, [16, 16, 16, 2, 0]);
  assert.deepEqual(files(), ['index.db']);
});

test('a page that is removed or replaced before it is taken over stays so', async () => {
  makeOld();
  const writer = openIndexWriter(path);
  assert.deepEqual(writer.takeOver.get(page(40).url), page(40));
  const replaced = page(41, { title: 'Newer', fetchedAt: 2_000 });
  const older = page(42, { title: 'Older', fetchedAt: 500 });
  const outcomes = writer.apply([
    { at: 1, remove: [page(40).url, 'https://example.com/no'] },
    { at: 1, put: [replaced, older] },
  ]);
  assert.deepEqual(outcomes, [
    { ok: true, count: 1 },
    { ok: true, count: 2 },
  ]);
  assert.equal(writer.takeOver.get(page(40).url), null);
  while (writer.takeOver.step().rebuilding !== null);
  assert.deepEqual(writer.problems(), []);
  writer.close();
  const { log } = keptLog();
  const index = await createLocalIndex({ path, log });
  assert.equal(await index.get(page(40).url), null);
  assert.deepEqual(await index.get(replaced.url), replaced);
  assert.deepEqual(await index.get(older.url), page(42));
  assert.deepEqual(await index.size(), { pages: PAGES - 1, hosts: 3 });
  await index.close();
});

test('a page is given out before it is taken over', async () => {
  makeOld(
    1,
    Array.from({ length: 3_000 }, (_, number) => page(number)),
  );
  const index = await createLocalIndex({ path, log: keptLog().log });
  assert.deepEqual(await index.get(page(2_999).url), page(2_999));
  assert.notEqual(index.rebuilding(), null);
  await index.close();
  assert.deepEqual(files(), ['index.db', 'index.layout-1.db']);
});

test('an index of an unknown layout is kept beside an empty one, and named in the log', async () => {
  makeOld(999);
  for (const _ of ['first start', 'second start']) {
    const { log, lines } = keptLog();
    const index = await createLocalIndex({ path, log });
    assert.equal(index.rebuilding(), null);
    assert.deepEqual(await index.size(), { pages: 0, hosts: 0 });
    await index.close();
    assert.ok(
      lines.some((line) => /index\.layout-999\.db has layout 999, which this version cannot read/.test(line)),
    );
  }
  assert.deepEqual(files(), ['index.db', 'index.layout-999.db']);
});

test('a page that cannot be taken over costs no other page', async () => {
  makeOld(1, [page(1), page(2, { url: 'no address' }), page(3)]);
  const { log, lines } = keptLog();
  const index = await createLocalIndex({ path, log });
  await index.rebuilt();
  assert.deepEqual(await index.size(), { pages: 2, hosts: 2 });
  await index.close();
  assert.equal(lines.filter((line) => line.includes('could not be taken over')).length, 1);
});

test('an older index that another process has open is not touched', async () => {
  makeOld();
  const other = new DatabaseSync(path);
  other.prepare('select count(*) from page').get();
  await assert.rejects(createLocalIndex({ path, log: keptLog().log }), (error: Error) => {
    assert.match(String(error.cause), /index\.db is in use: stop the process that has it open first/);
    return true;
  });
  other.close();
  assert.deepEqual(files(), ['index.db']);
});

test('a damaged older index is kept', async () => {
  makeOld();
  openIndexWriter(path).close();
  const old = path.replace('.db', '.layout-1.db');
  writeFileSync(old, readFileSync(old).fill(7, 4_096));
  const { log, lines } = keptLog();
  const index = await createLocalIndex({ path, log });
  await index.rebuilt();
  assert.equal(index.rebuilding(), null);
  await index.close();
  assert.ok(!existsSync(old));
  assert.ok(readdirSync(join(path, '..')).some((name) => name.startsWith('index.layout-1.db.damaged-')));
  assert.ok(lines.some((line) => line.includes('is damaged')));
});
