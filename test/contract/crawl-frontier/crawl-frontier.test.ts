import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { StoreUnavailable } from '../../../src/contract/errors.ts';
import type { Frontiers } from '../../../src/crawl/background/help-crawls.ts';
import { removeAddresses } from '../../../src/crawl/frontier/url-rows.ts';
import { type CrawlFixture, type CrawlFixtureOptions, openCrawlFixture } from '../../flows/crawl-fixture.ts';
import { describeOnPostgres, hosts, openedOnce } from './frontier-fixture.ts';

/** What holds for a crawl whatever keeps its frontier. */
function contract(frontiersOf: () => Promise<Frontiers | undefined>): void {
  let frontiers: Frontiers | undefined;
  beforeEach(async () => {
    frontiers = await frontiersOf();
  });
  const within = async (options: CrawlFixtureOptions, work: (fixture: CrawlFixture) => Promise<void>) => {
    const fixture = await openCrawlFixture({ ...options, ...(frontiers && { frontiers }) });
    await work(fixture).finally(fixture.close);
  };

  test('reads every page of its hosts once, and none of other hosts', async () => {
    await within({ pages: hosts(10) }, async (fixture) => {
      const summary = await fixture.crawl({ starts: ['http://host-0.test/'], hostsMax: 4 });
      assert.equal(openedOnce([fixture]).length, 12);
      assert.deepEqual([summary.pages, summary.queued, summary.ended], [12, 0, 'complete']);
      assert.equal(fixture.index.size, 12);
    });
  });

  test('stops at exactly the pages that are wanted, and goes on from there', async () => {
    await within({ pages: hosts(10) }, async (fixture) => {
      const first = await fixture.crawl({ starts: ['http://host-0.test/'], hostsMax: 10, pagesMax: 7 });
      assert.deepEqual([first.pages, first.ended, first.resumed], [7, 'pages_max', false]);
      const second = await fixture.crawl({ starts: ['http://host-0.test/'], hostsMax: 10, pagesMax: 100 });
      assert.deepEqual(
        [second.pages, second.newPages, second.ended, second.resumed],
        [30, 23, 'complete', true],
      );
      openedOnce([fixture]);
    });
  });

  test('keeps what was settled when it is told to end, and reads the rest in another run', async () => {
    await within({ pages: hosts(6, 5) }, async (fixture) => {
      const ending = new AbortController();
      const first = await fixture.crawl({
        starts: ['http://host-0.test/'],
        hostsMax: 6,
        signal: ending.signal,
        onProgress: ({ pages }) => {
          if (pages >= 8) ending.abort();
        },
      });
      assert.equal(first.ended, 'aborted');
      const second = await fixture.crawl({ starts: ['http://host-0.test/'], hostsMax: 6 });
      assert.deepEqual([second.pages, second.ended], [30, 'complete']);
      assert.equal(fixture.index.size, 30);
    });
  });

  test('reads a page again that claimed to be another one, once that one is read', async () => {
    const original = 'http://one.test/original';
    const copy = { canonicalUrl: original, title: 'The same page' };
    const pages: CrawlFixtureOptions['pages'] = {
      'http://one.test/': { links: ['http://one.test/copy', original] },
      'http://one.test/copy': copy,
      [original]: { title: 'The same page' },
    };
    await within({ pages }, async (fixture) => {
      const summary = await fixture.crawl({ starts: ['http://one.test/'] });
      assert.deepEqual([...fixture.index.keys()].sort(), ['http://one.test/', original]);
      assert.deepEqual([summary.duplicates, summary.queued], [1, 0]);
    });
  });

  test('tries again what failed for a moment, counts what failed for good, and says why', async () => {
    const pages: CrawlFixtureOptions['pages'] = {
      'http://one.test/': { links: ['http://one.test/gone', 'http://one.test/private'] },
      'http://one.test/private': {},
    };
    const files = { 'http://one.test/robots.txt': 'User-agent: *\nDisallow: /private' };
    await within({ pages, files }, async (fixture) => {
      const summary = await fixture.crawl({ starts: ['http://one.test/'] });
      assert.deepEqual([summary.pages, summary.failed, summary.skipped], [1, 1, 1]);
      assert.deepEqual(summary.reasons.map(({ state, reason, urls }) => [state, reason, urls]).sort(), [
        ['failed', 'http_404', 1],
        ['skipped', 'robots_txt', 1],
      ]);
    });
  });

  test('knows no more addresses of a host than it may', async () => {
    await within({ pages: hosts(1, 30) }, async (fixture) => {
      const summary = await fixture.crawl({ starts: ['http://host-0.test/'], hostUrlsMax: 10 });
      assert.equal(summary.pages, 10);
    });
  });
}

await describeOnPostgres(({ processAt, anew }) => {
  contract(() => processAt(anew()));

  test('a database that is away for a moment costs no page', async () => {
    const frontiers = await processAt(anew());
    const { store } = frontiers;
    let puts = 0;
    let away = 0;
    const breaking: Frontiers['store'] = {
      ...store,
      async transaction(work) {
        // The first time that outcomes are written: the pages are in the index already.
        if (puts > 0 && away < 1) {
          away += 1;
          throw new StoreUnavailable('away');
        }
        return store.transaction(work);
      },
    };
    const fixture = await openCrawlFixture({
      pages: hosts(3, 4),
      frontiers: { ...frontiers, store: breaking },
      onPut: () => {
        puts += 1;
      },
    });
    const summary = await fixture.crawl({ starts: ['http://host-0.test/'], hostsMax: 3 });
    assert.equal(away, 1);
    assert.deepEqual([summary.pages, summary.ended], [12, 'complete']);
    openedOnce([fixture]);
    await fixture.close();
  });

  test('an address that is forgotten is waited for no longer', async () => {
    const frontiers = await processAt(anew());
    const fixture = await openCrawlFixture({ pages: hosts(3, 4), frontiers });
    await fixture.crawl({ starts: ['http://host-0.test/'], hostsMax: 3, pagesMax: 2 });
    const gone = await removeAddresses(frontiers.store, (url) => url.startsWith('http://host-0.test/'));
    assert.ok(gone >= 3, `${gone} addresses`);
    const summary = await fixture.crawl({ starts: ['http://host-0.test/'], hostsMax: 3 });
    assert.deepEqual([summary.queued, summary.ended], [0, 'complete']);
    await fixture.close();
  });
});

describe('the frontier of a crawl, on SQLite', () => contract(async () => undefined));
