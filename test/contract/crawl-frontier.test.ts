import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { StoreUnavailable } from '../../src/contract/errors.ts';
import type { FrontierRow, VisitOutcome } from '../../src/crawl/frontier/frontier-types.ts';
import { createCrawlHelper, type Spread } from '../../src/crawl/spread/help-crawls.ts';
import { openSpreadFrontier, type SpreadFrontier } from '../../src/crawl/spread/spread-frontier.ts';
import { removeSpreadAddresses } from '../../src/crawl/spread/url-rows.ts';
import { createPoliteness } from '../../src/crawl/visit/politeness.ts';
import { createLog } from '../../src/platform/log.ts';
import { openCrawlStore } from '../../src/platform/store/crawls/open-crawl-store.ts';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';
import { type CrawlFixture, type CrawlFixtureOptions, openCrawlFixture } from '../flows/crawl-fixture.ts';

const database = await createTestDatabase();

/** A web of hosts with some pages each; the first page of a host links to the others and to the first of the next host. */
function hosts(count: number, pages = 3): CrawlFixtureOptions['pages'] {
  return Object.fromEntries(
    Array.from({ length: count }, (_, place) => {
      const host = `http://host-${place}.test`;
      const others = Array.from({ length: pages - 1 }, (_each, page) => `${host}/${page + 1}`);
      return [
        [`${host}/`, { links: [...others, `http://host-${place + 1}.test/`] }] as const,
        ...others.map((url) => [url, {}] as const),
      ];
    }).flat(),
  );
}

const openedOnce = (fixtures: readonly CrawlFixture[]): string[] => {
  const opened = fixtures.flatMap((fixture) => fixture.opened.map(({ url }) => url));
  assert.deepEqual(opened.toSorted(), [...new Set(opened)].sort(), 'no page was opened twice');
  return opened.sort();
};

/** What holds for a crawl whatever keeps its frontier. */
function contract(spreadOf: () => Promise<Spread | undefined>): void {
  let spread: Spread | undefined;
  beforeEach(async () => {
    spread = await spreadOf();
  });
  const within = async (options: CrawlFixtureOptions, work: (fixture: CrawlFixture) => Promise<void>) => {
    const fixture = await openCrawlFixture({ ...options, ...(spread && { spread }) });
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
        ...{ starts: ['http://host-0.test/'], hostsMax: 6, signal: ending.signal },
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

describe('the frontier of a crawl, on SQLite', () => contract(async () => undefined));

describe('the frontier of a crawl, on PostgreSQL', { skip: database === null ? noServer : false }, () => {
  const stores: Spread['store'][] = [];
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await database?.drop();
  });
  /** A process of its own, which shares an index with those at the same place. */
  const processAt = async (place: string): Promise<Spread> => {
    const store = await openCrawlStore(database?.url ?? '');
    stores.push(store);
    return { store, place, atWork: new Set() };
  };
  const anew = (): string => `place ${crypto.randomUUID()}`;
  contract(() => processAt(anew()));

  describe('read by several processes', () => {
    test('each page is read by one of them, and each reads some', async () => {
      const place = anew();
      const pages = hosts(12, 6);
      const index = new Map();
      const [one, two] = await Promise.all([
        openCrawlFixture({ pages, index, spread: await processAt(place) }),
        openCrawlFixture({ pages, index, spread: await processAt(place) }),
      ]);
      const request = {
        starts: Array.from({ length: 12 }, (_, n) => `http://host-${n}.test/`),
        hostsMax: 12,
      };
      const summaries = await Promise.all([one.crawl(request), two.crawl(request)]);
      assert.equal(openedOnce([one, two]).length, 72);
      assert.equal(index.size, 72);
      for (const { pages: read, ended } of summaries) assert.deepEqual([read, ended], [72, 'complete']);
      assert.ok(one.opened.length > 0 && two.opened.length > 0, `${one.opened.length} ${two.opened.length}`);
      await Promise.all([one.close(), two.close()]);
    });

    test('together they stop at exactly the pages that are wanted', async () => {
      const place = anew();
      const pages = hosts(12, 6);
      const [one, two] = await Promise.all([
        openCrawlFixture({ pages, spread: await processAt(place) }),
        openCrawlFixture({ pages, spread: await processAt(place) }),
      ]);
      const starts = Array.from({ length: 12 }, (_, n) => `http://host-${n}.test/`);
      const request = { starts, hostsMax: 12, pagesMax: 40 };
      const [summary] = await Promise.all([one.crawl(request), two.crawl(request)]);
      assert.deepEqual([summary.pages, summary.ended], [40, 'pages_max']);
      assert.equal(openedOnce([one, two]).length, 40);
      await Promise.all([one.close(), two.close()]);
    });

    test('a helper reads pages of a crawl that another process began, and ends with it', async () => {
      const place = anew();
      const pages = hosts(12, 6);
      const [mine, other] = [await processAt(place), await processAt(place)];
      const [owner, helping] = await Promise.all([
        openCrawlFixture({ pages, spread: mine }),
        openCrawlFixture({ pages, spread: other }),
      ]);
      const ended = Promise.withResolvers<void>();
      const helper = createCrawlHelper({
        ...{ spread: other, log: createLog('silent') },
        help: (order, signal) => helping.crawl({ ...order, helps: true, signal }).then(() => ended.resolve()),
      });
      await helper.tick();
      assert.equal(helping.opened.length, 0, 'nobody wants help yet');
      const starts = Array.from({ length: 12 }, (_, n) => `http://host-${n}.test/`);
      const running = owner.crawl({ starts, hostsMax: 12 });
      while (owner.opened.length === 0) await new Promise((resolve) => setImmediate(resolve));
      await helper.tick();
      const summary = await running;
      await ended.promise;
      assert.deepEqual([summary.pages, summary.ended], [72, 'complete']);
      assert.equal(openedOnce([owner, helping]).length, 72);
      await helper.end();
      await Promise.all([owner.close(), helping.close()]);
    });
  });

  describe('a lease', () => {
    type Opened = {
      frontier: SpreadFrontier;
      politeness: ReturnType<typeof createPoliteness>;
      spread: Spread;
    };
    let now = 1_000_000;
    const open = async (
      spread: Spread,
      options: { starts: string[]; pagesMax?: number },
    ): Promise<Opened> => {
      const politeness = createPoliteness(() => ({ perHostMax: 4, delayMs: 30_000 }));
      const frontier = await openSpreadFrontier(
        { store: spread.store, politeness, clock: { now: () => now } },
        {
          ...{
            scope: 'site',
            place: spread.place,
            request: '{}',
            fresh: false,
            pagesMax: 1_000,
            helps: false,
          },
          ...options,
          bounds: { urlsMax: 1_000, hostUrlsMax: 1_000, hostsMax: null },
        },
      );
      return { frontier, politeness, spread };
    };
    /** As if its process had been stopped for longer than the lease lasts. */
    const expire = ({ spread, frontier }: Opened): Promise<unknown> =>
      spread.store.db
        .updateTable('spread_host')
        .set({ lease_until: 1 })
        .where('crawl_id', '=', frontier.id)
        .execute();
    const rowOf = async ({ frontier }: Opened, host: string): Promise<FrontierRow> => {
      const row = await frontier.peek(host);
      assert.ok(row !== null, `${host} has an address to visit`);
      frontier.take(row);
      return row;
    };
    const done = (row: FrontierRow): VisitOutcome => ({
      ...{ row, found: [], state: 'done', pageUrl: row.url, title: 'title', finalUrl: row.url },
      ...{ claims: null, overrules: false },
    });
    before(() => {
      now += 1;
    });

    test('is given to one process at a time', async () => {
      const place = anew();
      const starts = ['http://a.test/', 'http://b.test/', 'http://c.test/', 'http://d.test/'];
      const one = await open(await processAt(place), { starts });
      const two = await open(await processAt(place), { starts });
      await Promise.all([one.frontier.keep(), two.frontier.keep()]);
      const [mine, others] = [[...one.frontier.hosts()], [...two.frontier.hosts()]];
      assert.deepEqual([...mine, ...others].toSorted(), ['a.test', 'b.test', 'c.test', 'd.test']);
      assert.deepEqual([mine.length, others.length], [2, 2]);
    });

    test('that was taken over lets its former holder write nothing, and its page is read by the other', async () => {
      const place = anew();
      const one = await open(await processAt(place), { starts: ['http://a.test/'] });
      await one.frontier.keep();
      const row = await rowOf(one, 'a.test');
      await expire(one);
      const two = await open(await processAt(place), { starts: ['http://a.test/'] });
      await two.frontier.keep();
      const again = await rowOf(two, 'a.test');
      assert.equal(again.url, row.url);
      assert.deepEqual([...(await one.frontier.ours([row]))], [], 'nothing of it enters the index');
      await one.frontier.settle([done(row)]);
      assert.deepEqual([one.frontier.counts().done, one.frontier.counts().pending], [0, 1]);
      assert.equal(one.frontier.holds('a.test'), false);
      assert.deepEqual([...(await two.frontier.ours([again]))], [again.id]);
      await two.frontier.settle([done(again)]);
      assert.deepEqual([two.frontier.counts().done, two.frontier.counts().pending], [1, 0]);
    });

    test('is not used by a process that has slept past it, before it has been renewed', async () => {
      const one = await open(await processAt(anew()), { starts: ['http://a.test/'] });
      await one.frontier.keep();
      assert.deepEqual([...one.frontier.hosts()], ['a.test']);
      now += 9_000;
      assert.deepEqual([...one.frontier.hosts()], []);
      assert.equal(one.frontier.holds('a.test'), false);
      await one.frontier.keep();
      assert.deepEqual([...one.frontier.hosts()], ['a.test'], 'nobody took it meanwhile');
    });

    test('hands the pace of a host on: at once when given back, and from its end after a death', async () => {
      const place = anew();
      const one = await open(await processAt(place), { starts: ['http://a.test/'] });
      await one.frontier.keep();
      one.politeness.started('a.test', now);
      await one.frontier.leave();
      const two = await open(await processAt(place), { starts: ['http://a.test/'] });
      await two.frontier.keep();
      const restMs = two.politeness.restMs('a.test', now);
      assert.ok(restMs > 20_000 && restMs <= 30_000, `rests ${restMs} ms`);
      now += 3_000;
      await two.frontier.keep();
      await two.spread.store.db
        .updateTable('spread_host')
        .set(({ ref }) => ({ lease_until: ref('ready_at'), ready_at: 0 }))
        .where('crawl_id', '=', two.frontier.id)
        .execute();
      const { lease_until: leaseUntil, pace_ms: paceMs } = await two.spread.store.db
        .selectFrom('spread_host')
        .select(['lease_until', 'pace_ms'])
        .where('crawl_id', '=', two.frontier.id)
        .executeTakeFirstOrThrow();
      assert.ok(leaseUntil > 0);
      assert.equal(paceMs, 30_000);
    });

    test('of pages: what one process reserved, another one does not begin', async () => {
      const place = anew();
      const starts = ['http://a.test/', 'http://b.test/'];
      const one = await open(await processAt(place), { starts, pagesMax: 10 });
      await one.frontier.keep();
      const two = await open(await processAt(place), { starts, pagesMax: 300 });
      await two.frontier.keep();
      assert.deepEqual([one.frontier.pagesLeft(), two.frontier.pagesLeft()], [10, 256]);
      const three = await open(await processAt(place), { starts, pagesMax: 300 });
      await three.frontier.keep();
      assert.equal(three.frontier.pagesLeft(), 300 - 256 - 10);
      await two.frontier.leave();
      now += 3_000;
      await three.frontier.keep();
      assert.equal(three.frontier.pagesLeft(), 256);
    });
  });

  test('a database that is away for a moment costs no page', async () => {
    const spread = await processAt(anew());
    const { store } = spread;
    let puts = 0;
    let away = 0;
    const breaking: Spread['store'] = {
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
      ...{ pages: hosts(3, 4), spread: { ...spread, store: breaking } },
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
    const spread = await processAt(anew());
    const fixture = await openCrawlFixture({ pages: hosts(3, 4), spread });
    await fixture.crawl({ starts: ['http://host-0.test/'], hostsMax: 3, pagesMax: 2 });
    const gone = await removeSpreadAddresses(spread.store, (url) => url.startsWith('http://host-0.test/'));
    assert.ok(gone >= 3, `${gone} addresses`);
    const summary = await fixture.crawl({ starts: ['http://host-0.test/'], hostsMax: 3 });
    assert.deepEqual([summary.queued, summary.ended], [0, 'complete']);
    await fixture.close();
  });
});
