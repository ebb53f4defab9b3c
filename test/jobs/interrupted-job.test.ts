import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LEASE_MS, LeaseLost, takeLease } from '../../src/jobs/rows/job-rows.ts';
import { createJobWriter } from '../../src/jobs/run/job-writer.ts';
import { runJob } from '../../src/jobs/run/run-job.ts';
import { describeJobs, sum, wide } from './described-jobs.ts';

await describeJobs(({ open, jobOf }) => {
  describe('that is interrupted', () => {
    test('goes on where it was, however often, and has and charges each page once', async () => {
      const { start, run, answer, charged, deps, store } = await open(wide(60));
      const id = await start();
      let rounds = 0;
      for (; (await jobOf(id)).state === 'running'; rounds++) {
        assert.ok(rounds < 200);
        let charges = 0;
        // Killed between two of its steps, another one each time: the charge, or the closing of the batch after it. The first
        // rounds die at their first charge, since a fast reader may need no more than two.
        const survived = rounds < 4 ? 0 : 1;
        const charge: typeof deps.charge = async (asked) => {
          charges += 1;
          if (charges > survived && rounds % 2 === 0) throw new Error('killed before the charge');
          const paid = await deps.charge(asked);
          if (charges > survived) throw new Error('killed after the charge');
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
});
