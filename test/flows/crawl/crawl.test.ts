import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createFetchFailure } from '../../../src/contract/errors.ts';
import { type CrawlFixture, type CrawlFixtureOptions, withWorld } from '../crawl-fixture.ts';
import { at, SITE, tree } from './crawled-site.ts';

describe('what is visited', () => {
  test('every page of the site once, breadth first, and nothing of other sites', async () => {
    const pages = tree(15);
    const links = [
      at('/1'),
      at('/2'),
      at('/1#part'),
      at('/1?utm_source=x'),
      'https://other.test/',
      'http://www.docs.test/w',
    ];
    await withWorld(
      { pages: { ...pages, [at('/')]: { links }, 'http://www.docs.test/w': {} } },
      async (fixture) => {
        const summary = await fixture.crawl({ starts: [SITE] });
        const depths = fixture.opened
          .filter(({ url }) => url.startsWith(SITE))
          .map(({ url }) => Math.floor(Math.log2(Number(url.match(/\d+$/)?.[0] ?? 0) + 1)));
        assert.deepEqual(
          depths,
          depths.toSorted((left, right) => left - right),
        );
        assert.equal(new Set(fixture.opened.map(({ url }) => url)).size, fixture.opened.length);
        assert.deepEqual(
          [summary.pages, summary.failed, summary.queued, summary.ended],
          [16, 0, 0, 'complete'],
        );
        assert.equal(fixture.index.size, 16);
      },
    );
  });

  test('nothing that the robots.txt forbids of the origin where a redirect ends', async () => {
    const elsewhere = 'https://docs.test/secret';
    const files = { 'https://docs.test/robots.txt': 'User-agent: *\nDisallow: /secret' };
    const pages = {
      [at('/')]: { links: [at('/a')] },
      [at('/a')]: { url: elsewhere, canonicalUrl: elsewhere },
    };
    await withWorld({ pages, files }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([summary.pages, fixture.index.has(elsewhere)], [1, false]);
      assert.deepEqual(
        summary.reasons.map(({ reason }) => reason),
        ['robots_txt'],
      );
    });
  });

  test('no deeper than asked', async () => {
    await withWorld({ pages: tree(15) }, async (fixture) => {
      assert.equal((await fixture.crawl({ starts: [SITE], depthMax: 1 })).pages, 3);
      assert.equal((await fixture.crawl({ starts: [SITE], depthMax: 0, fresh: true })).pages, 1);
    });
  });

  test('within the path of the start address when that is wished', async () => {
    const pages = {
      [at('/v2/')]: { links: [at('/v2/a'), at('/v1/a')] },
      [at('/v2/a')]: {},
      [at('/v1/a')]: {},
    };
    await withWorld({ pages }, async (fixture) => {
      assert.equal((await fixture.crawl({ starts: [at('/v2/')], withinPath: true })).pages, 2);
      assert.equal((await fixture.crawl({ starts: [at('/v2/')] })).pages, 3);
    });
  });

  test('exactly as many pages as are wanted, and more of them later', async () => {
    await withWorld({ pages: tree(200) }, async (fixture) => {
      const first = await fixture.crawl({ starts: [SITE], pagesMax: 50 });
      assert.deepEqual([first.pages, first.ended, fixture.index.size], [50, 'pages_max', 50]);
      const second = await fixture.crawl({ starts: [SITE], pagesMax: 120 });
      assert.deepEqual([second.pages, second.newPages, second.resumed], [120, 70, true]);
      assert.equal(fixture.opened.length, 120);
    });
  });

  test('what sitemaps list, from robots.txt or the usual place', async () => {
    const listed = (path: string): string => `<urlset><url><loc>${at(path)}</loc></url></urlset>`;
    const pages = { [at('/')]: {}, [at('/hidden')]: {} };
    await withWorld({ pages, files: { [at('/sitemap.xml')]: listed('/hidden') } }, async (fixture) => {
      assert.equal((await fixture.crawl({ starts: [SITE] })).pages, 2);
    });
    const files = {
      [at('/robots.txt')]: `Sitemap: ${at('/index.xml')}`,
      [at('/index.xml')]: `<sitemapindex><sitemap><loc>${at('/one.xml')}</loc></sitemap></sitemapindex>`,
      [at('/one.xml')]: listed('/hidden'),
    };
    await withWorld({ pages, files }, async (fixture) => {
      assert.equal((await fixture.crawl({ starts: [SITE] })).pages, 2);
      assert.ok(!fixture.fetched.includes(at('/sitemap.xml')));
    });
  });

  test('no endless calendar', async () => {
    const calendar = (month: number): string => at(`/calendar?month=${month}`);
    const pages = new Proxy<CrawlFixtureOptions['pages']>(
      { [at('/')]: { links: [calendar(0)] } },
      {
        get: (known, url: string) =>
          known[url] ?? { links: [calendar(Number(new URL(url).searchParams.get('month')) + 1)] },
      },
    );
    await withWorld({ pages }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([summary.pages, summary.ended], [201, 'complete']);
    });
  });
});

describe('what fails', () => {
  test('is counted by reason; what passes by itself is tried once more, later', async () => {
    const timeout = createFetchFailure('timeout', 'slow');
    const pages = {
      [at('/')]: { links: [at('/gone'), at('/slow'), at('/slow-once'), at('/wall'), at('/fine')] },
      [at('/slow')]: timeout,
      [at('/slow-once')]: (visit: number) => (visit === 1 ? timeout : {}),
      [at('/wall')]: createFetchFailure('wall', 'a bot check'),
      [at('/fine')]: {},
    };
    await withWorld({ pages }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE] });
      const reasons = Object.fromEntries(summary.reasons.map(({ reason, urls }) => [reason, urls]));
      assert.deepEqual(reasons, { http_404: 1, timeout: 1, wall: 1 });
      assert.equal(summary.pages, 3);
      assert.equal(fixture.opened.filter(({ url }) => url === at('/slow')).length, 2);
      assert.equal(fixture.opened.filter(({ url }) => url === at('/wall')).length, 1);
    });
  });

  test('a page that is gone leaves the index', async () => {
    const pages = {
      [at('/')]: { links: [at('/old')] },
      [at('/old')]: (visit: number) =>
        visit === 1 ? {} : createFetchFailure('http_status', 'gone', { httpStatus: 410 }),
    };
    await withWorld({ pages }, async (fixture) => {
      await fixture.crawl({ starts: [SITE] });
      assert.ok(fixture.index.has(at('/old')));
      const again = await fixture.crawl({ starts: [SITE] });
      assert.equal(again.resumed, false);
      assert.ok(!fixture.index.has(at('/old')));
    });
  });

  test('a start address that may not be fetched ends the crawl at once', async () => {
    await withWorld({ pages: {} }, async (fixture) => {
      await assert.rejects(fixture.crawl({ starts: ['nonsense'] }), { code: 'url_not_allowed' });
    });
  });
});

describe('a crawl that was ended', () => {
  test('by the signal continues where it was and opens nothing twice', async () => {
    await withWorld({ pages: tree(60) }, async (fixture) => {
      const ending = new AbortController();
      const first = await fixture.crawl({
        starts: [SITE],
        signal: ending.signal,
        onProgress: ({ pages }) => pages >= 20 && ending.abort(),
      });
      assert.equal(first.ended, 'aborted');
      assert.ok(first.pages < 60);
      const second = await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([second.resumed, second.pages, fixture.index.size], [true, 60, 60]);
      assert.ok(fixture.opened.length <= 60 + 4, `${fixture.opened.length} opened`);
    });
  });

  for (const killAt of [1, 2, 4, 6])
    test(`by a kill at write ${killAt} to the index loses no page`, async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'crawl-'));
      const index: CrawlFixture['index'] = new Map();
      try {
        let puts = 0;
        const onPut = (): void => {
          puts += 1;
          if (puts === killAt) throw new Error('killed');
        };
        await withWorld({ pages: tree(60), dataDir, index, onPut }, async (fixture) => {
          await assert.rejects(fixture.crawl({ starts: [SITE] }), /killed/);
        });
        assert.ok(index.size < 60);
        await withWorld({ pages: tree(60), dataDir, index }, async (fixture) => {
          const summary = await fixture.crawl({ starts: [SITE] });
          assert.deepEqual([summary.resumed, summary.pages, summary.ended], [true, 60, 'complete']);
        });
        assert.deepEqual([...index.keys()].toSorted(), Object.keys(tree(60)).toSorted());
      } finally {
        rmSync(dataDir, { recursive: true });
      }
    });

  test('begins anew when asked to', async () => {
    await withWorld({ pages: tree(30) }, async (fixture) => {
      await fixture.crawl({ starts: [SITE], pagesMax: 10 });
      const summary = await fixture.crawl({ starts: [SITE], fresh: true });
      assert.deepEqual([summary.resumed, summary.newPages, fixture.opened.length], [false, 30, 40]);
    });
  });
});
