import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { type CrawlFixtureOptions, openCrawlFixture, withWorld } from './crawl-fixture.ts';

const SITE = 'http://site.test';
const DAY_MS = 86_400_000;
const day = (number: number): string => new Date(number * DAY_MS).toISOString().slice(0, 10);

/** A page that the index read on a day. */
const heldOn = (path: string, visited: number): [string, IndexedPage] => {
  const url = `${SITE}/${path}`;
  const text = { title: path, headings: [], markdown: 'Words', publishedDay: null, language: null };
  return [url, { url, ...text, site: null, author: null, rawChars: 5, fetchedAt: visited * DAY_MS }];
};

/** A site whose sitemap lists paths with the day of their last modification. */
function siteOf(listed: Record<string, number | null>): Pick<CrawlFixtureOptions, 'pages' | 'files'> {
  const entries = Object.entries(listed).map(
    ([path, modified]) =>
      `<url><loc>${SITE}/${path}</loc>${modified === null ? '' : `<lastmod>${day(modified)}</lastmod>`}</url>`,
  );
  const links = Object.keys(listed).map((path) => `${SITE}/${path}`);
  return {
    pages: { [`${SITE}/`]: { links }, ...Object.fromEntries(links.map((url) => [url, { links }])) },
    files: { [`${SITE}/sitemap.xml`]: `<urlset>${entries.join('')}</urlset>` },
  };
}

const LISTED = { none: null, old: 5, new: 20, changed: 30, same: 10 };
const indexed = () => new Map([heldOn('old', 6), heldOn('changed', 20), heldOn('same', 10)]);
const pathsOf = (opened: { url: string }[]): string[] => opened.map(({ url }) => url.slice(SITE.length + 1));

describe('a sitemap with the times of modifications', () => {
  test('pages modified since they were read come first, then new ones, the last modified first; unchanged ones are skipped', async () => {
    await withWorld({ ...siteOf(LISTED), index: indexed() }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE], delayMs: 1_000 });
      // Modified on the day on which it was read: that may have been later.
      assert.deepEqual(pathsOf(fixture.opened), ['', 'changed', 'same', 'new', 'none']);
      assert.deepEqual([summary.pages, summary.skipped, summary.ended], [5, 1, 'complete']);
      assert.deepEqual(summary.reasons, [
        { state: 'skipped', reason: 'unchanged', urls: 1, example: `${SITE}/old` },
      ]);
    });
  });

  test('a fresh crawl visits unchanged pages too', async () => {
    await withWorld({ ...siteOf(LISTED), index: indexed() }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE], fresh: true });
      assert.deepEqual([summary.pages, summary.skipped], [6, 0]);
    });
  });

  test('a page that has been modified is fetched, not taken from the cache; others may be', async () => {
    await withWorld({ ...siteOf(LISTED), index: indexed() }, async (fixture) => {
      await fixture.crawl({ starts: [SITE] });
      const fetched = fixture.opened.filter(({ freshMs }) => freshMs === 0);
      assert.deepEqual(pathsOf(fetched).sort(), ['changed', 'same']);
    });
  });

  test('what was skipped stays so when the crawl is resumed', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'crawl-'));
    try {
      const first = await openCrawlFixture({ ...siteOf(LISTED), index: indexed(), dataDir });
      await first.crawl({ starts: [SITE], pagesMax: 2 });
      await first.close();
      const second = await openCrawlFixture({ ...siteOf(LISTED), index: first.index, dataDir });
      const summary = await second.crawl({ starts: [SITE] });
      await second.close();
      assert.deepEqual([summary.pages, summary.skipped, summary.resumed], [5, 1, true]);
      assert.ok(!pathsOf(second.opened).includes('old'));
      assert.ok(!second.fetched.includes(`${SITE}/sitemap.xml`));
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});
