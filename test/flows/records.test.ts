import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { normalizeSelector } from '../../src/index/upkeep/page-selector.ts';
import { type MovedClock, movedClock } from '../fixtures/moved-clock.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../harness.ts';

/** Research is recorded on one server, the site changes, and a second server checks every citation. */
const HOUR = 3_600_000;
const FACTS = {
  ferry:
    'Two boats cross the strait between the old harbours, and carry up to thirty cars with their drivers on deck.',
  tram: 'Green carriages climb from the market to the castle, past the theatre, the hospital and the botanical garden.',
  lift: 'Inside the cliff a cabin of glass rises from the beach to the promenade in less than a minute and a half.',
} as const;
const TOPICS = Object.keys(FACTS) as (keyof typeof FACTS)[];
const OLD = 'four euros';
const NEW = 'five euros';
let price = OLD;
let isGone = false;
const pageOf = (topic: keyof typeof FACTS): string =>
  `<!doctype html><html lang="en"><head><title>The ${topic} tariff</title></head><body><main><h1>The ${topic} tariff</h1>
  <p>${FACTS[topic]}</p>
  <p>A single ticket for the ${topic} costs ${price}, and a return ticket costs twice as much for grown people.</p>
  <p>${[...FACTS[topic].split(' ')].reverse().join(' ')}</p></main></body></html>`;

type Caller = Awaited<ReturnType<RealServed['owner']>>;
let site: FakeWeb;
let app: RealServed;
let other: RealServed;
let clock: MovedClock;
let caller: Caller;

before(async () => {
  site = await startWeb({
    address: '127.10.0.68',
    fallback({ url = '' }, response) {
      const topic = TOPICS.find((one) => url.startsWith(`/${one}`));
      const status = topic === undefined || isGone ? 404 : 200;
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
      response.end(topic === undefined ? '' : pageOf(topic));
    },
  });
  clock = movedClock();
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' }, { clock });
  other = await serveReal();
  caller = await app.owner();
});
after(async () => {
  await Promise.all([app.close(), other.close()]);
  await site.close();
});

const urlOf = (topic: string, place = ''): string => `${site.origin}/${topic}${place}`;

/** Reads pages with the old price, so that they are in the index. */
async function readPages(place = ''): Promise<void> {
  [price, isGone] = [OLD, false];
  for (const topic of TOPICS) {
    const url = urlOf(topic, place);
    await caller.get(`/r/${encodeURIComponent(url)}`, { 'x-no-cache': 'true' });
    // Indexing goes on behind the answer.
    await waitFor(async () => (await app.services.index.get(url)) !== null);
  }
}

const record = async (path: string, body: object, by = caller): Promise<Answered> => {
  const answered = await by.post(path, { ...body, record: true });
  assert.equal(answered.status, 200, answered.text);
  assert.match(answered.json.recordId, /^rec_[0-9a-f]{32}$/);
  return answered;
};
const replay = async (id: string, by = caller) => (await by.get(`/v1/records/${id}`)).json.record;
const download = async (id: string, key: Record<string, string>): Promise<Buffer> => {
  const response = await fetch(`${app.address}/v1/records/${id}/export`, { headers: key });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
};
const issue = async (served: RealServed): Promise<Record<string, string>> => ({
  'x-api-key': (await served.billing.keys.create({ credits: 10_000, label: null })).apiKey,
});

const CALLS: Record<string, object> = {
  '/v1/search': { query: 'what does a ferry ticket cost', contents: { text: true, highlights: true } },
  '/v1/contents': { text: true, highlights: { query: 'ticket price' } },
  '/v1/answer': { query: 'What does a single ticket for the ferry cost?' },
  '/v1/research': { question: 'What does a single ticket for the ferry cost?', maxSearches: 2 },
};

describe('a record of research', () => {
  for (const [path, body] of Object.entries(CALLS))
    test(`${path}: is replayed after the site has changed, and says so, without a request`, async () => {
      await readPages();
      const asked = path === '/v1/contents' ? { ...body, urls: TOPICS.map((topic) => urlOf(topic)) } : body;
      const { json: made } = await record(path, asked);
      const before = await replay(made.recordId);
      assert.deepEqual(before.request, asked);
      assert.deepEqual(before.answer.results, made.results);
      assert.ok(before.pages.length > 0);
      for (const page of before.pages)
        assert.deepEqual([page.kept, page.since.state], [true, 'same'], page.url);
      assert.ok(before.citations.length > 0);
      for (const { quote, verified, standsNow } of before.citations)
        assert.deepEqual([verified, standsNow, quote.length > 0], [true, true, true]);
      clock.advance(2 * HOUR);
      price = NEW;
      for (const topic of TOPICS)
        await caller.get(`/r/${encodeURIComponent(urlOf(topic))}`, { 'x-no-cache': 'true' });
      const hits = site.hits();
      const after = await replay(made.recordId);
      assert.equal(site.hits(), hits);
      assert.deepEqual(after.answer, before.answer);
      for (const page of after.pages) assert.deepEqual([page.kept, page.since.state], [true, 'changed']);
      const priced = after.citations.filter(({ quote }: { quote: string }) => quote.includes(OLD));
      assert.ok(priced.length > 0);
      for (const { verified, standsNow } of priced) assert.deepEqual([verified, standsNow], [true, false]);
    });

  test('every citation is verified years later, here and on a server that never saw the pages', async () => {
    await readPages('?q=export');
    const key = await issue(app);
    const urls = TOPICS.map((topic) => urlOf(topic, '?q=export'));
    const { json } = await app.post('/v1/contents', { urls, highlights: true, record: true }, key);
    const id = json.recordId;
    price = NEW;
    clock.advance(3 * 365 * 24 * HOUR);
    const file = await download(id, key);
    const otherKey = await issue(other);
    const imported = await other.post('/v1/records/import', new Uint8Array(file), otherKey);
    assert.equal(imported.status, 200, imported.text);
    const { citations, pages } = imported.json.record;
    assert.ok(citations.length >= 3);
    for (const citation of citations) {
      assert.equal(citation.verified, true);
      const { url, quote, contentHash } = citation;
      for (const [served, headers] of [
        [app, key],
        [other, otherKey],
      ] as const) {
        const checked = await served.post('/v1/verify', { url, quote, contentHash, record: id }, headers);
        assert.equal(checked.status, 200, checked.text);
        assert.deepEqual(
          [checked.json.results[0].found, checked.json.changed],
          ['exact', false],
          checked.text,
        );
      }
    }
    for (const page of pages) assert.deepEqual([page.kept, page.since.state], [true, 'unknown']);
    const again = await other.get(`/v1/records/${id}/export`, otherKey);
    assert.equal(again.text.length > 0, true);
    const exported = await fetch(`${other.address}/v1/records/${id}/export`, { headers: otherKey });
    assert.ok(file.equals(Buffer.from(await exported.arrayBuffer())), 'the copy exports the same bytes');
    assert.equal((await other.post('/v1/records/import', new Uint8Array(file), otherKey)).status, 200);
    assert.equal((await other.get('/v1/records', otherKey)).json.records.length, 1);
  });

  test('one byte that differs is noticed and named, wherever it is', async () => {
    await readPages('?q=tampered');
    const key = await issue(app);
    const urls = TOPICS.map((topic) => urlOf(topic, '?q=tampered'));
    const { json } = await app.post('/v1/contents', { urls, highlights: true, record: true }, key);
    const file = await download(json.recordId, key);
    const otherKey = await issue(other);
    const tampered = async (at: number): Promise<string> => {
      const bytes = Uint8Array.from(file);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      const refused = await other.post('/v1/records/import', bytes, otherKey);
      assert.equal(refused.status, 422, `byte ${at}: ${refused.text}`);
      return refused.json.message;
    };
    const spread = Array.from({ length: 40 }, (_, place) => Math.floor((place * (file.length - 1)) / 39));
    for (const at of spread) assert.match(await tampered(at), /^body: /);
    const text = file.indexOf('single ticket for the tram', file.indexOf('WARC/1.1'));
    assert.match(
      await tampered(text),
      /pages\.warc differs from its hash in SHA256SUMS: the text of .*\/tram\?/,
    );
    assert.match(
      await tampered(file.indexOf('"request"')),
      /record\.json differs from its hash in SHA256SUMS/,
    );
    assert.match(await tampered(file.length - 5), /the archive differs at byte \d+, outside its files/);
    const cut = await other.post('/v1/records/import', new Uint8Array(file.subarray(0, 2_000)), otherKey);
    assert.equal(cut.status, 422);
    assert.deepEqual((await other.get('/v1/records', otherKey)).json.records, []);
  });

  test('is run again, and the two runs are compared', async () => {
    await readPages('?q=again');
    const urls = TOPICS.map((topic) => urlOf(topic, '?q=again'));
    const { json } = await record('/v1/contents', { urls, highlights: { query: 'ticket price' } });
    const same = await caller.post(`/v1/records/${json.recordId}/rerun`, {});
    assert.equal(same.status, 200, same.text);
    assert.equal(same.json.changed, false);
    clock.advance(3 * HOUR);
    price = NEW;
    const { json: compared } = await caller.post(`/v1/records/${json.recordId}/rerun`, {});
    assert.equal(compared.changed, true);
    assert.deepEqual(compared.results.kept, urls);
    for (const page of compared.pages) {
      assert.equal(page.state, 'changed');
      assert.match(page.changes, /costs ~~four~~\*\*five\*\* euros/);
    }
    assert.ok(compared.citations.removed.every(({ quote }: { quote: string }) => quote.includes(OLD)));
    assert.ok(compared.citations.added.every(({ quote }: { quote: string }) => quote.includes(NEW)));
    assert.equal((await replay(compared.recordId)).request.urls.length, 3);
  });

  test('belongs to its caller, who lists and deletes it', async () => {
    await readPages();
    clock.advance(1);
    const { json } = await record('/v1/search', { query: 'tariff' });
    const path = `/v1/records/${json.recordId}`;
    const stranger = await app.owner();
    assert.equal((await stranger.get(path)).status, 404);
    assert.equal((await stranger.get(`${path}/export`)).status, 404);
    assert.equal((await stranger.post(`${path}/rerun`, {})).status, 404);
    assert.deepEqual((await stranger.get('/v1/records')).json.records, []);
    const [first] = (await caller.get('/v1/records')).json.records;
    assert.deepEqual([first.id, first.operation, first.title], [json.recordId, 'search', 'tariff']);
    assert.equal((await app.get('/v1/records')).status, 401);
    assert.equal((await app.post('/v1/search', { query: 'tariff', record: true })).status, 401);
    const key = await issue(app);
    const own = (await app.post('/v1/search', { query: 'tariff', record: true, api_key: key['x-api-key'] }))
      .json;
    assert.equal((await app.get(`/v1/records/${own.recordId}`, key)).json.record.request.api_key, undefined);
    assert.equal((await app.delete(`/v1/records/${own.recordId}`, key)).status, 200);
    assert.equal((await app.delete(`/v1/records/${own.recordId}`, key)).status, 404);
  });

  test('keeps nothing where nothing may be stored, or the answer is streamed', async () => {
    const body = { query: 'tariff', record: true };
    for (const [path, extra, headers] of [
      ['/v1/search', { store: false }, {}],
      ['/v1/search', {}, { 'x-no-store': '1' }],
      ['/v1/answer', { stream: true }, {}],
    ] as const) {
      const answered = await caller.post(path, { ...body, ...extra }, headers);
      assert.deepEqual([answered.status, answered.json?.recordId], [200, undefined], path);
      assert.equal(answered.headers.get('x-ignored-parameters'), 'record');
    }
  });

  test('a page that is forgotten leaves the record, which says so', async () => {
    await readPages('?q=forgotten');
    const urls = TOPICS.map((topic) => urlOf(topic, '?q=forgotten'));
    const { json } = await record('/v1/contents', { urls, text: true, context: true, highlights: true });
    const [url = ''] = urls;
    await app.services.operations.forget(normalizeSelector({ url }));
    const left = await replay(json.recordId);
    assert.equal(left.forgottenPages, 1);
    assert.deepEqual(
      left.pages.map((page: { url: string }) => page.url),
      urls.slice(1),
    );
    assert.deepEqual(
      left.answer.results.map((page: { url: string }) => page.url),
      urls.slice(1),
    );
    assert.deepEqual(left.request.urls, urls.slice(1));
    assert.doesNotMatch(JSON.stringify(left), /ferry/);
    for (const { verified } of left.citations) assert.equal(verified, true);
  });
});

describe('a search as of an instant', () => {
  test('knows the pages and the texts of that time', async () => {
    const kept = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16', VERSIONS: 'on' }, { clock });
    try {
      const reader = await kept.owner();
      const { versions } = kept.services.versioning;
      const read = async (topic: string): Promise<void> => {
        const url = urlOf(topic, '?q=asof');
        const text = (): string => `for the ${topic} costs ${price}`;
        await reader.get(`/r/${encodeURIComponent(url)}`, { 'x-no-cache': 'true' });
        // Indexing and keeping versions go on behind the answer.
        await waitFor(async () => {
          const [newest] = await (await versions()).list(url, { limit: 1 });
          const page = await kept.services.index.get(url);
          return newest?.firstSeenAt === clock.now() && page?.markdown.includes(text()) === true;
        });
      };
      [price, isGone] = [OLD, false];
      await read('ferry');
      const then = new Date(clock.now() + HOUR).toISOString();
      clock.advance(2 * HOUR);
      price = NEW;
      await read('ferry');
      await read('tram');
      const search = async (asOf?: string) =>
        (
          await reader.post('/v1/search', {
            query: 'single ticket tariff',
            contents: { text: true },
            ...(asOf === undefined ? {} : { asOf }),
          })
        ).json;
      assert.equal((await search()).results.length, 2);
      const known = await search(then);
      assert.deepEqual(
        known.results.map(({ url }: { url: string }) => url),
        [urlOf('ferry', '?q=asof')],
      );
      assert.match(known.results[0].text, /four euros/);
      assert.deepEqual(known.service.filters.asOf, { removed: 1, opened: 1 });
      assert.deepEqual((await search('2001-01-01')).results, []);
      assert.equal((await reader.post('/v1/search', { query: 'a', asOf: 'soon' })).status, 422);
    } finally {
      await kept.close();
    }
  });
});
