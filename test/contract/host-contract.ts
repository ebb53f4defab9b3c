import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { rankHosts } from '../../src/index/hosts/host-upkeep.ts';
import type { IndexedPage, LocalIndex } from '../../src/index/local-index-types.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { hostsOfTheCase } from './ranked-hosts.ts';

const rank = (index: LocalIndex, now = 1) => rankHosts(index, { now, signal: new AbortController().signal });

/** What every engine promises about hosts and how they stand: the same order of results after the same pages. */
export function hostContract(name: string, open: () => Promise<LocalIndex>): void {
  describe(name, () => {
    let index: LocalIndex;
    beforeEach(async () => {
      index = await open();
    });
    afterEach(() => index.close());

    const find = async (query: string): Promise<string[]> =>
      (await index.search({ ...NO_FILTERS, limit: 10, query: readQuery(query) })).map(
        ({ url }) => new URL(url).host,
      );
    const put = async (pages: IndexedPage[]): Promise<void> => {
      for (let at = 0; at < pages.length; at += 50) await index.put(pages.slice(at, at + 50));
    };

    test('an index whose hosts were never ranked says so', async () => {
      assert.equal(await index.hostRanking(), null);
      assert.deepEqual(await index.standings({ onlyDamped: false, limit: 10 }), []);
    });

    test('an original comes before its mirror, and a link farm wins nothing', async () => {
      const { pages, queries } = hostsOfTheCase();
      await put(pages);
      const before = await Promise.all(queries.map(({ text }) => find(text)));
      const ranking = await rank(index);
      assert.equal(ranking?.pages, pages.length);
      assert.deepEqual(await index.hostRanking(), ranking);
      for (const [place, { text, first }] of queries.entries()) {
        assert.notEqual(before[place]?.[0], first, `${text}, before hosts are ranked`);
        assert.equal((await find(text))[0], first, text);
      }
      const damped = await index.standings({ onlyDamped: true, limit: 50 });
      assert.deepEqual(damped.map(({ host }) => host).toSorted(), [
        'docs.mirror-of-otters.example',
        'win-x7-k2-q9-z4.bonus-links.example',
      ]);
      const [best] = await index.standings({ onlyDamped: false, limit: 1 });
      assert.equal(best?.host, 'docs.otters.example');
    });

    test('the order in which pages were written changes no standing', async () => {
      const { pages } = hostsOfTheCase();
      const half = pages.slice(0, 60);
      await put(half);
      await rank(index);
      const there = await index.standings({ onlyDamped: false, limit: 50 });
      await put(half.toReversed().map((page) => ({ ...page, title: `${page.title} again` })));
      await put(half.toReversed());
      await rank(index, 2);
      assert.deepEqual(await index.standings({ onlyDamped: false, limit: 50 }), there);
    });

    test('the next ranking takes the place of the last, and a host that is forgotten leaves nothing', async () => {
      const { pages } = hostsOfTheCase();
      const some = pages.slice(0, 60);
      await put(some);
      await rank(index, 1);
      const version = await index.version();
      const [gone = ''] = some.map(({ url }) => new URL(url).host);
      await index.forget({ host: gone });
      const known = await index.standings({ onlyDamped: false, limit: 50 });
      assert.ok(known.length > 0 && !known.some(({ host }) => host === gone));
      const left = some.filter(
        ({ url }) => new URL(url).host === some.map((page) => new URL(page.url).host).at(-1),
      );
      await index.remove(some.filter((page) => !left.includes(page)).map(({ url }) => url));
      const ranking = await rank(index, 2);
      assert.equal(ranking?.hosts, 1);
      assert.equal((await index.standings({ onlyDamped: false, limit: 50 })).length, 1);
      assert.notEqual(await index.version(), version);
    });

    test('a ranking that is interrupted leaves the last one as it is', async () => {
      await put(hostsOfTheCase().pages.slice(0, 30));
      const last = await rank(index, 1);
      assert.equal(await rankHosts(index, { now: 2, signal: AbortSignal.abort() }), null);
      assert.deepEqual(await index.hostRanking(), last);
    });
  });
}
