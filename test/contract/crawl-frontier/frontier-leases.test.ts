import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Frontiers } from '../../../src/crawl/background/help-crawls.ts';
import { openFrontier } from '../../../src/crawl/frontier/frontier.ts';
import type { Frontier, FrontierRow, VisitOutcome } from '../../../src/crawl/frontier/frontier-types.ts';
import { createPoliteness } from '../../../src/crawl/frontier/politeness.ts';
import { describeOnPostgres } from './frontier-fixture.ts';

await describeOnPostgres(({ processAt, anew }) => {
  describe('a lease', () => {
    type Opened = {
      frontier: Frontier;
      politeness: ReturnType<typeof createPoliteness>;
      frontiers: Frontiers;
    };
    let now = 1_000_000;
    const open = async (
      frontiers: Frontiers,
      options: { starts: string[]; pagesMax?: number },
    ): Promise<Opened> => {
      const politeness = createPoliteness(() => ({ perHostMax: 4, delayMs: 30_000 }));
      const frontier = await openFrontier(
        { store: frontiers.store, politeness, clock: { now: () => now } },
        {
          scope: 'site',
          place: frontiers.place,
          request: '{}',
          fresh: false,
          pagesMax: 1_000,
          helps: false,
          ...options,
          bounds: { urlsMax: 1_000, hostUrlsMax: 1_000, hostsMax: null },
        },
      );
      return { frontier, politeness, frontiers };
    };
    /** As if its process had been stopped for longer than the lease lasts. */
    const expire = ({ frontiers, frontier }: Opened): Promise<unknown> => {
      now += 10_000;
      return frontiers.store.db
        .updateTable('crawl_host')
        .set({ lease_until: 1 })
        .where('crawl_id', '=', frontier.id)
        .execute();
    };
    const rowOf = async ({ frontier }: Opened, host: string): Promise<FrontierRow> => {
      const row = await frontier.peek(host);
      assert.ok(row !== null, `${host} has an address to visit`);
      frontier.take(row);
      return row;
    };
    const done = (row: FrontierRow): VisitOutcome => ({
      row,
      found: [],
      state: 'done',
      pageUrl: row.url,
      title: 'title',
      finalUrl: row.url,
      claims: null,
    });
    before(() => {
      now += 1;
    });

    test('is given to one process at a time', async () => {
      const place = anew();
      const starts = ['http://a.test/', 'http://b.test/', 'http://c.test/', 'http://d.test/'];
      const one = await open(await processAt(place), { starts });
      const two = await open(await processAt(place), { starts });
      // The first to look sees no other process yet; when it renews its leases, it hands over what it does not need.
      for (let round = 0; round < 3; round += 1) {
        now += 2_500;
        for (const { frontier } of [one, two]) await frontier.keep();
      }
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
      await two.frontiers.store.db
        .updateTable('crawl_host')
        .set(({ ref }) => ({ lease_until: ref('ready_at'), ready_at: 0 }))
        .where('crawl_id', '=', two.frontier.id)
        .execute();
      const { lease_until: leaseUntil, pace_ms: paceMs } = await two.frontiers.store.db
        .selectFrom('crawl_host')
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
});
