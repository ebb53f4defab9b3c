import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { createLog } from '../../platform/log.ts';
import { createLocalIndex } from '../local-index.ts';
import type { IndexedPage, LocalIndex } from '../local-index-types.ts';

const pages = Array.from(
  { length: 41 },
  (_, number): IndexedPage => ({
    url: `https://h${number % 5}.example.com/${number}`,
    title: `Waders ${number}`,
    headings: ['Knots'],
    markdown: `The ${number}th knot eats shellfish on mud flats. `.repeat(number + 1),
    language: 'en',
    publishedDay: null,
    site: null,
    author: null,
    rawChars: 1,
    fetchedAt: 1,
  }),
);

async function filled(t: TestContext, fill: (index: LocalIndex) => Promise<void>): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-prepare-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'index.db');
  const index = await createLocalIndex({ path, log: createLog('silent') });
  await fill(index);
  assert.deepEqual(await index.problems(), []);
  await index.close();
  const database = new DatabaseSync(path);
  const rows = database
    .prepare(
      `select url, body_terms, title_terms, bytes, vectors, model from page join page_life on page_life.page_id = id
       join page_vector on page_vector.page_id = id order by url`,
    )
    .all();
  database.close();
  return rows;
}

test('many pages at once are read by other threads, and written as if the writer had read them', async (t) => {
  const atOnce = await filled(t, (index) => index.put(pages));
  const oneByOne = await filled(t, async (index) => {
    for (const page of pages) await index.put([page]);
  });
  assert.deepEqual(atOnce, oneByOne);
});

/** How nice each thread of this process is, by proc(5). */
const threadNiceness = (): number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const afterName = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1];
    return Number(afterName?.split(' ')[16]);
  });

test('the threads that read many pages let searches go first, and the others stay as they are', {
  skip: process.platform !== 'linux' || getPriority() >= 10,
}, async (t) => {
  const own = getPriority();
  await filled(t, async (index) => {
    const before = threadNiceness();
    await index.put(pages);
    const after = threadNiceness();
    assert.ok(before.every((niceness) => niceness === own));
    assert.ok(after.includes(10));
    assert.equal(after.filter((niceness) => niceness === own).length, before.length);
  });
  assert.equal(getPriority(), own);
});

test('if one of many pages has no address, none of them is written', async (t) => {
  const rows = await filled(t, async (index) => {
    await assert.rejects(index.put([...pages, { ...(pages[0] as IndexedPage), url: 'no address' }]), /URL/);
  });
  assert.deepEqual(rows, []);
});
