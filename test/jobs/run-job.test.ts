import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeJobs, paths, sum, wide } from './described-jobs.ts';
import { orderOf, SITE } from './job-fixture.ts';

await describeJobs(({ open, jobOf }) => {
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

    test('ends when it has taken twelve hours, with the pages so far', async () => {
      const { start, run, clock, deps } = await open(wide(300));
      const id = await start({}, { pagesMax: 400 });
      let read = 0;
      await run(id, undefined, {
        read: async (...args) => {
          read += 1;
          if (read === 5) clock.add(12 * 3_600_000);
          return deps.read(...args);
        },
      });
      const job = await jobOf(id);
      assert.deepEqual([job.state, job.reason], ['completed', 'too_long']);
      assert.ok(job.pages >= 1 && job.pages < 301, `${job.pages} pages`);
    });

    test('goes on for nearly twelve hours', async () => {
      const { start, run, clock } = await open(wide(5));
      const id = await start();
      clock.add(11 * 3_600_000);
      await run(id);
      assert.deepEqual([(await jobOf(id)).reason, (await jobOf(id)).pages], [null, 6]);
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

  describe('that is ordered', () => {
    test('beyond the bound of its owner is refused', async () => {
      const { start, jobs } = await open(wide(1));
      const id = await start({}, { runningMax: 1 });
      await assert.rejects(start({}, { runningMax: 1 }), { code: 'rate_limited' });
      await start({}, { runningMax: 1, owner: 'key two' });
      await jobs.cancel('key one', id);
      await start({}, { runningMax: 1 });
    });

    test('many times at once is bounded too', async () => {
      const { start, jobs } = await open(wide(1));
      const started = await Promise.allSettled(
        Array.from({ length: 12 }, () => start({}, { runningMax: 3 })),
      );
      const ids = started.filter(({ status }) => status === 'fulfilled');
      assert.equal(ids.length, 3);
      assert.equal((await jobs.running('key one')).length, 3);
    });
  });
});
