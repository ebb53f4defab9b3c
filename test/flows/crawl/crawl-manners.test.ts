import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../../../src/contract/errors.ts';
import { type CrawlFixtureOptions, withWorld } from '../crawl-fixture.ts';
import { at, SITE, tree } from './crawled-site.ts';

describe('what sites ask for', () => {
  test('robots.txt is honoured, a page behind a redirect too', async () => {
    const pages = {
      [at('/')]: { links: [at('/private/a'), at('/open'), at('/moved')] },
      [at('/private/a')]: {},
      [at('/open')]: {},
      [at('/moved')]: { url: at('/private/b') },
    };
    const files = { [at('/robots.txt')]: 'User-agent: sanderling\nDisallow: /private/' };
    await withWorld({ pages, files }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([...fixture.index.keys()].toSorted(), [at('/'), at('/open')]);
      assert.deepEqual(
        summary.reasons.map(({ reason, urls }) => [reason, urls]),
        [['robots_txt', 2]],
      );
      assert.ok(!fixture.opened.some(({ url }) => url === at('/private/a')));
    });
  });

  test('without a robots.txt that can be had nothing is opened', async () => {
    await withWorld({ pages: tree(3), files: { [at('/robots.txt')]: 503 } }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE] });
      assert.deepEqual(
        summary.reasons.map(({ reason, urls }) => [reason, urls]),
        [['robots_unreachable', 1]],
      );
      assert.equal(fixture.opened.length, 0);
    });
  });

  test('noindex keeps a page out and nofollow its links', async () => {
    const pages = {
      [at('/')]: { links: [at('/noindex'), at('/nofollow')] },
      [at('/noindex')]: { links: [at('/a')], robots: { index: false, follow: true } },
      [at('/nofollow')]: { links: [at('/b')], robots: { index: true, follow: false } },
      [at('/a')]: {},
      [at('/b')]: {},
    };
    await withWorld({ pages }, async (fixture) => {
      await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([...fixture.index.keys()].toSorted(), [at('/'), at('/a'), at('/nofollow')]);
    });
  });

  test('a page that turns private leaves the index, and the page it names as its canonical one stays', async () => {
    let isPrivate = false;
    const pages = {
      [at('/')]: { links: [at('/user/evil'), at('/victim')] },
      [at('/victim')]: { title: 'Victim' },
      [at('/user/evil')]: () => ({
        canonicalUrl: at('/victim'),
        robots: { index: !isPrivate, follow: true },
      }),
    };
    await withWorld({ pages }, async (fixture) => {
      await fixture.crawl({ starts: [SITE] });
      assert.ok(fixture.index.has(at('/user/evil')));
      isPrivate = true;
      await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([...fixture.index.keys()].toSorted(), [at('/'), at('/victim')]);
    });
  });

  test('a page that turns private leaves the index under the address it had there', async () => {
    let isPrivate = false;
    const spelled = 'https://docs.test/a';
    const page = () => ({ canonicalUrl: spelled, robots: { index: !isPrivate, follow: true } });
    await withWorld({ pages: { [at('/')]: { links: [at('/a/')] }, [at('/a/')]: page } }, async (fixture) => {
      await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([...fixture.index.keys()], [at('/'), spelled]);
      isPrivate = true;
      await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([...fixture.index.keys()], [at('/')]);
    });
  });

  test('links with a secret in them are not visited', async () => {
    const pages = {
      [at('/')]: { links: [at('/a?token=1'), at('/a')] },
      [at('/a')]: {},
      [at('/a?token=1')]: {},
    };
    await withWorld({ pages }, async (fixture) => {
      await fixture.crawl({ starts: [SITE] });
      assert.deepEqual(
        fixture.opened.map(({ url }) => url),
        [at('/'), at('/a')],
      );
    });
  });

  test('a public host is asked slowly and by few, one of our own as fast as it answers', async () => {
    const rename = (pages: CrawlFixtureOptions['pages']): CrawlFixtureOptions['pages'] =>
      JSON.parse(JSON.stringify(pages).replaceAll(SITE, 'http://example.org'));
    await withWorld({ pages: rename(tree(40)) }, async (fixture) => {
      await fixture.crawl({ starts: ['http://example.org'] });
      const times = fixture.opened.map((one) => one.at);
      for (const [place, time] of times.entries())
        assert.ok(place === 0 || time - (times[place - 1] ?? 0) >= 200);
    });
    await withWorld({ pages: tree(40) }, async (fixture) => {
      const before = fixture.now();
      await fixture.crawl({ starts: [SITE] });
      assert.equal(fixture.now(), before);
      assert.equal(fixture.peak(), 4);
    });
  });

  test('Crawl-delay is kept', async () => {
    const files = { [at('/robots.txt')]: 'User-agent: *\nCrawl-delay: 2' };
    await withWorld({ pages: tree(6), files }, async (fixture) => {
      await fixture.crawl({ starts: [SITE] });
      const [, ...times] = fixture.opened.map((one) => one.at);
      for (const [place, time] of times.entries())
        assert.ok(place === 0 || time - (times[place - 1] ?? 0) >= 2_000);
    });
  });

  test('429 with Retry-After makes the whole host wait, and the page comes in the end', async () => {
    const busy = new Failure('fetch_failed', 'slow down', {
      fetch: { reason: 'http_status', httpStatus: 429, retryAfterMs: 30_000 },
    });
    const pages = {
      ...tree(7),
      [at('/1')]: (visit: number) => (visit === 1 ? busy : { links: [at('/3'), at('/4')] }),
    };
    await withWorld({ pages }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE] });
      assert.deepEqual([summary.pages, summary.failed], [7, 0]);
      assert.ok(fixture.now() - 1_000_000 >= 30_000);
    });
  });

  test('a host that always pushes back is given up, its addresses wait for the next run', async () => {
    const busy = createFetchFailure('http_status', 'slow down', { httpStatus: 503 });
    const pages = Object.fromEntries(Object.keys(tree(40)).map((url) => [url, busy]));
    await withWorld({ pages: { ...pages, [at('/')]: { links: Object.keys(pages) } } }, async (fixture) => {
      const summary = await fixture.crawl({ starts: [SITE] });
      assert.equal(summary.ended, 'host_gave_up');
      assert.ok(summary.queued > 0);
      assert.ok(fixture.opened.length < 60, `${fixture.opened.length} requests`);
    });
  });
});
