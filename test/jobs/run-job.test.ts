import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { LEASE_MS, LeaseLost, takeLease } from '../../src/jobs/rows/lease.ts';
import { createJobWriter } from '../../src/jobs/run/job-writer.ts';
import { runJob } from '../../src/jobs/run/run-job.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type JobFixture, openJobFixture, orderOf, SITE, type SitePages } from './job-fixture.ts';

const paths = (count: number): string[] => Array.from({ length: count }, (_, at) => `/p/${at}`);

/** A start page that links to so many pages. */
const wide = (count: number): SitePages => ({
  '/': { links: paths(count) },
  ...Object.fromEntries(paths(count).map((path) => [path, { links: ['/'] }])),
});

const sum = (charged: Map<string, number>): number =>
  [...charged.values()].reduce((total, pages) => total + pages, 0);

await describeOnStores('a job', (databaseUrl) => {
  let fixture: JobFixture;
  const open = async (site: SitePages, robots?: string): Promise<JobFixture> => {
    fixture = await openJobFixture(databaseUrl, site, robots);
    return fixture;
  };
  afterEach(() => fixture.close());
  const jobOf = async (id: string) => {
    const job = await fixture.jobs.find('key one', id);
    assert.ok(job);
    return job;
  };

  describe('of a crawl', () => {
    test('reads every page of a site once, and charges for each', async () => {
      const { start, run, answer, charged } = await open(wide(50));
      const id = await start();
      assert.ok(await run(id));
      const job = await jobOf(id);
      assert.deepEqual([job.state, job.reason, job.pages, job.credits], ['completed', null, 51, 51]);
      assert.deepEqual(
        (await answer(id)).toSorted(),
        ['/', ...paths(50)].map((path) => SITE + path).toSorted(),
      );
      assert.equal(sum(charged), 51);
    });

    test('ends at its limit', async () => {
      const { start, run, answer } = await open(wide(50));
      const id = await start({}, { pagesMax: 7 });
      await run(id);
      assert.equal((await answer(id)).length, 7);
      assert.equal((await jobOf(id)).credits, 7);
    });

    test('has a page once that is found under several spellings, and through a redirect', async () => {
      const { start, run, answer } = await open({
        '/': { links: ['/a', '/a/', '/a/index.html', '/old'] },
        '/a': {},
        '/a/': { title: 'the same with a slash' },
        '/a/index.html': { title: 'and as a file' },
        '/old': { to: `${SITE}/a` },
      });
      const id = await start();
      await run(id);
      assert.equal((await answer(id)).length, 2);
    });

    test('has pages apart that differ in spelling, if asked', async () => {
      const { start, run, answer } = await open({
        '/': { links: ['/a', '/a/'] },
        '/a': { title: 'one' },
        '/a/': { title: 'two' },
      });
      const id = await start({ foldsSpellings: false });
      await run(id);
      assert.equal((await answer(id)).length, 3);
    });

    test('leaves out a copy of the page that it names, whichever is read first', async () => {
      const { start, run, answer } = await open({
        '/': { links: ['/copy', '/other'] },
        '/copy': { canonical: '/original', title: 'Story' },
        '/original': { title: 'Story' },
        '/other': { canonical: '/', title: 'Not the start page' },
      });
      const id = await start();
      await run(id);
      assert.deepEqual((await answer(id)).toSorted(), [`${SITE}/`, `${SITE}/original`, `${SITE}/other`]);
    });

    test('stays below the start address unless the whole site is wanted', async () => {
      const site = { '/docs': { links: ['/docs/a', '/docsy', '/b'] }, '/docs/a': {}, '/docsy': {}, '/b': {} };
      const { start, run, answer } = await open(site);
      const id = await start({ start: `${SITE}/docs`, entireDomain: false });
      await run(id);
      assert.deepEqual(await answer(id), [`${SITE}/docs`, `${SITE}/docs/a`]);
    });

    test('follows the site to where its start page leads', async () => {
      const { start, run, answer } = await open({
        '/': { to: 'https://other.example/', links: ['https://other.example/a', 'https://third.example/'] },
        'https://other.example/a': {},
      });
      const id = await start();
      await run(id);
      assert.deepEqual(await answer(id), ['https://other.example/', 'https://other.example/a']);
    });

    test('selects pages by pattern; the start page only leads to them', async () => {
      const { start, run, answer, charged } = await open({
        '/': { links: ['/blog/1', '/blog/2', '/shop/1'] },
        '/blog/1': {},
        '/blog/2': {},
        '/shop/1': {},
      });
      const id = await start({ include: ['^/blog/'], exclude: ['2$'] });
      await run(id);
      assert.deepEqual(await answer(id), [`${SITE}/blog/1`]);
      assert.equal(sum(charged), 1);
    });

    test('obeys robots.txt, and says which addresses it left out and which failed', async () => {
      const site = { '/': { links: ['/secret', '/gone', '/a'] }, '/secret': {}, '/a': {} };
      const { start, run, jobs, read } = await open(site, 'user-agent: *\ndisallow: /secret');
      const id = await start();
      await run(id);
      const { failed, skipped } = await jobs.unread(id);
      assert.deepEqual(
        failed.map(({ url, reason }) => [url, reason]),
        [[`${SITE}/gone`, 'http_404']],
      );
      assert.deepEqual(
        skipped.map(({ url, reason }) => [url, reason]),
        [[`${SITE}/secret`, 'robots_txt']],
      );
      assert.ok(!read.includes(`${SITE}/secret`));
      assert.equal((await jobOf(id)).failed, 1);
    });

    test('fails if its start page cannot be read, and costs nothing', async () => {
      const { start, run, charged } = await open({ '/': { status: 404 } });
      const id = await start();
      await run(id);
      const job = await jobOf(id);
      assert.deepEqual([job.state, job.reason], ['failed', 'http_404']);
      assert.equal(sum(charged), 0);
    });
  });

  describe('of a batch', () => {
    test('reads its addresses without asking robots.txt, and goes on past those that fail', async () => {
      const { start, run, answer } = await open(
        { '/a': { links: ['/b'] }, '/b': {} },
        'user-agent: *\ndisallow: /',
      );
      const urls = [`${SITE}/a`, `${SITE}/gone`, `${SITE}/b`];
      const id = await start({}, { order: orderOf(null), urls });
      await run(id);
      assert.deepEqual((await answer(id)).toSorted(), [`${SITE}/a`, `${SITE}/b`]);
      const job = await jobOf(id);
      assert.deepEqual([job.state, job.pages, job.failed], ['completed', 2, 1]);
    });
  });

  describe('whose payer runs out of credits', () => {
    test('ends with the pages that were paid', async () => {
      const { start, run, answer, credits, charged } = await open(wide(50));
      credits.left = 20;
      const id = await start();
      await run(id);
      const job = await jobOf(id);
      assert.deepEqual([job.state, job.reason], ['completed', 'insufficient_credits']);
      assert.equal((await answer(id)).length, 20);
      assert.deepEqual([sum(charged), job.credits], [20, 20]);
    });

    test('fails if no page was paid', async () => {
      const { start, run, answer, credits } = await open(wide(5));
      credits.left = 0;
      const id = await start();
      await run(id);
      assert.deepEqual([(await jobOf(id)).state, await answer(id)], ['failed', []]);
    });
  });

  describe('that is interrupted', () => {
    test('goes on where it was, however often, and has and charges each page once', async () => {
      const { start, run, answer, charged, deps, store } = await open(wide(60));
      const id = await start();
      let rounds = 0;
      for (; (await jobOf(id)).state === 'running'; rounds++) {
        assert.ok(rounds < 200);
        let charges = 0;
        // Killed between two of its steps, another one each time: the charge, or the closing of the batch after it.
        const charge: typeof deps.charge = async (asked) => {
          charges += 1;
          if (charges > 1 && rounds % 2 === 0) throw new Error('killed before the charge');
          const paid = await deps.charge(asked);
          if (charges > 1) throw new Error('killed after the charge');
          return paid;
        };
        await run(id, undefined, { charge }).catch((error: Error) => assert.match(error.message, /^killed/));
      }
      assert.ok(rounds > 3, `${rounds} rounds`);
      const urls = await answer(id);
      assert.equal(new Set(urls).size, urls.length);
      assert.equal(urls.length, 61);
      assert.deepEqual([sum(charged), (await jobOf(id)).credits], [61, 61]);
      const left = await store.db.selectFrom('job').select('open_batch').where('id', '=', id).execute();
      assert.deepEqual(
        left.map((row) => row.open_batch),
        [null],
      );
    });

    test('does not let its former holder write, nor charge for a batch that it did not write', async () => {
      const { start, deps, store, charged, clock, run, answer } = await open(wide(3));
      const id = await start();
      const former = await takeLease(store.db, { id, token: 0 }, { now: clock.now(), leaseMs: 0 });
      assert.ok(former);
      let isTaken = false;
      const read: typeof deps.read = async (url, how) => {
        // Paused in the middle of a page; another process takes the job over and finishes it.
        if (!isTaken) {
          isTaken = true;
          await run(id);
        }
        return deps.read(url, how);
      };
      await assert.rejects(runJob({ ...deps, read }, former, new AbortController().signal), LeaseLost);
      assert.equal((await answer(id)).length, 4);
      assert.equal(sum(charged), 4);
      await assert.rejects(
        createJobWriter(deps, former.job, former.lease).end({ state: 'failed', reason: 'x' }),
        LeaseLost,
      );
      assert.equal((await jobOf(id)).state, 'completed');
    });

    test('does not let its former holder write while the next one is still at work', async () => {
      const { start, deps, store, clock } = await open(wide(3));
      const id = await start();
      const now = clock.now();
      const former = await takeLease(store.db, { id, token: 0 }, { now, leaseMs: 0 });
      const next = await takeLease(store.db, { id, token: 1 }, { now: now + 1, leaseMs: LEASE_MS });
      assert.ok(former && next);
      const late = createJobWriter(deps, former.job, former.lease);
      const found = { urls: ['https://site.example/late'], depth: 1 };
      await assert.rejects(late.addUrls(found), LeaseLost);
      await assert.rejects(late.markSeeded(), LeaseLost);
      await assert.rejects(late.end({ state: 'failed', reason: 'x' }), LeaseLost);
      await createJobWriter(deps, next.job, next.lease).addUrls(found);
      const { state, urls, seeded_at } = await jobOf(id);
      assert.deepEqual([state, urls, seeded_at], ['running', 2, null]);
    });

    test('is not taken over while its lease lasts', async () => {
      const { start, store, clock } = await open(wide(1));
      const id = await start();
      const now = clock.now();
      assert.ok(await takeLease(store.db, { id, token: 0 }, { now, leaseMs: LEASE_MS }));
      assert.equal(await takeLease(store.db, { id, token: 0 }, { now, leaseMs: LEASE_MS }), null);
      assert.equal(await takeLease(store.db, { id, token: 1 }, { now, leaseMs: LEASE_MS }), null);
      assert.ok(await takeLease(store.db, { id, token: 1 }, { now: now + LEASE_MS + 1, leaseMs: LEASE_MS }));
    });
  });

  describe('that is cancelled', () => {
    test('ends, and keeps what was charged', async () => {
      const { start, run, jobs, deps, answer, charged } = await open(wide(60));
      const id = await start();
      const charge: typeof deps.charge = async (asked) => {
        await jobs.cancel('key one', id);
        return deps.charge(asked);
      };
      await assert.rejects(run(id, undefined, { charge }), LeaseLost);
      const job = await jobOf(id);
      assert.equal(job.state, 'cancelled');
      assert.equal((await answer(id)).length, sum(charged));
      assert.ok(sum(charged) > 0 && sum(charged) < 61);
    });

    test('between writing a batch and charging for it, gets that batch from whoever looks next', async () => {
      const { start, run, jobs, deps, answer, charged } = await open(wide(2));
      const id = await start();
      const killed: typeof deps.charge = async (asked) => {
        await deps.charge(asked);
        throw new Error('killed');
      };
      await assert.rejects(run(id, undefined, { charge: killed }), /killed/);
      await jobs.cancel('key one', id);
      assert.deepEqual(await answer(id), []);
      await run(id);
      assert.equal((await answer(id)).length, sum(charged));
      assert.equal((await jobOf(id)).state, 'cancelled');
    });

    test('can only be cancelled and seen by its owner', async () => {
      const { start, jobs } = await open(wide(1));
      const id = await start();
      assert.equal(await jobs.cancel('key two', id), null);
      assert.equal(await jobs.find('key two', id), null);
      assert.equal((await jobOf(id)).state, 'running');
      assert.deepEqual(await jobs.running('key two'), []);
    });
  });

  describe('that is ordered', () => {
    test('twice under one name is one job; another owner may use the name too', async () => {
      const { start } = await open(wide(1));
      const named = { requestKey: 'request 1' };
      const ids = await Promise.all([start({}, named), start({}, named), start({}, named)]);
      assert.equal(new Set(ids).size, 1);
      assert.notEqual(await start({}, { ...named, owner: 'key two' }), ids[0]);
    });

    test('beyond the bound of its owner is refused', async () => {
      const { start, jobs } = await open(wide(1));
      const id = await start({}, { runningMax: 1 });
      await assert.rejects(start({}, { runningMax: 1 }), { code: 'rate_limited' });
      await start({}, { runningMax: 1, owner: 'key two' });
      await jobs.cancel('key one', id);
      await start({}, { runningMax: 1 });
    });
  });
});
