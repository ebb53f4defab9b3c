import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { describeOnStores } from '../fixtures/postgres.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../harness.ts';

/** Calls with an `Idempotency-Key`: whatever happens to a call and its response, repeating it charges once. */
const ADMIN = 'an admin token of sufficient length';
let site: FakeWeb;
/** Releases the pages under `/slow`, which are held back. */
let release = Promise.withResolvers<void>();

before(async () => {
  site = await startWeb({
    address: '127.10.0.44',
    async fallback(request, response) {
      if (/robots|sitemap/.test(request.url ?? '')) response.statusCode = 404;
      if (request.url?.startsWith('/slow')) await release.promise;
      if (request.url?.startsWith('/broken')) response.statusCode = 500;
      response.setHeader('content-type', 'text/html; charset=utf-8');
      const hits = site.hits(request.url);
      response.end(
        `<title>Ferry</title><main><h1>Ferry</h1><p>${`Reading ${hits} of the ferry. `.repeat(40)}</p></main>`,
      );
    },
  });
});
after(() => site.close());

await describeOnStores('calls with an Idempotency-Key', (databaseUrl) => {
  let app: RealServed;
  let credits: () => Promise<number>;
  let call: (body: object, key: string | null, headers?: Record<string, string>) => Promise<Answered>;
  let ids = 0;
  const page = (name: string): string => `${site.origin}/${name}-${databaseUrl === null ? 's' : 'p'}`;
  before(async () => {
    app = await serveReal({
      FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
      ADMIN_TOKEN: ADMIN,
      ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    });
    const { keyId, apiKey } = await app.billing.keys.create({ credits: 1_000, label: null });
    credits = async () => (await app.billing.balanceOf(keyId)).credits;
    call = (body, key, headers) =>
      app.post('/v1/contents', body, {
        'x-api-key': apiKey,
        ...(key !== null && { 'idempotency-key': key }),
        ...headers,
      });
  });
  after(() => app.close());

  test('get the same response and one charge, with the credits as they are now', async () => {
    const held = await credits();
    const body = { urls: [page('same')], livecrawl: 'always' };
    const first = await call(body, 'one');
    await call(body, null);
    const again = await call(body, 'one');
    assert.equal(again.text, first.text);
    assert.deepEqual(
      [first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')],
      [null, 'true'],
    );
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'));
    assert.equal(again.headers.get('x-credits-remaining'), String(held - 2));
    assert.equal(await credits(), held - 2);
    assert.equal(site.hits(new URL(page('same')).pathname), 2);
  });

  test('are refused with another body or route, and with an unusable key', async () => {
    const held = await credits();
    await call({ urls: [page('other')] }, 'two');
    for (const refused of [
      await call({ urls: [page('other')], text: true }, 'two'),
      await call({ urls: [page('other')] }, 'k'.repeat(256)),
      await call({ urls: [page('other')] }, 'a\tb'),
    ]) {
      assert.equal(refused.status, 422, refused.text);
      assert.equal(refused.json.details[0].field, 'Idempotency-Key');
    }
    assert.equal((await call({ urls: [page('other')] }, 'k'.repeat(255))).status, 200);
    assert.equal(await credits(), held - 2);
  });

  test('of two owners have nothing in common', async () => {
    const owner = await app.owner();
    const body = { urls: [page('owners')] };
    await call(body, 'three');
    const other = await owner.post('/v1/contents', body, { 'idempotency-key': 'three' });
    assert.deepEqual([other.status, other.headers.get('idempotent-replayed')], [200, null]);
  });

  test('are a 409 while the first is under way, and only one of many runs', async () => {
    release = Promise.withResolvers();
    const held = await credits();
    const body = { urls: [page('slow')] };
    const first = call(body, 'four');
    while (site.hits(new URL(page('slow')).pathname) === 0) await setTimeout(5);
    const second = await call(body, 'four');
    assert.deepEqual([second.status, second.json.error], [409, 'idempotency_conflict']);
    assert.equal(second.headers.get('retry-after'), '2');
    release.resolve();
    const answered = await first;
    assert.equal((await call(body, 'four')).text, answered.text);
    const many = await Promise.all(Array.from({ length: 8 }, () => call(body, 'five')));
    assert.ok(many.every(({ status }) => status === 200 || status === 409));
    assert.equal(await credits(), held - 2);
  });

  test('may be repeated after a failure, which cost nothing', async () => {
    const held = await credits();
    const read = (key: string): Promise<Answered> => call({ urls: ['not an address'] }, key);
    assert.equal((await read('six')).status, 400);
    assert.equal((await call({ urls: [page('after-failure')] }, 'six')).status, 200);
    assert.equal(await credits(), held - 1);
  });

  test('that are not to be stored leave the charge behind, not the response', async () => {
    for (const [name, body, headers] of [
      ['header', {}, { 'x-no-store': '1' }],
      ['field', { store: false }, {}],
    ] as const) {
      const held = await credits();
      const asked = { urls: [page(`private-${name}`)], ...body };
      assert.equal((await call(asked, `seven-${name}`, headers)).status, 200);
      const again = await call(asked, `seven-${name}`, headers);
      assert.deepEqual([again.status, again.json.error], [409, 'idempotency_conflict']);
      assert.equal(again.headers.get('retry-after'), null);
      assert.equal(await credits(), held - 1);
    }
  });

  test('lose their response when a page is forgotten, on disk too', async () => {
    const body = { urls: [page('forgotten')] };
    await call(body, 'eight');
    const url = encodeURIComponent(page('forgotten'));
    const forgotten = await app.delete(`/v1/index?url=${url}`, { authorization: `Bearer ${ADMIN}` });
    assert.equal(forgotten.status, 200);
    const again = await call(body, 'eight');
    assert.deepEqual([again.status, again.json.error], [409, 'idempotency_conflict']);
    await app.billing.background.drain();
    const kept = app.billing.ledgerStore.db.selectFrom('idempotent_call').selectAll().where('bytes', '>', 0);
    assert.deepEqual(await kept.execute(), []);
  });

  test('are known by the name that other clients use, start one job, and cost a keyless caller one request', async () => {
    const start = (): Promise<Answered> =>
      app.post(
        '/v2/batch/scrape',
        { urls: [page('job')] },
        { 'x-idempotency-key': `job ${ids}`, 'x-forwarded-for': '192.0.2.7' },
      );
    const [first, again] = [await start(), await start()];
    assert.equal(first.status, 200, first.text);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('x-credits-remaining'), first.headers.get('x-credits-remaining'));
    ids += 1;
  });
});

describe('calls with an Idempotency-Key on a server without metering', () => {
  test('run once too', async (t) => {
    const app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16', METERING: 'off' });
    t.after(() => app.close());
    const read = (): Promise<Answered> =>
      app.post(
        '/v1/contents',
        { urls: [`${site.origin}/free`], livecrawl: 'always' },
        { 'idempotency-key': 'k' },
      );
    const first = await read();
    assert.equal((await read()).text, first.text);
    assert.equal(site.hits('/free'), 1);
  });
});
