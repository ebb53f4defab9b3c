import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Answer,
  failsWith,
  HOUR_MS,
  pageFixture,
  URL_,
} from '../../test/fixtures/unit-tests/page-fixture.ts';
import { createFetchFailure } from '../contract/errors.ts';
import type { Store } from '../platform/store/open-store.ts';

const fixture = pageFixture();

describe('a private page', () => {
  const type = { 'content-type': 'text/markdown' };
  const PRIVATE = { ...type, 'cache-control': 'private' };
  const noCopies = async (store: Store): Promise<void> =>
    assert.deepEqual(await store.selectFrom('page_cache').select('url').execute(), []);

  for (const headers of [PRIVATE, { ...type, 'x-robots-tag': 'noindex' }, { ...type, vary: '*' }])
    test(`by ${JSON.stringify(headers)} is fetched for each reader and never kept`, async (t) => {
      const { open, asked, store } = await fixture(t, () => ({ text: '# Hello', headers }));
      for (const page of [await open(), await open()]) {
        assert.equal(page.cache, 'miss');
        assert.deepEqual(page.privacy?.addresses, [URL_]);
      }
      assert.equal(asked.length, 2);
      await noCopies(store);
      await assert.rejects(open(URL_, { copies: 'only' }), failsWith('not_kept'));
    });

  test('by the response of a redirect on the way to it', async (t) => {
    const redirects = [{ url: URL_, headers: PRIVATE }];
    const { open, store } = await fixture(t, () => ({
      url: 'https://e.org/end',
      text: '# Hello',
      redirects,
    }));
    assert.deepEqual((await open()).privacy, { reason: 'private', addresses: [URL_] });
    await noCopies(store);
  });

  test('by its markup, whatever its case', async (t) => {
    const text = '<HTML><META CONTENT="NoIndex" NAME=ROBOTS><p>Some text that can be read by anybody.</p>';
    const { open, store } = await fixture(t, () => ({ text, headers: { 'content-type': 'text/html' } }));
    assert.equal((await open()).privacy?.reason, 'noindex');
    await noCopies(store);
  });

  test('leaves the cache once its origin says so, in a 304 as well', async (t) => {
    const { open, clock, store } = await fixture(t, (_request, nth) =>
      nth === 1 ? { text: '# Hello', headers: { ...type, etag: '"1"' } } : { status: 304, headers: PRIVATE },
    );
    assert.equal((await open()).privacy, null);
    clock.at += HOUR_MS;
    assert.equal((await open()).privacy?.reason, 'private');
    await noCopies(store);
  });

  test('is not shared with callers that ask while it is being fetched', async (t) => {
    const arrive = Promise.withResolvers<void>();
    const { open, asked } = await fixture(t, async (_request, nth) => {
      await arrive.promise;
      return { text: `# Reader ${nth}`, headers: PRIVATE };
    });
    const readers = [open(), open(), open()];
    arrive.resolve();
    const titles = (await Promise.all(readers)).map(({ article }) => article.title);
    assert.deepEqual(titles.toSorted(), ['Reader 1', 'Reader 2', 'Reader 3']);
    assert.equal(asked.length, 3);
  });

  test('at an address with a secret is fetched alone from the start', async (t) => {
    const secret = `${URL_}?token=1`;
    const arrive = Promise.withResolvers<void>();
    const { open, asked, store } = await fixture(t, async () => {
      await arrive.promise;
      return { text: '# Hello' };
    });
    const readers = [open(secret), open(secret)];
    await until(() => asked.length === 2);
    arrive.resolve();
    assert.deepEqual(
      (await Promise.all(readers)).map(({ privacy }) => privacy?.reason),
      ['secret_in_address', 'secret_in_address'],
    );
    await noCopies(store);
  });

  test('is never served from an older copy at an address with a secret', async (t) => {
    const asked: string[] = [];
    const fallback = async (url: string) => {
      asked.push(url);
      return null;
    };
    const late = () => Promise.reject(createFetchFailure('timeout', 'late'));
    const { open } = await fixture(t, late, { fallback });
    await assert.rejects(open(`${URL_}?token=1`), failsWith('timeout'));
    await assert.rejects(open(`${URL_}?token=1`, { copies: 'only' }), failsWith('not_kept'));
    assert.deepEqual(asked, []);
  });
});

describe('a page that may not be kept', () => {
  test('is fetched alone, even beside a fetch of the same caller, and leaves no copy', async (t) => {
    const answers = [Promise.withResolvers<Answer>(), Promise.withResolvers<Answer>()];
    const { open, asked, store } = await fixture(
      t,
      (_, nth) => answers[nth - 1]?.promise ?? { text: '# Late' },
    );
    const alone = open(URL_, { tenant: 'key 1', keep: false });
    const kept = open(URL_, { tenant: 'key 1' });
    answers[0]?.resolve({ text: '# Hello' });
    answers[1]?.resolve({ text: '# Hello' });
    assert.deepEqual([(await alone).cache, (await kept).cache, asked.length], ['miss', 'miss', 2]);
    await store.deleteFrom('page_cache').execute();
    await open(URL_, { keep: false });
    assert.deepEqual(await store.selectFrom('page_cache').select('url').execute(), []);
    await assert.rejects(open(URL_, { copies: 'only' }), failsWith('not_kept'));
  });

  test('may come from a copy that is kept, which stays as it was', async (t) => {
    const { open, asked, clock } = await fixture(t, (_, nth) =>
      nth === 2
        ? { status: 304 }
        : { text: `# ${nth}`, headers: { 'content-type': 'text/markdown', etag: 'a' } },
    );
    const first = await open();
    assert.equal((await open(URL_, { keep: false })).cache, 'hit');
    clock.at += HOUR_MS;
    const renewed = await open(URL_, { keep: false });
    assert.deepEqual([renewed.cache, renewed.fetchedAt], ['hit', clock.at]);
    assert.equal((await open(URL_, { copies: 'only' })).fetchedAt, first.fetchedAt);
    const changed = await open(URL_, { keep: false, freshMs: 0 });
    assert.deepEqual([changed.article.title, asked.length], ['3', 3]);
    assert.equal((await open(URL_, { copies: 'only' })).article.title, '1');
  });

  test('still leaves the cache once its origin says that it is private', async (t) => {
    const { open } = await fixture(t, (_, nth) => ({
      text: '# Hello',
      headers: { 'content-type': 'text/markdown', ...(nth === 1 ? {} : { 'cache-control': 'private' }) },
    }));
    await open();
    await open(URL_, { keep: false, freshMs: 0 });
    await assert.rejects(open(URL_, { copies: 'only' }), failsWith('not_kept'));
  });
});

describe("openPage with a caller's headers", () => {
  const headers = { cookie: 'session=1', 'x-tenant': 'a' };

  test('sends them to the origin of the page, and keeps the page from everybody else', async (t) => {
    const { open, asked } = await fixture(t, ({ ownHeaders }) => ({
      text: ownHeaders === undefined ? '# Public' : '# Mine',
    }));
    await open();
    const mine = await open(URL_, { headers });
    assert.deepEqual(asked[1]?.ownHeaders, headers);
    assert.deepEqual([mine.cache, mine.article.title], ['miss', 'Mine']);
    assert.deepEqual(mine.privacy, { reason: 'own_headers', addresses: [] });
    const kept = await open();
    assert.deepEqual([kept.cache, kept.article.title], ['hit', 'Public']);
  });

  test('a page that they hide stays in the cache for the others', async (t) => {
    const { open, asked } = await fixture(t, ({ ownHeaders }) =>
      ownHeaders === undefined ? { text: '# Public' } : { status: 404 },
    );
    await open();
    await assert.rejects(open(URL_, { headers }), failsWith('http_status', 404));
    assert.equal((await open()).cache, 'hit');
    assert.equal(asked.length, 2);
  });

  test('go to no other address than the one that was asked for', async (t) => {
    const { open, asked } = await fixture(t, () => ({ text: '# Page' }));
    await open('https://github.com/a/b/blob/main/README.md', { headers });
    assert.deepEqual(
      asked.map(({ url }) => url),
      ['https://github.com/a/b/blob/main/README.md'],
    );
  });
});

/** Lets what is under way go on until a claim holds, within a bound. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !holds(); turn += 1)
    await new Promise((resolve) => setImmediate(resolve));
  assert.ok(holds());
}
