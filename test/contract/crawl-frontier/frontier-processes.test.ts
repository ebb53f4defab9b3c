import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCrawlHelper } from '../../../src/crawl/background/help-crawls.ts';
import { createLog } from '../../../src/platform/log.ts';
import { openCrawlFixture } from '../../flows/crawl-fixture.ts';
import { describeOnPostgres, hosts, openedOnce } from './frontier-fixture.ts';

await describeOnPostgres(({ processAt, anew }) => {
  describe('read by several processes', () => {
    test('each page is read by one of them', async () => {
      const place = anew();
      const pages = hosts(12, 6);
      const index = new Map();
      const [one, two] = await Promise.all([
        openCrawlFixture({ pages, index, frontiers: await processAt(place) }),
        openCrawlFixture({ pages, index, frontiers: await processAt(place) }),
      ]);
      const request = {
        starts: Array.from({ length: 12 }, (_, n) => `http://host-${n}.test/`),
        hostsMax: 12,
      };
      const summaries = await Promise.all([one.crawl(request), two.crawl(request)]);
      assert.equal(openedOnce([one, two]).length, 72);
      assert.equal(index.size, 72);
      for (const { pages: read, ended } of summaries) assert.deepEqual([read, ended], [72, 'complete']);
      await Promise.all([one.close(), two.close()]);
    });

    test('together they stop at exactly the pages that are wanted', async () => {
      const place = anew();
      const pages = hosts(12, 6);
      const [one, two] = await Promise.all([
        openCrawlFixture({ pages, frontiers: await processAt(place) }),
        openCrawlFixture({ pages, frontiers: await processAt(place) }),
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
        openCrawlFixture({ pages, frontiers: mine }),
        openCrawlFixture({ pages, frontiers: other }),
      ]);
      const ended = Promise.withResolvers<void>();
      const helper = createCrawlHelper({
        frontiers: other,
        log: createLog('silent'),
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
});
