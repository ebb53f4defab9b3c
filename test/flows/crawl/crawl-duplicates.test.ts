import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withWorld } from '../crawl-fixture.ts';
import { at, SITE, tree } from './crawled-site.ts';

describe('one page under several addresses', () => {
  test('counts once', async () => {
    const pages = {
      [at('/')]: { links: [at('/a?sort=up'), at('/a'), at('/old-a')] },
      [at('/a')]: { title: 'A' },
      [at('/a?sort=up')]: { title: 'A', canonicalUrl: at('/a') },
      [at('/old-a')]: { title: 'A', url: at('/a'), canonicalUrl: at('/a') },
    };
    await withWorld({ pages }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([summary.pages, summary.duplicates, fixture.index.size], [2, 2, 2]);
    });
  });

  test('counts once when the named page is read in a later run', async () => {
    const pages = {
      [at('/')]: { links: [at('/a?sort=up')] },
      [at('/a?sort=up')]: { title: 'A', canonicalUrl: at('/a') },
      [at('/a')]: { title: 'A' },
    };
    await withWorld({ pages }, async (fixture) => {
      await fixture.crawl({ starts: [SITE], pagesMax: 2 });
      assert.deepEqual([...fixture.index.keys()], [at('/'), at('/a?sort=up')]);
      const summary = await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([summary.resumed, summary.pages, summary.duplicates], [true, 2, 1]);
      assert.deepEqual([...fixture.index.keys()], [at('/'), at('/a')]);
    });
  });

  test('is not believed of pages that all call themselves the front page', async () => {
    const pages = Object.fromEntries(
      Object.entries(tree(7)).map(([url, page]) => [url, { ...page, canonicalUrl: at('/') }]),
    );
    await withWorld({ pages }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([summary.pages, fixture.index.size], [7, 7]);
    });
  });

  for (const order of [
    ['/user/evil', '/victim'],
    ['/victim', '/user/evil'],
  ])
    test(`never gives a page the place of another: ${order.join(' before ')}`, async () => {
      const pages = {
        [at('/')]: { links: order.map(at) },
        [at('/victim')]: { title: 'Victim', markdown: 'What the victim says.' },
        [at('/user/evil')]: { title: 'Victim!', markdown: 'Evil.', canonicalUrl: at('/victim') },
      };
      await withWorld({ pages }, async (fixture) => {
        await fixture.crawl({ starts: [SITE] });
        assert.equal(fixture.index.get(at('/victim'))?.markdown, 'What the victim says.');
        assert.equal(fixture.index.get(at('/user/evil'))?.markdown, 'Evil.');
      });
    });

  test('gives no page the place of one that cannot be read', async () => {
    const pages = {
      [at('/')]: { links: [at('/user/evil')] },
      [at('/user/evil')]: { title: 'Evil', canonicalUrl: at('/victim') },
    };
    await withWorld(
      { pages, files: { [at('/robots.txt')]: 'User-agent: *\nDisallow: /victim' } },
      async (fixture) => {
        await fixture.crawl({ starts: [SITE] });
        assert.deepEqual([...fixture.index.keys()].toSorted(), [at('/'), at('/user/evil')]);
      },
    );
  });

  test('is taken back when the named page turns out to be another', async () => {
    const pages = {
      [at('/')]: { links: [at('/a'), at('/b'), at('/c'), at('/d'), at('/hub')] },
      [at('/a')]: { title: 'A', canonicalUrl: at('/hub') },
      [at('/b')]: {},
      [at('/c')]: {},
      [at('/d')]: {},
      [at('/hub')]: { title: 'Hub' },
    };
    await withWorld({ pages }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE] });
      assert.equal(fixture.index.get(at('/hub'))?.title, 'Hub');
      assert.equal(fixture.index.get(at('/a'))?.title, 'A');
      assert.deepEqual([summary.pages, fixture.index.size], [6, 6]);
    });
  });
});
