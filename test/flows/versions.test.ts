import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { normalizeSelector } from '../../src/index/upkeep/page-selector.ts';
import type { PageVersion } from '../../src/versions/versions.ts';
import { type MovedClock, movedClock } from '../fixtures/moved-clock.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type RealServed, serveReal } from '../harness.ts';

/** Pages change, are read at several times by a driven clock, and their versions are read back over HTTP. */
const HOUR = 3_600_000;
const html = (words: string): string =>
  `<!doctype html><html lang="en"><head><title>Tariff</title></head><body><main><h1>Tariff</h1>
  <p>The ferry between the two towns sails every hour from six in the morning until late at night.</p><p>${words}</p>
  <p>Bicycles travel free of charge, and dogs pay half of what their owners pay, on all crossings.</p></main></body></html>`;
const CHEAP = 'A single ticket costs four euros, and a return ticket costs seven euros for grown people.';
const DEAR = 'A single ticket costs five euros, and a return ticket costs nine euros for grown people.';

let site: FakeWeb;
let app: RealServed;
let clock: MovedClock;
let reader: Awaited<ReturnType<RealServed['owner']>>;
let words = CHEAP;
let status = 200;
let isPrivate = false;
before(async () => {
  site = await startWeb({
    address: '127.10.0.58',
    fallback(_request, response) {
      response
        .writeHead(status, {
          'content-type': 'text/html; charset=utf-8',
          ...(isPrivate ? { 'cache-control': 'private, no-store' } : {}),
        })
        .end(html(words));
    },
  });
  clock = movedClock();
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16', VERSIONS: 'on' }, { clock });
  reader = await app.owner();
});
after(async () => {
  await app.close();
  await site.close();
});

const read = (url: string): ReturnType<RealServed['get']> =>
  reader.get(`/r/${encodeURIComponent(url)}`, { 'x-no-cache': 'true' });
const list = async (url: string): Promise<PageVersion[]> =>
  (await app.services.versioning.versions()).list(url, { limit: 100 });
const listWhen = async (url: string, count: number): Promise<PageVersion[]> => {
  await waitFor(async () => (await list(url)).length >= count);
  return list(url);
};

/** Reads a page at two prices, two hours apart; the versions are kept in the background. */
async function visitTwice(url: string): Promise<PageVersion[]> {
  [words, status, isPrivate] = [CHEAP, 200, false];
  await read(url);
  await listWhen(url, 1);
  clock.advance(2 * HOUR);
  words = DEAR;
  await read(url);
  return listWhen(url, 2);
}

describe('a page that changes', () => {
  test('has a version for each change, and none for a private page', async () => {
    const url = `${site.origin}/changes`;
    const [second, first] = await visitTwice(url);
    assert.equal(second?.firstSeenAt, clock.now());
    assert.equal(first?.firstSeenAt, clock.now() - 2 * HOUR);
    isPrivate = true;
    words = 'Only for you: a ticket costs one euro, whatever the others in the queue may have paid for it.';
    clock.advance(HOUR);
    assert.equal((await read(url)).status, 200);
    [isPrivate, status] = [false, 404];
    clock.advance(HOUR);
    await read(url);
    const found = await listWhen(url, 3);
    assert.deepEqual(
      found.map((version) => version.status),
      ['gone', 'present', 'present'],
    );
  });

  test('is compared by block, with the words that differ', async () => {
    const url = `${site.origin}/compared`;
    const [second, first] = await visitTwice(url);
    assert.ok(first && second);
    const { compareVersions } = app.services.versioning;
    const { signal } = new AbortController();
    const { changes, isChanged } = await compareVersions.byBlock(
      { before: first, after: second },
      { signal },
    );
    assert.equal(isChanged, true);
    assert.deepEqual(
      changes.map((change) => [change.before?.quote, change.after?.quote]),
      [[CHEAP, DEAR]],
    );
    const names = { before: 'a', after: 'b' };
    const { hunks } = await compareVersions.byLine({ before: first, after: second }, { signal, names });
    assert.ok(hunks[0]?.lines.includes(`-${CHEAP}`) && hunks[0].lines.includes(`+${DEAR}`));
  });

  test('is forgotten with all its versions', async () => {
    const url = `${site.origin}/forgotten`;
    await visitTwice(url);
    const { copies } = await app.services.operations.forget(normalizeSelector({ url }));
    assert.equal(copies, 3);
    assert.deepEqual(await list(url), []);
  });
});
