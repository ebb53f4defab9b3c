import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { createLocalIndex } from '../../src/index/local-index.ts';
import type { IndexedPage, LocalIndex } from '../../src/index/local-index-types.ts';
import { createLog } from '../../src/platform/log.ts';

const folder = mkdtempSync(join(tmpdir(), 'index-upkeep-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const log = createLog('silent');

const pageAt = (url: string, fetchedAt = START, markdown = `A page at ${url}.`): IndexedPage => ({
  ...{
    url,
    title: `Title of ${url}`,
    headings: [],
    markdown,
    publishedDay: null,
    language: 'en',
    site: null,
  },
  ...{ author: null, rawChars: 10, fetchedAt },
});

let opened = 0;
const nextPath = (): string => join(folder, `${opened++}.db`);

const urlsOf = async (index: LocalIndex, selector: Parameters<LocalIndex['forget']>[0] | null = null) =>
  (await index.list({ selector, after: null, limit: 1_000 })).map(({ url }) => url);

describe('a bounded index', () => {
  const words = (page: number): string =>
    Array.from({ length: 3_000 }, (_, at) => `w${((page + 1) * 7_919 * (at + 1)) % 90_001}`).join(' ');
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

describe('forgetting', () => {
  const PAGES = [
    'https://docs.example.org/a',
    'https://docs.example.org/a/b',
    'https://docs.example.org/ab?utm_source=x',
    'https://example.org/',
    'http://www.example.org/a/',
    'https://notexample.org/a',
    'http://127.0.0.1:8081/a',
  ];
  const selected: [selector: Parameters<LocalIndex['forget']>[0], gone: string[]][] = [
    [{ url: 'https://docs.example.org/a' }, ['https://docs.example.org/a']],
    [{ url: 'http://docs.example.org/ab' }, ['https://docs.example.org/ab?utm_source=x']],
    [{ url: 'https://example.org/a' }, ['http://www.example.org/a/']],
    [{ url: 'https://example.org/a/index.html' }, ['http://www.example.org/a/']],
    [{ host: 'docs.example.org' }, PAGES.slice(0, 3)],
    [{ host: 'example.org' }, PAGES.slice(0, 5)],
    [{ host: '127.0.0.1' }, ['http://127.0.0.1:8081/a']],
    [{ host: '127.0.0.1:8080' }, []],
    [{ prefix: 'https://docs.example.org/a/' }, ['https://docs.example.org/a/b']],
    [{ prefix: 'https://docs.example.org/a' }, PAGES.slice(0, 3)],
  ];
  for (const [selector, gone] of selected) {
    test(`${JSON.stringify(selector)} reaches ${gone.length} of the pages`, async () => {
      const index = await createLocalIndex({ path: nextPath(), log });
      await index.put(PAGES.map((url) => pageAt(url)));
      assert.deepEqual(await urlsOf(index, selector), gone.toSorted());
      assert.equal(await index.forget(selector), gone.length);
      assert.deepEqual(await urlsOf(index), PAGES.filter((url) => !gone.includes(url)).toSorted());
      assert.deepEqual(await index.problems(), []);
      await index.close();
    });
  }

  test('leaves no word of the page and nothing of its address in the file', async () => {
    const path = nextPath();
    const index = await createLocalIndex({ path, log });
    await index.put(PAGES.map((url) => pageAt(url)));
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

  test('changes the epoch in every process, even if the index held no such page; other changes do not', async () => {
    const path = nextPath();
    const [one, other] = [await createLocalIndex({ path, log }), await createLocalIndex({ path, log })];
    const before = await other.epoch();
    await one.put(PAGES.map((url) => pageAt(url)));
    await one.remove(PAGES.slice(0, 1));
    assert.equal(await other.epoch(), before);
    await one.forget({ url: 'https://unknown.test/' });
    assert.notEqual(await other.epoch(), before);
    await Promise.all([one.close(), other.close()]);
  });
});

describe('visits', () => {
  test('a page is due after a week, then the sooner the more it changes', async () => {
    let now = START;
    const index = await createLocalIndex({ path: nextPath(), log, clock: { now: () => now } });
    const [changing, still] = ['https://example.org/changing', 'https://example.org/still'];
    await index.put([pageAt(changing), pageAt(still), pageAt('file:///notes.md')]);
    assert.deepEqual(await index.due(10), []);
    now += 7 * DAY_MS;
    assert.deepEqual((await index.due(10)).toSorted(), [changing, still]);
    await index.put([pageAt(changing, now, 'Another text.')]);
    await index.confirm([{ url: still, fetchedAt: now }]);
    assert.deepEqual(await index.due(10), []);
    assert.equal((await index.get(still))?.fetchedAt, now);
    now += 7 * DAY_MS;
    assert.deepEqual(await index.due(10), [changing]);
    now += 7 * DAY_MS;
    assert.deepEqual(await index.due(10), [changing, still]);
    await index.postpone([changing], now + DAY_MS);
    assert.deepEqual(await index.due(10), [still]);
    await index.close();
  });

  test('noting use, confirming and postponing keep the answers of searches', async () => {
    const index = await createLocalIndex({ path: nextPath(), log });
    await index.put([pageAt('https://example.org/')]);
    const version = await index.version();
    await index.use(['https://example.org/']);
    await index.confirm([{ url: 'https://example.org/', fetchedAt: START + DAY_MS }]);
    await index.postpone(['https://example.org/'], START);
    assert.equal(await index.version(), version);
    await index.close();
  });
});

test('stats count pages by age, language and host', async () => {
  const clock = { now: () => START + 10 * DAY_MS };
  const index = await createLocalIndex({ path: nextPath(), log, clock });
  await index.put([
    pageAt('https://example.org/1', START + 10 * DAY_MS),
    { ...pageAt('https://example.org/2'), language: 'de' },
    pageAt('https://other.test/', START - 1_000 * DAY_MS),
  ]);
  const { pages, hosts, bytes, textBytes, ages, languages, largestHosts } = await index.stats();
  assert.deepEqual({ pages, hosts }, { pages: 3, hosts: 2 });
  assert.ok(bytes > textBytes && textBytes > 100);
  assert.deepEqual(
    ages.map(({ pages: count }) => count),
    [1, 0, 1, 0, 0, 1],
  );
  assert.deepEqual(languages, [
    { language: 'en', pages: 2 },
    { language: 'de', pages: 1 },
  ]);
  assert.deepEqual(largestHosts[0], { host: 'example.org', pages: 2 });
  await index.close();
});
