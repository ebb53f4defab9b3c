import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { ReadForJob } from '../../src/jobs/job-types.ts';
import { createJobRunner, type JobRunner } from '../../src/jobs/runner.ts';
import { createLog } from '../../src/platform/log.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type JobFixture, openJobFixture } from './job-fixture.ts';

const LOOKS_MAX = 100_000;

await describeOnStores('the runner of jobs', (databaseUrl) => {
  let fixture: JobFixture;
  let runners: JobRunner[];
  beforeEach(async () => {
    fixture = await openJobFixture(databaseUrl, { '/': { links: ['/a', '/b'] }, '/a': {}, '/b': {} });
    runners = [];
  });
  afterEach(async () => {
    for (const runner of runners) await runner.stop();
    await fixture.close();
  });

  const runner = (read: ReadForJob = fixture.deps.read): JobRunner => {
    const deliver = { look: async () => {}, idle: async () => {} };
    const made = createJobRunner({ ...fixture.deps, read, deliver, log: createLog('silent') });
    runners.push(made);
    made.start();
    return made;
  };
  const jobOf = async (id: string, owner = 'key one') => {
    const job = await fixture.jobs.find(owner, id);
    assert.ok(job);
    return job;
  };
  const ended = async (id: string, owner?: string) => {
    for (let look = 0; look < LOOKS_MAX; look++) {
      const job = await jobOf(id, owner);
      if (job.state !== 'running') return job;
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.fail('the job never ended');
  };
  /** A reader that begins and goes on only until it is told to stop. */
  const hanging = () => {
    const begun = Promise.withResolvers<void>();
    const read: ReadForJob = (_url, { signal }) => {
      begun.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    return { begun: begun.promise, read };
  };

  test('ends the jobs of the store, and gives their leases back', async () => {
    const id = await fixture.start();
    runner();
    assert.deepEqual([(await ended(id)).state, (await fixture.answer(id)).length], ['completed', 3]);
    for (const made of runners) await made.stop();
    assert.equal((await jobOf(id)).lease_until, 0);
  });

  test('that is stopped leaves its job to another one at once', async () => {
    const { begun, read } = hanging();
    const id = await fixture.start();
    const first = runner(read);
    await begun;
    await first.stop();
    assert.equal((await jobOf(id)).lease_until, 0);
    runner();
    assert.equal((await ended(id)).pages, 3);
  });

  test('works for one owner on half of its jobs at once, so that another is served', async () => {
    const { begun, read } = hanging();
    for (let at = 0; at < 20; at++) await fixture.start();
    runner((url, how) => (how.tenant === 'key two' ? fixture.deps.read(url, how) : read(url, how)));
    await begun;
    const id = await fixture.start({}, { owner: 'key two' });
    for (const made of runners) made.wake();
    assert.equal((await ended(id, 'key two')).state, 'completed');
    const now = fixture.clock.now();
    const held = await fixture.store.db
      .selectFrom('job')
      .select('id')
      .where('owner', '=', 'key one')
      .where('lease_until', '>', now)
      .execute();
    assert.equal(held.length, 4);
  });

  test('gives up a job that nobody could go on with', async () => {
    const id = await fixture.start();
    await fixture.store.db.updateTable('job').set({ stalls: 15 }).where('id', '=', id).execute();
    runner();
    const job = await ended(id);
    assert.deepEqual([job.state, job.reason, fixture.read], ['failed', 'internal', []]);
  });
});
