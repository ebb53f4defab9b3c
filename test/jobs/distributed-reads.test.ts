import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../../src/contract/errors.ts';
import type { ReadForJob } from '../../src/jobs/job-types.ts';
import { createReadDistributor, type ReadDistributor } from '../../src/jobs/reads/distribute-reads.ts';
import { answerRead, claimRead, recordWorker } from '../../src/jobs/reads/read-rows.ts';
import { buildPlainArticle } from '../../src/pages/formats/plain-article.ts';
import type { JobQueries } from '../../src/platform/store/jobs/open-job-store.ts';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';
import { type JobFixture, openJobFixture } from './job-fixture.ts';

const LEASE = { token: 2 };
const HOW = { reading: { formats: ['markdown'] }, tenant: 'key one', keep: true, paceMs: 0 };
const database = await createTestDatabase();
after(() => database?.drop());

describe('reads of a job over several processes', { skip: database === null ? noServer : false }, () => {
  let fixture: JobFixture;
  let db: JobQueries;
  let lease: { id: string; token: number };
  let processes: Process[];
  type Process = { distributor: ReadDistributor; read: string[]; stop(): Promise<void> };

  beforeEach(async () => {
    fixture = await openJobFixture(database?.url ?? null, {});
    ({ db } = fixture.store);
    for (const table of ['job_read', 'job_worker', 'job_pace'] as const) await db.deleteFrom(table).execute();
    lease = { ...LEASE, id: await fixture.start() };
    processes = [];
  });
  afterEach(async () => {
    for (const { stop } of processes) await stop();
    await fixture.close();
  });

  /** A process that reads as `read` says, and notes what. */
  function startProcess(read: (url: string) => Promise<void> = async () => {}): Process {
    const urls: string[] = [];
    const readOne: ReadForJob = async (url) => {
      urls.push(url);
      await read(url);
      const article = buildPlainArticle(url, { kind: 'text', title: url, markdown: 'text', rawChars: 4 });
      return { page: { article, fetchedAt: 5, cache: 'miss', privacy: null }, document: `read ${url}` };
    };
    const distributor = createReadDistributor({ db, read: readOne });
    let isOn = true;
    const looking = (async () => {
      while (isOn) {
        await distributor.look();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const made = {
      distributor,
      read: urls,
      async stop() {
        isOn = false;
        await looking;
        await distributor.stop();
      },
    };
    processes.push(made);
    return made;
  }
  const meet = async (): Promise<void> => {
    for (let round = 0; round < 2; round += 1)
      for (const { distributor } of processes) await distributor.renew();
  };
  const urlsOf = (count: number, host = (nth: number) => `h${nth}.example`): string[] =>
    Array.from({ length: count }, (_, nth) => `https://${host(nth)}/${nth}`);
  const signal = (): AbortSignal => new AbortController().signal;

  test('are done by all of them, each once', async () => {
    // No read ends before each process has begun one.
    const met = Promise.withResolvers<void>();
    const meetOthers = async (): Promise<void> => {
      if (processes.every(({ read }) => read.length > 0)) met.resolve();
      await met.promise;
    };
    const [one] = [startProcess(meetOthers), startProcess(meetOthers), startProcess(meetOthers)];
    await meet();
    const urls = urlsOf(60);
    const read = one.distributor.readFor(lease);
    const readings = await Promise.all(urls.map((url) => read(url, { ...HOW, signal: signal() })));
    assert.deepEqual(
      readings.map(({ document }) => document),
      urls.map((url) => `read ${url}`),
    );
    assert.equal(readings[0]?.page.article.title, urls[0]);
    const all = processes.flatMap((each) => each.read);
    assert.deepEqual(all.toSorted(), urls.toSorted());
    assert.equal((await db.selectFrom('job_read').selectAll().execute()).length, 0);
  });

  test('write nothing while one process is alone', async () => {
    const one = startProcess();
    await meet();
    await one.distributor.readFor({ id: 'no such job', token: 1 })('https://e.org/', {
      ...HOW,
      signal: signal(),
    });
    assert.deepEqual(one.read, ['https://e.org/']);
  });

  test('fail as they would here', async () => {
    const fails = async (): Promise<never> => {
      throw createFetchFailure('http_status', 'it answered 503', { httpStatus: 503, retryAfterMs: 7_000 });
    };
    const [one] = [startProcess(fails), startProcess(fails)];
    await meet();
    const read = one.distributor.readFor(lease);
    for (const url of urlsOf(4))
      await assert.rejects(read(url, { ...HOW, signal: signal() }), (error: Failure) => {
        assert.ok(error instanceof Failure);
        assert.deepEqual(error.fetch, { reason: 'http_status', httpStatus: 503, retryAfterMs: 7_000 });
        return true;
      });
  });

  test('are begun no faster than the pace of a host, whoever begins them', async () => {
    const begun: number[] = [];
    const note = async (): Promise<void> => {
      begun.push(performance.now());
    };
    const [one] = [startProcess(note), startProcess(note), startProcess(note)];
    await meet();
    const read = one.distributor.readFor(lease);
    const urls = urlsOf(8, () => 'one.example');
    await Promise.all(urls.map((url) => read(url, { ...HOW, paceMs: 60, signal: signal() })));
    const span = (begun.at(-1) ?? 0) - (begun[0] ?? 0);
    assert.ok(span >= 7 * 60 - 50, `eight reads began within ${Math.round(span)} ms`);
  });

  test('of a process that was paused past its claim are done by another, and its own answer comes too late', async () => {
    const one = startProcess();
    await recordWorker(db, 'paused', 60_000);
    await one.distributor.renew();
    // From here on it reads only when it is told to.
    await one.stop();
    processes = [];
    let isOver = false;
    const reading = one.distributor
      .readFor(lease)('https://e.org/', { ...HOW, signal: signal() })
      .finally(() => {
        isOver = true;
      });
    let claimed = await claimRead(db, { worker: 'paused', takesOwn: true });
    while (claimed === null) claimed = await claimRead(db, { worker: 'paused', takesOwn: true });
    const expire = () => db.updateTable('job_read').set({ claimed_until: 0 }).execute();
    await expire();
    const next = await claimRead(db, { worker: 'next', takesOwn: true });
    assert.equal(next?.id, claimed.id);
    assert.equal(await answerRead(db, claimed, 'what the paused one read'), false);
    await expire();
    while (!isOver) await one.distributor.look();
    assert.equal((await reading).document, 'read https://e.org/');
  });

  test('that kill whoever does them are given up', async () => {
    const one = startProcess();
    await recordWorker(db, 'another', 60_000);
    await one.distributor.renew();
    // From here on it claims nothing.
    await one.stop();
    processes = [];
    const reading = one.distributor.readFor(lease)('https://e.org/', { ...HOW, signal: signal() });
    const isGivenUp = assert.rejects(reading, /does not come to an end/);
    const claimFourTimes = () => db.updateTable('job_read').set({ claim_token: 4 }).returning('id').execute();
    while ((await claimFourTimes()).length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    const again = startProcess();
    const isAnswered = async (): Promise<boolean> =>
      (await db.selectFrom('job_read').where('result', 'is not', null).execute()).length > 0;
    while (!(await isAnswered())) await new Promise((resolve) => setTimeout(resolve, 2));
    await one.distributor.look();
    await isGivenUp;
    assert.deepEqual(again.read, []);
  });

  test('that an earlier holder of the job asked for are withdrawn', async () => {
    const one = startProcess();
    await recordWorker(db, 'another', 60_000);
    await one.distributor.renew();
    await one.stop();
    processes = [];
    const leaving = new AbortController();
    const reading = one.distributor.readFor(lease)('https://e.org/', { ...HOW, signal: leaving.signal });
    const rows = () => db.selectFrom('job_read').selectAll().execute();
    while ((await rows()).length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    await one.distributor.begin(lease);
    assert.equal((await rows()).length, 1, 'its own are not');
    await one.distributor.begin({ ...lease, token: lease.token + 1 });
    assert.equal((await rows()).length, 0);
    leaving.abort();
    await assert.rejects(reading, { code: 'fetch_failed' });
  });
});
