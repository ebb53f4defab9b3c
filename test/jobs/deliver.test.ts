import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createFetchFailure } from '../../src/contract/errors.ts';
import { RESULTS_MS } from '../../src/jobs/rows/job-rows.ts';
import { deleteExpired } from '../../src/jobs/runner.ts';
import { createWebhookSender, type WebhookSender } from '../../src/jobs/webhooks/deliver.ts';
import { createWebhookSecrets } from '../../src/jobs/webhooks/webhook-signature.ts';
import { createLog } from '../../src/platform/log.ts';
import type { FetchRequest, GuardedFetch } from '../../src/platform/net/fetch-types.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type JobFixture, openJobFixture, orderOf, SITE } from './job-fixture.ts';

const HOOK = 'https://receiver.example/hook';
const SECOND = 1_000;

await describeOnStores('events of jobs', (databaseUrl) => {
  let fixture: JobFixture;
  let sent: FetchRequest[];
  /** The status of the receiver, or what a fetch throws. */
  let answer: (request: FetchRequest) => number | Promise<number>;
  beforeEach(async () => {
    fixture = await openJobFixture(databaseUrl, { '/': { links: ['/a'] }, '/a': {} });
    sent = [];
    answer = () => 200;
  });
  afterEach(() => fixture.close());

  const delivering = (): WebhookSender => {
    const fetch: GuardedFetch = async (request) => {
      sent.push(request);
      const status = await answer(request);
      return { url: request.url, status, headers: {}, redirects: [], body: new Uint8Array(0) };
    };
    return createWebhookSender({
      store: fixture.store,
      clock: fixture.clock,
      log: createLog('silent'),
      fetch,
      word: ({ id, event }) => ({ body: JSON.stringify({ id, event }), signatureHeader: 'x-signature' }),
      secretOf: createWebhookSecrets('the secret of the service'),
    });
  };
  /** Sends what is due until nothing is. */
  const drain = async (deliver = delivering()): Promise<void> => {
    for (let before = -1; before < sent.length; ) {
      before = sent.length;
      await deliver.look(new AbortController().signal, () => {});
      await deliver.idle();
    }
  };
  const startTold = (owner = 'key one', url = HOOK): Promise<string> => {
    const webhook = {
      url,
      headers: {},
      events: ['started', 'page', 'completed', 'failed'] as never,
      metadata: {},
    };
    return fixture.start({}, { owner, order: { ...orderOf({}), webhook } });
  };
  const events = (): string[] => sent.map(({ body }) => JSON.parse(String(body)).event);
  const waiting = async (): Promise<number> =>
    (await fixture.store.db.selectFrom('job_delivery').select('id').execute()).length;

  test('are sent once each when the receiver takes them', async () => {
    const id = await startTold();
    await fixture.run(id);
    await drain();
    assert.deepEqual(events().toSorted(), ['completed', 'page', 'page', 'started']);
    assert.equal(await waiting(), 0);
  });

  test('are signed with a secret that no other owner has', async () => {
    await startTold('key one');
    await startTold('key two');
    await drain();
    const [one, two] = sent.map(({ ownHeaders }) => ownHeaders?.['x-signature']);
    assert.match(one ?? '', /^sha256=[0-9a-f]{64}$/);
    const secrets = createWebhookSecrets('the secret of the service');
    assert.notEqual(secrets('key one'), secrets('key two'));
    assert.notEqual(one, two);
  });

  test('are repeated with the same id after growing pauses, then dropped', async () => {
    answer = () => 500;
    await startTold();
    await drain();
    for (const pause of [5, 30, 120, 600, 1_800]) {
      const before = sent.length;
      fixture.clock.add(pause * SECOND - 1);
      await drain();
      assert.equal(sent.length, before, `not before ${pause} s`);
      fixture.clock.add(1);
      await drain();
      assert.equal(sent.length, before + 1);
    }
    assert.equal(sent.length, 6);
    assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
    assert.equal(await waiting(), 0);
  });

  test('are repeated after a redirect and after a failure of the network', async () => {
    await startTold();
    answer = () => 307;
    await drain();
    fixture.clock.add(5 * SECOND);
    answer = () => {
      throw createFetchFailure('connect', 'refused');
    };
    await drain();
    fixture.clock.add(30 * SECOND);
    answer = () => 204;
    await drain();
    assert.deepEqual([sent.length, await waiting()], [3, 0]);
  });

  test('that a killed process was sending are sent again by another one, but not at the same time', async () => {
    await startTold();
    const never = Promise.withResolvers<number>();
    answer = () => never.promise;
    await delivering().look(new AbortController().signal, () => {});
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    answer = () => 200;
    await drain();
    assert.equal(sent.length, 1);
    fixture.clock.add(15 * SECOND);
    await drain();
    assert.deepEqual([sent.length, await waiting()], [2, 0]);
    never.resolve(200);
  });

  test('of one owner whose receiver hangs do not delay those of another', async () => {
    for (let at = 0; at < 40; at++) await startTold('key slow', 'https://slow.example/');
    await startTold('key quick');
    const never = Promise.withResolvers<number>();
    answer = ({ url }) => (url === HOOK ? 200 : never.promise);
    const deliver = delivering();
    await deliver.look(new AbortController().signal, () => {});
    while (!sent.some(({ url }) => url === HOOK)) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(sent.length <= 17, `${sent.length} sent at once`);
    never.resolve(200);
    await deliver.idle();
  });

  test('go with their job, and jobs a day after they ended', async () => {
    answer = () => 500;
    const id = await startTold();
    await fixture.run(id);
    fixture.clock.add(RESULTS_MS - SECOND);
    await deleteExpired(fixture.store, fixture.clock.now());
    assert.equal((await fixture.answer(id)).length, 2);
    fixture.clock.add(2 * SECOND);
    await deleteExpired(fixture.store, fixture.clock.now());
    assert.equal(await fixture.jobs.find('key one', id), null);
    for (const table of ['job', 'job_url', 'job_page', 'job_delivery'] as const)
      assert.deepEqual(
        await fixture.store.db.selectFrom(table).selectAll().execute(),
        [],
        `${table} of ${SITE}`,
      );
  });
});
