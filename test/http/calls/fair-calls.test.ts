import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { Failure } from '../../../src/contract/errors.ts';
import { CALL_WAIT_MS_MAX, CALLS_AT_ONCE_MAX, CALLS_WAITING_MAX } from '../../../src/contract/limits.ts';
import { type Served, searchAnswer, serveScripted } from '../../harness.ts';

const LONE_SHARE = CALLS_AT_ONCE_MAX / 2;
const asKey = (key: string) => ({ authorization: `Bearer ${key}` });
const search = (app: Served, key: string) => app.post('/v1/search', { query: key }, asKey(key));

/** A service whose searches of the key `flood` last until `end`; those of others are answered at once. */
async function floodable() {
  const gate = Promise.withResolvers<void>();
  const reached = new Map<number, () => void>();
  let running = 0;
  const app = await serveScripted({
    // All callers of a proxy come from its address, which then may hold every connection.
    trustProxy: 1,
    findKey: async (key) => ({ keyId: key, noStore: false }),
    search: async ({ query }) => {
      if (query === 'flood') {
        running += 1;
        reached.get(running)?.();
        await gate.promise;
        running -= 1;
      }
      return searchAnswer();
    },
  });
  return {
    app,
    end: () => gate.resolve(),
    running: () => running,
    runs: (count: number) => new Promise<void>((resolve) => reached.set(count, resolve)),
  };
}

describe('calls of several callers', () => {
  test("one caller's flood waits behind itself; others are answered, and in the end it is too", async (t) => {
    const { app, end, running, runs } = await floodable();
    t.after(() => app.close());
    const full = runs(LONE_SHARE);
    const flood = Array.from({ length: 200 }, () => search(app, 'flood'));
    await full;
    for (const key of ['a', 'b', 'a', 'b']) assert.equal((await search(app, key)).status, 200);
    assert.equal((await app.post('/v1/search', { query: 'keyless' })).status, 200);
    assert.equal(running(), LONE_SHARE);
    end();
    for (const answer of await Promise.all(flood)) assert.equal(answer.status, 200);
  });

  test('when the queue is full it is the flood that is shed, with 503 and when to come again', async (t) => {
    const { app, end, runs } = await floodable();
    t.after(() => app.close());
    const full = runs(LONE_SHARE);
    const excess = 20;
    let shedSoFar = 0;
    const shedAll = Promise.withResolvers<void>();
    const flood = Array.from({ length: LONE_SHARE + CALLS_WAITING_MAX + excess }, async () => {
      const answer = await search(app, 'flood');
      if (answer.status === 503 && ++shedSoFar === excess) shedAll.resolve();
      return answer;
    });
    await full;
    await shedAll.promise;
    for (const key of ['a', 'b', 'c']) assert.equal((await search(app, key)).status, 200);
    const shed = await Promise.race(flood);
    assert.equal(shed.status, 503);
    assert.equal(shed.json.error, 'overloaded');
    assert.ok(Number(shed.headers.get('retry-after')) > 0);
    for (const path of ['/healthz', '/readyz']) assert.equal((await app.get(path)).status, 200);
    end();
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 503).length, excess);
    assert.equal(statuses.filter((status) => status === 200).length, LONE_SHARE + CALLS_WAITING_MAX);
  });

  test('a call that is shed is not charged, and a keyless one does not count', async (t) => {
    let started = 0;
    const app = await serveScripted({
      calls: {
        takeNow: () => null,
        take: async () => {
          throw new Failure('overloaded', 'full');
        },
        held: () => assert.fail('not used'),
      },
      meter: {
        beginCharge: async () => {
          started += 1;
          return assert.fail('charged');
        },
        remaining: async () => 7,
      },
    });
    t.after(() => app.close());
    const { status, headers } = await app.post('/v1/search', { query: 'q' });
    assert.equal(status, 503);
    assert.equal(headers.get('x-credits-remaining'), '7');
    assert.equal(started, 0);
  });

  test('who hangs up while waiting leaves the line', async (t) => {
    const { app, end, runs } = await floodable();
    t.after(() => app.close());
    const full = runs(LONE_SHARE);
    const flood = Array.from({ length: LONE_SHARE }, () => search(app, 'flood'));
    await full;
    const waiting = request(`${app.address}/v1/search`, { method: 'POST', headers: asKey('flood') });
    waiting.on('error', () => {});
    waiting.end('{"query":"flood"}');
    const next = search(app, 'flood');
    waiting.destroy();
    end();
    for (const answer of await Promise.all([...flood, next])) assert.equal(answer.status, 200);
  });

  test('every operation is told whose share it takes', async (t) => {
    const told: [string, string | undefined][] = [];
    const note =
      (name: string) =>
      async ({ tenant }: { tenant?: string | undefined }): Promise<never> => {
        told.push([name, tenant]);
        throw new Failure('overloaded', 'noted');
      };
    const app = await serveScripted({
      findKey: async (key) => ({ keyId: key, noStore: false }),
      search: note('search'),
      contents: note('contents'),
      similar: note('similar'),
      research: note('research'),
      read: note('read'),
      verify: note('verify'),
      siteCrawl: note('crawl'),
      siteMap: note('map'),
    });
    t.after(() => app.close());
    const url = 'https://e.org/';
    await app.post('/v1/search', { query: 'q' }, asKey('k'));
    await app.post('/shapeB/search', { query: 'q' }, asKey('k'));
    await app.post('/v1/contents', { urls: [url] }, asKey('k'));
    await app.post('/shapeB/extract', { urls: [url] }, asKey('k'));
    await app.post('/v1/findSimilar', { url }, asKey('k'));
    await app.post('/v1/research', { question: 'q' }, asKey('k'));
    await app.get(`/r/${url}`, asKey('k'));
    await app.post('/v1/verify', { url, quote: 'q' }, asKey('k'));
    await app.post('/shapeB/crawl', { url }, asKey('k'));
    await app.post('/shapeB/map', { url }, asKey('k'));
    await app.get(`/r/${url}`);
    const names = ['search', 'search', 'contents', 'contents', 'similar', 'research', 'read', 'verify'];
    assert.deepEqual(told, [
      ...[...names, 'crawl', 'map'].map((name) => [name, 'key k']),
      ['read', 'network 127.0.0.1'],
    ]);
  });
});

test('a wait for a turn ends before the connection counts as idle', () => {
  assert.ok(CALL_WAIT_MS_MAX <= 30_000);
});
