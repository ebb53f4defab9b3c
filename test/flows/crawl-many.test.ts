import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type CrawlFixtureOptions, openCrawlFixture, withWorld } from './crawl-fixture.ts';

const host = (place: number): string => `http://host-${place}.test`;
const hostOf = (url: string): string => new URL(url).host;

/** Hosts of `pages` pages each: the first page links to the others and to the first page of the next host. */
function hosts(count: number, pages = 3): CrawlFixtureOptions['pages'] {
  return Object.fromEntries(
    Array.from({ length: count }, (_, place) => {
      const others = Array.from({ length: pages - 1 }, (_, page) => `${host(place)}/${page + 1}`);
      return [
        [`${host(place)}/`, { links: [...others, `${host(place + 1)}/`] }] as const,
        ...others.map((url) => [url, {}] as const),
      ];
    }).flat(),
  );
}

describe('a crawl of many hosts', () => {
  test('follows links to other hosts until there are as many as are wanted', async () => {
    await withWorld({ pages: hosts(10) }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [host(0)], hostsMax: 4 });
      const found = new Set(fixture.opened.map(({ url }) => hostOf(url)));
      assert.deepEqual([...found].sort(), ['host-0.test', 'host-1.test', 'host-2.test', 'host-3.test']);
      assert.deepEqual([summary.pages, summary.ended], [12, 'complete']);
    });
  });

  test('does not follow a redirect to a host beyond them', async () => {
    const pages = {
      [`${host(0)}/`]: { links: [`${host(1)}/`, `${host(0)}/moved`] },
      [`${host(1)}/`]: {},
      [`${host(0)}/moved`]: { url: `${host(2)}/` },
    };
    await withWorld({ pages }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [host(0)], hostsMax: 2 });
      assert.deepEqual(
        summary.reasons.map(({ reason }) => reason),
        ['redirected_elsewhere'],
      );
      assert.deepEqual([...fixture.index.keys()].toSorted(), [`${host(0)}/`, `${host(1)}/`]);
    });
  });

  test('takes up the hosts of an earlier run before others', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'crawl-'));
    try {
      const first = await openCrawlFixture({ pages: hosts(10), dataDir });
      await first.crawl({ starts: [host(0)], hostsMax: 4, pagesMax: 6 });
      await first.close();
      const second = await openCrawlFixture({ pages: hosts(10), dataDir, index: first.index });
      const summary = await second.crawl({ starts: [host(0)], hostsMax: 4 });
      await second.close();
      assert.deepEqual([summary.pages, summary.resumed], [12, true]);
      assert.equal(first.opened.length + second.opened.length, 12);
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  test('goes from host to host, and leaves none waiting for another to end', async () => {
    const pages = hosts(3, 200);
    await withWorld({ pages }, async (fixture) => {
      await fixture.crawl({ starts: [host(0), host(1), host(2)], pagesMax: 90 });
      const visits = Map.groupBy(fixture.opened, ({ url }) => hostOf(url));
      for (const [name, opened] of visits) assert.ok(opened.length >= 20, `${name}: ${opened.length}`);
    });
  });

  test('an endless site takes no more addresses than one host may have', async () => {
    const endless = (url: string): string =>
      `${new URL(url).origin}/${Number(url.split('/').at(-1) || 0) + 1}`;
    const pages = new Proxy<CrawlFixtureOptions['pages']>(
      { [`${host(1)}/`]: { links: [] } },
      {
        get: (known, url: string) =>
          known[url] ?? { links: [endless(url), ...(url === `${host(0)}/` ? [`${host(1)}/`] : [])] },
      },
    );
    await withWorld({ pages }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [host(0)], hostsMax: 5, hostUrlsMax: 25 });
      assert.deepEqual([summary.pages, summary.ended], [26, 'complete']);
    });
  });

  test('reads the sitemap of each host once, before its first page, and not again when it resumes', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'crawl-'));
    const files = Object.fromEntries(
      [0, 1].map((place) => [`${host(place)}/sitemap.xml`, `${host(place)}/listed`]),
    );
    const pages = {
      ...hosts(2),
      ...Object.fromEntries([0, 1].map((place) => [`${host(place)}/listed`, {}])),
    };
    try {
      const first = await openCrawlFixture({ pages, files, dataDir });
      await first.crawl({ starts: [host(0)], hostsMax: 2, pagesMax: 7 });
      await first.close();
      const second = await openCrawlFixture({ pages, files, dataDir, index: first.index });
      const summary = await second.crawl({ starts: [host(0)], hostsMax: 2 });
      await second.close();
      const asked = [...first.fetched, ...second.fetched].filter((url) => url.endsWith('/sitemap.xml'));
      assert.deepEqual(asked, [`${host(0)}/sitemap.xml`, `${host(1)}/sitemap.xml`]);
      assert.equal(summary.pages, 8);
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});

describe('what a network address and a slow host are asked', () => {
  const publicHosts = Array.from({ length: 40 }, (_, place) => `https://site-${place}.example.org`);
  const pages = Object.fromEntries(publicHosts.map((origin) => [`${origin}/`, {}]));

  test('hosts of one address are spaced together, those of others are not', async () => {
    for (const [together, minMs] of [
      [true, 39 * 50],
      [false, 0],
    ] as const)
      await withWorld(
        { pages, addressOf: async (name) => (together ? '192.0.2.1' : name) },
        async (fixture) => {
          const summary = await fixture.crawl({ starts: publicHosts });
          assert.equal(summary.pages, 40);
          const times = fixture.opened.map(({ at }) => at);
          const span = Math.max(...times) - Math.min(...times);
          assert.ok(together ? span >= minMs : span < 200, `${span} ms`);
        },
      );
  });

  test('a host that answers slowly is asked less often', async () => {
    const origin = 'https://slow.example.org';
    const site = {
      [`${origin}/`]: { links: Array.from({ length: 12 }, (_, page) => `${origin}/${page}`) },
      ...Object.fromEntries(Array.from({ length: 12 }, (_, page) => [`${origin}/${page}`, {}])),
    };
    const spans: number[] = [];
    for (const answerMs of [0, 4_000])
      await withWorld({ pages: site, answerMs: () => answerMs }, async (fixture) => {
        await fixture.crawl({ starts: [origin] });
        const times = fixture.opened.map(({ at }) => at).slice(-5);
        spans.push((Math.max(...times) - Math.min(...times)) / 4);
      });
    const [quick = 0, slow = 0] = spans;
    assert.ok(quick <= 200, `${quick} ms`);
    assert.ok(slow >= 1_000, `${slow} ms`);
  });
});

describe('parameters that do not change a page', () => {
  test('are learned, and addresses are then visited without them', async () => {
    const origin = 'http://shop.test';
    const links = Array.from({ length: 30 }, (_, page) => `${origin}/item/${page}?view=s${page % 7}`);
    const pages = new Proxy<CrawlFixtureOptions['pages']>(
      {},
      {
        get: (_, url: string) => {
          const { pathname } = new URL(url);
          const again = links.map((link, at) =>
            link.replace(/s\d$/, `s${(at + Number(pathname.split('/').at(-1) || 0)) % 7}`),
          );
          return { markdown: `Text of ${pathname}`, title: `Title of ${pathname}`, links: again };
        },
      },
    );
    await withWorld({ pages }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [origin] });
      // Without it, each of 30 items would be visited under each of 7 views.
      assert.ok(fixture.opened.length < 100, `${fixture.opened.length} visits`);
      assert.equal(summary.pages, 31);
      assert.ok(
        fixture.opened.some(({ url }) => url.endsWith('/item/7')),
        'no address lost its view',
      );
    });
  });
});
