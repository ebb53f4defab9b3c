import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { createLocalIndex } from '../../src/index/local-index.ts';
import { createLog } from '../../src/platform/log.ts';
import { pageAt, START, urlsOf } from './index-upkeep-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'index-upkeep-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const DAY_MS = 86_400_000;
const log = createLog('silent');

let opened = 0;
const nextPath = (): string => join(folder, `${opened++}.db`);

describe('a bounded index', () => {
  const words = (page: number): string =>
    Array.from({ length: 1_500 }, (_, at) => `w${((page + 1) * 7_919 * (at + 1)) % 90_001}`).join(' ');
  const urls = Array.from({ length: 150 }, (_, page) => `https://example.org/${page}`);
  const used = urls.slice(0, 5);

  test('drops the pages that were used least lately, and the file shrinks', async () => {
    const path = nextPath();
    let now = START;
    const clock = { now: () => now };
    const whole = await createLocalIndex({ path, log, clock });
    for (let at = 0; at < urls.length; at += 50)
      await whole.put(urls.slice(at, at + 50).map((url, place) => pageAt(url, START, words(at + place))));
    now += 2 * DAY_MS;
    await whole.use(used);
    await whole.close();
    const before = statSync(path).size;
    const bytesMax = Math.round(before / 2);

    const bounded = await createLocalIndex({ path, log, clock, bytesMax });
    await bounded.tidy();
    const left = await urlsOf(bounded);
    assert.deepEqual(await bounded.problems(), []);
    await bounded.close();
    assert.ok(statSync(path).size <= bytesMax, `${statSync(path).size} of ${bytesMax} bytes`);
    assert.ok(left.length > 20 && left.length < 100, `${left.length} pages are left`);
    for (const url of used) assert.ok(left.includes(url), `${url} was used and stays`);
  });

  test('a file of an earlier version is rewritten once, so that it can shrink', async () => {
    const path = nextPath();
    const index = await createLocalIndex({ path, log });
    await index.put(urls.slice(0, 60).map((url, page) => pageAt(url, START, words(page))));
    await index.close();
    const earlier = new DatabaseSync(path);
    earlier.exec(
      'pragma journal_mode = delete; pragma auto_vacuum = none; vacuum; drop table page_life; drop table forgetting',
    );
    earlier.close();
    const bytesMax = Math.round(statSync(path).size / 2);
    const bounded = await createLocalIndex({ path, log, bytesMax });
    await bounded.tidy();
    assert.deepEqual(await bounded.problems(), []);
    await bounded.close();
    assert.ok(statSync(path).size <= bytesMax);
  });
});

test('a forgotten page leaves no word and nothing of its address in the file', async () => {
  const path = nextPath();
  const index = await createLocalIndex({ path, log });
  await index.put([pageAt('https://docs.example.org/a'), pageAt('https://example.org/')]);
  await index.put([
    pageAt('https://quillwort.test/zanthoxylum', START, 'The zanthoxylum brotherhood. '.repeat(900)),
  ]);
  assert.equal(await index.forget({ host: 'quillwort.test' }), 1);
  await index.tidy();
  await index.close();
  const bytes = readFileSync(path);
  for (const word of ['quillwort', 'zanthoxylum', 'thoxyl', 'brotherhood'])
    assert.equal(bytes.includes(word), false, word);
});
