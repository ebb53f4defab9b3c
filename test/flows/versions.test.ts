import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { normalizeSelector } from '../../src/index/upkeep/page-selector.ts';
import type { PageVersion } from '../../src/versions/versions.ts';
import { type MovedClock, movedClock } from '../fixtures/moved-clock.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../harness.ts';

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

  test('is read as it was at an instant, and lists its versions, by the roles of RFC 7089', async () => {
    const url = `${site.origin}/remembered?page=1`;
    const [second, first] = await visitTwice(url);
    assert.ok(first && second);
    const hits = site.hits();
    const gate = `/r/${encodeURIComponent(url)}`;
    const at = new Date(first.firstSeenAt + HOUR).toUTCString();
    const past = await reader.get(gate, { 'accept-datetime': at });
    assert.equal(past.status, 200);
    assert.match(past.text, /four euros/);
    assert.equal(past.headers.get('memento-datetime'), new Date(first.firstSeenAt).toUTCString());
    assert.match(past.headers.get('vary') ?? '', /accept-datetime/);
    const memento = new URL(past.headers.get('content-location') ?? '');
    assert.match((await reader.get(memento.pathname + memento.search)).text, /four euros/);
    assert.match((await reader.get(`${gate}?at=2020-01-01`)).text, /four euros/);
    assert.match((await reader.get(`${gate}?at=2030-01-01&q=what+does+a+ticket+cost`)).text, /five euros/);
    const [, map] = /<([^>]+)>; rel="timemap"/.exec(past.headers.get('link') ?? '') ?? [];
    const { pathname, search } = new URL(map ?? '');
    const listed = await reader.get(pathname + search);
    assert.equal(listed.headers.get('content-type'), 'application/link-format');
    assert.equal(listed.text.match(/rel="(?:first |last )?memento"/g)?.length, 2);
    assert.ok(listed.text.includes(`<${url}>; rel="original"`) && listed.text.includes(memento.href));
    assert.equal(site.hits(), hits);
    assert.equal((await reader.get(gate, { 'accept-datetime': 'yesterday' })).status, 400);
    const unknown = encodeURIComponent(`${site.origin}/never-read`);
    assert.equal((await reader.get(`/r/${unknown}?at=2026-01-01`)).status, 404);
    assert.equal((await reader.get(`${gate}?at=2030-01-01`, { 'x-return-format': 'html' })).status, 422);
  });

  test('tells over HTTP what has changed, as JSON, for people and line by line', async () => {
    const url = `${site.origin}/told`;
    await visitTwice(url);
    const query = `url=${encodeURIComponent(url)}`;
    const { json } = await reader.get(`/v1/versions?${query}`);
    assert.deepEqual(
      json.versions.map((version: { number: number; status: string }) => [version.number, version.status]),
      [
        [2, 'present'],
        [1, 'present'],
      ],
    );
    const told = (await reader.get(`/v1/versions/changes?${query}`)).json;
    assert.deepEqual([told.changed, told.from.number, told.to.number], [true, 1, 2]);
    assert.deepEqual([told.changes[0].before.quote, told.changes[0].after.quote], [CHEAP, DEAR]);
    const shown = await reader.get(`/v1/versions/changes?${query}&format=markdown`);
    assert.match(shown.text, /costs ~~four~~\*\*five\*\* euros/);
    const lines = await reader.get(`/v1/versions/changes?${query}&format=unified`);
    assert.ok(lines.text.includes(`-${CHEAP}\n+${DEAR}`));
    const unknown = `url=${encodeURIComponent(`${site.origin}/never-read`)}`;
    assert.deepEqual((await reader.get(`/v1/versions?${unknown}`)).json.versions, []);
    assert.equal((await reader.get(`/v1/versions/changes?${unknown}`)).status, 404);
    assert.equal((await reader.get('/v1/versions?url=nothing:at-all')).status, 422);
    assert.equal((await reader.get(`/v1/versions/changes?${query}&from=soon`)).status, 422);
  });

  test('is compared with what each caller read before, as Firecrawl does', async () => {
    const url = `${site.origin}/tracked`;
    const scrape = async (caller: typeof reader, options: object = {}): Promise<Answered> => {
      const format = { type: 'changeTracking', modes: ['git-diff', 'json'], ...options };
      return caller.post('/v2/scrape', { url, formats: ['markdown', format], maxAge: 0 });
    };
    const statusOf = async (...asked: Parameters<typeof scrape>): Promise<unknown> =>
      (await scrape(...asked)).json.data.changeTracking.changeStatus;
    [words, status, isPrivate] = [CHEAP, 200, false];
    const other = await app.owner();
    assert.equal(await statusOf(reader), 'new');
    clock.advance(HOUR);
    assert.equal(await statusOf(reader), 'same');
    clock.advance(HOUR);
    words = DEAR;
    assert.equal(await statusOf(other), 'new');
    const { changeTracking } = (await scrape(reader)).json.data;
    assert.equal(changeTracking.changeStatus, 'changed');
    assert.equal(changeTracking.previousScrapeAt, new Date(clock.now() - HOUR).toISOString());
    assert.ok(changeTracking.diff.text.includes(`-${CHEAP}\n+${DEAR}`));
    const [chunk] = changeTracking.diff.json.files[0].chunks;
    assert.deepEqual(
      chunk.changes
        .filter(({ type }: { type: string }) => type !== 'normal')
        .map(({ type }: { type: string }) => type),
      ['del', 'add'],
    );
    assert.deepEqual(
      changeTracking.json.changes.map((change: { before: { quote: string } }) => change.before.quote),
      [CHEAP],
    );
    assert.equal(await statusOf(reader, { tag: 'daily' }), 'new');
    clock.advance(HOUR);
    status = 404;
    assert.equal(await statusOf(reader), 'removed');
    assert.equal((await scrape(await app.owner())).status, 500);
    status = 200;
    assert.equal((await scrape(reader, { modes: ['words'] })).status, 422);
  });

  test('is removed for a batch and a crawl too, once it is gone', async () => {
    const url = `${site.origin}/in-a-job`;
    [words, status, isPrivate] = [CHEAP, 200, false];
    app.parts.jobs.jobRunner.start();
    const readByJob = async (path: string, order: object) => {
      const { id } = (await reader.post(path, order)).json;
      await waitFor(async () => (await reader.get(`${path}/${id}`)).json.status === 'completed');
      return (await reader.get(`${path}/${id}`)).json;
    };
    const batch = { urls: [url, `${url}/never-read`], formats: ['changeTracking'], maxAge: 0 };
    const crawl = {
      url,
      limit: 1,
      sitemap: 'skip',
      scrapeOptions: { formats: ['changeTracking'], maxAge: 0 },
    };
    await readByJob('/v2/crawl', crawl);
    clock.advance(HOUR);
    status = 410;
    const { data, completed } = await readByJob('/v2/batch/scrape', batch);
    assert.equal(completed, 1, 'the page that nobody had read has failed');
    assert.equal(data[0].changeTracking.changeStatus, 'removed');
    assert.deepEqual([data[0].metadata.statusCode, data[0].metadata.sourceURL], [410, url]);
    const crawled = await readByJob('/v2/crawl', crawl);
    assert.equal(crawled.data[0].changeTracking.changeStatus, 'removed');
    status = 200;
  });

  test('that only its caller may see is compared for that caller alone', async () => {
    const url = `${site.origin}/own`;
    [words, status, isPrivate] = [CHEAP, 200, true];
    const scrape = {
      url,
      formats: ['changeTracking'],
      changeTrackingOptions: { modes: ['git-diff'] },
      maxAge: 0,
    };
    await reader.post('/firecrawl/v1/scrape', scrape);
    clock.advance(HOUR);
    words = DEAR;
    const { changeTracking } = (await reader.post('/firecrawl/v1/scrape', scrape)).json.data;
    assert.equal(changeTracking.changeStatus, 'changed');
    assert.ok(changeTracking.diff.text.includes(`-${CHEAP}`));
    const query = `/v1/versions?url=${encodeURIComponent(url)}`;
    assert.equal((await reader.get(query)).json.versions.length, 2);
    assert.equal((await (await app.owner()).get(query)).json.versions.length, 0);
    assert.equal((await app.get(query)).json.versions.length, 0);
  });

  test('is forgotten with all its versions', async () => {
    const url = `${site.origin}/forgotten`;
    await visitTwice(url);
    const { copies } = await app.services.operations.forget(normalizeSelector({ url }));
    assert.equal(copies, 3);
    assert.deepEqual(await list(url), []);
  });
});
