import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { IndexedPage, LocalIndex } from '../../src/index/local-index-types.ts';
import type { Clock } from '../../src/platform/clock.ts';

const DAY_MS = 86_400_000;
export const START = Date.UTC(2026, 0, 1);

/** A page that differs from others in its address, and in its text where one is given. */
export const pageAt = (url: string, fetchedAt = START, markdown = `A page at ${url}.`): IndexedPage => ({
  url,
  title: `Title of ${url}`,
  headings: [],
  markdown,
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: 10,
  fetchedAt,
});

export const urlsOf = async (
  index: LocalIndex,
  selector: Parameters<LocalIndex['forget']>[0] | null = null,
) => (await index.list({ selector, after: null, limit: 1_000 })).map(({ url }) => url);

/** `open` opens an empty index; `again` opens the one that was opened last a second time, as another process would. */
type Engine = { open(clock?: Clock): Promise<LocalIndex>; again(): Promise<LocalIndex> };

/** What every engine of the local index promises of keeping, forgetting and revisiting pages. */
export function upkeepContract(name: string, { open, again }: Engine): void {
  describe(name, () => {
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
      describe('reaches the pages of', () => {
        let index: LocalIndex;
        before(async () => {
          index = await open();
        });
        after(() => index.close());
        for (const [selector, gone] of selected)
          test(`${JSON.stringify(selector)}: ${gone.length}`, async () => {
            await index.put(PAGES.map((url) => pageAt(url)));
            assert.deepEqual(await urlsOf(index, selector), gone.toSorted());
            assert.equal(await index.forget(selector), gone.length);
            assert.deepEqual(await urlsOf(index), PAGES.filter((url) => !gone.includes(url)).toSorted());
            assert.deepEqual(await index.problems(), []);
          });
      });

      test('changes the epoch in every process, even if the index held no such page; other changes do not', async () => {
        const one = await open();
        const other = await again();
        // It has started then, which a machine with much to do may not manage in the second that the epoch is waited for.
        await other.size();
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
        const index = await open({ now: () => now });
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
        const index = await open();
        await index.put([pageAt('https://example.org/')]);
        const [state] = (await index.version()).split('/');
        await index.use(['https://example.org/']);
        await index.confirm([{ url: 'https://example.org/', fetchedAt: START + DAY_MS }]);
        await index.postpone(['https://example.org/'], START);
        assert.equal((await index.version()).split('/')[0], state);
        await index.close();
      });
    });

    test('stats count pages by age, language and host', async () => {
      const clock = { now: () => START + 10 * DAY_MS };
      const index = await open(clock);
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
  });
}
