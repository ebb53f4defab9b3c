import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Answer,
  failsWith,
  HOUR_MS,
  pageFixture,
  URL_,
} from '../../test/fixtures/unit-tests/page-fixture.ts';
import { createFetchFailure, type Failure, type FetchReason } from '../contract/errors.ts';
import { createLog } from '../platform/log.ts';
import { PAGES_AT_ONCE_MAX } from './open-page.ts';

const fixture = pageFixture();

describe('openPage and its cache', () => {
  test('a page is fetched once within the hour, whatever its fragment', async (t) => {
    const { open, asked } = await fixture(t, () => ({ text: '# Hello' }));
    const first = await open(`${URL_}#part`);
    const second = await open();
    assert.deepEqual([first.cache, second.cache, asked.length], ['miss', 'hit', 1]);
    assert.equal(second.article.title, 'Hello');
    assert.equal(second.article.url, URL_);
  });

  test('after the hour it is revalidated by ETag, and 304 renews it', async (t) => {
    const { open, asked, clock } = await fixture(t, (_request, nth) =>
      nth === 1
        ? {
            text: '# Hello',
            headers: { 'content-type': 'text/markdown', etag: '"v1"', 'last-modified': 'x' },
          }
        : { status: 304 },
    );
    await open();
    clock.at += HOUR_MS;
    const renewed = await open();
    assert.equal(asked[1]?.headers?.['if-none-match'], '"v1"');
    assert.deepEqual([renewed.cache, renewed.fetchedAt, renewed.article.title], ['hit', clock.at, 'Hello']);
    clock.at += HOUR_MS - 1;
    assert.equal((await open()).cache, 'hit');
    assert.equal(asked.length, 2);
  });

  test('a page arrives though the clock is set forward while its server answers', async (t) => {
    const { open, clock } = await fixture(t, (_request, nth) => {
      clock.at += 100 * HOUR_MS;
      return nth === 1 ? { status: 404 } : { text: '# Hello' };
    });
    // Its HTML version is asked for first, and then the address itself.
    const page = await open('https://arxiv.org/pdf/2401.00001');
    assert.equal(page.article.title, 'Hello');
  });

  test('freshMs 0 asks the origin; a changed page is a miss', async (t) => {
    const { open, asked } = await fixture(t, (_request, nth) => ({ text: `# Version ${nth}` }));
    await open();
    const again = await open(URL_, { freshMs: 0 });
    assert.deepEqual([again.cache, again.article.title, asked.length], ['miss', 'Version 2', 2]);
  });

  test('an extraction by another version is not served', async (t) => {
    const { open, asked, store } = await fixture(t, () => ({ text: '# Hello' }));
    await open();
    const { article } = await store.selectFrom('page_cache').select('article').executeTakeFirstOrThrow();
    await store
      .updateTable('page_cache')
      .set({ article: JSON.stringify({ ...JSON.parse(article), version: -1 }) })
      .execute();
    assert.equal((await open()).cache, 'miss');
    assert.equal(asked[1]?.headers?.['if-none-match'], undefined);
  });

  test('the cache stays within its bytes by evicting the least recently used', async (t) => {
    const { open, clock, store } = await fixture(
      t,
      ({ url }) => ({ text: `# ${url} ${'x'.repeat(1_000)}` }),
      {
        cacheBytesMax: 12_000,
      },
    );
    for (let page = 0; page < 10; page += 1) {
      clock.at += 120_000;
      await open(`https://e.org/${page}`);
      if (page > 0) await open('https://e.org/0');
    }
    const rows = await store.selectFrom('page_cache').select(['url', 'bytes']).execute();
    const urls = rows.map(({ url }) => url);
    assert.ok(rows.reduce((sum, { bytes }) => sum + bytes, 0) <= 12_000);
    assert.ok(urls.includes('https://e.org/0') && urls.includes('https://e.org/9'), urls.join());
    assert.ok(!urls.includes('https://e.org/1'), urls.join());
  });
});

describe('openPage when the origin fails', () => {
  for (const status of [500, 503, 429]) {
    test(`status ${status}: the older copy, marked, for a day`, async (t) => {
      const { open, clock } = await fixture(t, (_request, nth) =>
        nth === 1 ? { text: '# Old' } : { status },
      );
      const { fetchedAt } = await open();
      clock.at += 24 * HOUR_MS;
      const stale = await open();
      assert.deepEqual([stale.cache, stale.fetchedAt, stale.article.title], ['stale', fetchedAt, 'Old']);
      clock.at += 1;
      await assert.rejects(open(), failsWith('http_status', status));
    });
  }

  test('a time limit: the copy of the index, of whatever age', async (t) => {
    const scripted = await fixture(t, () => ({ text: '# Copy' }));
    const { article } = await scripted.open();
    const timedOut = () => Promise.reject(createFetchFailure('timeout', 'late'));
    const { open } = await fixture(t, timedOut, { fallback: async () => ({ article, fetchedAt: 5 }) });
    assert.deepEqual(await open(), { article, fetchedAt: 5, cache: 'stale', privacy: null });
  });

  test('404 is final and drops the copy', async (t) => {
    const { open, clock, store } = await fixture(t, (_request, nth) =>
      nth === 1 ? { text: '# Old' } : { status: 404 },
    );
    await open();
    clock.at += HOUR_MS;
    await assert.rejects(open(), failsWith('http_status', 404));
    assert.deepEqual(await store.selectFrom('page_cache').select('url').execute(), []);
  });

  test('an address that is not public is refused before the cache and the network', async (t) => {
    const { open, asked } = await fixture(t, () => ({ text: '# No' }));
    await assert.rejects(
      open('https://private.local/'),
      (error: Failure) => error.code === 'url_not_allowed',
    );
    assert.equal(asked.length, 0);
  });

  const bodies: [what: string, answer: Answer, reason: FetchReason, status: number][] = [
    ['an empty body', {}, 'empty', 200],
    ['no content', { status: 204 }, 'empty', 204],
    [
      'HTML without text',
      { text: '<html><body></body></html>', headers: { 'content-type': 'text/html' } },
      'empty',
      200,
    ],
    ['an image', { text: 'GIF89a', headers: { 'content-type': 'image/gif' } }, 'unsupported_type', 200],
    [
      'a bot check',
      {
        status: 403,
        text: '<title>Just a moment...</title><script>_cf_chl_opt</script>',
        headers: { 'content-type': 'text/html' },
      },
      'wall',
      403,
    ],
    [
      'a plain refusal',
      { status: 403, text: '<h1>No</h1><p>Members only.</p>', headers: { 'content-type': 'text/html' } },
      'http_status',
      403,
    ],
    ['an unasked 304', { status: 304 }, 'http_status', 304],
  ];
  for (const [what, answer, reason, status] of bodies)
    test(`${what} is '${reason}'`, async (t) => {
      const { open } = await fixture(t, () => answer);
      await assert.rejects(open(), failsWith(reason, status));
    });

  test('Retry-After is passed on', async (t) => {
    const { open } = await fixture(t, () => ({ status: 429, headers: { 'retry-after': '7' } }));
    await assert.rejects(open(), (error: Failure) => error.fetch?.retryAfterMs === 7_000);
  });
});

describe('openPage when the caller says how fresh a page must be', () => {
  test('kept copies only: the origin is not asked, whatever their age', async (t) => {
    const { open, asked, clock } = await fixture(t, () => ({ text: '# Hello' }));
    await assert.rejects(open(URL_, { copies: 'only' }), failsWith('not_kept'));
    assert.equal(asked.length, 0);
    await open();
    clock.at += 1_000 * HOUR_MS;
    const kept = await open(URL_, { copies: 'only' });
    assert.deepEqual([kept.cache, kept.article.title, asked.length], ['hit', 'Hello', 1]);
  });

  test('kept copies only: a copy from elsewhere is enough', async (t) => {
    const { open: openElsewhere } = await fixture(t, () => ({ text: '# Hello' }));
    const { article } = await openElsewhere();
    const { open, asked } = await fixture(t, () => ({ status: 500 }), {
      fallback: async () => ({ article, fetchedAt: 1 }),
    });
    const { cache, fetchedAt } = await open(URL_, { copies: 'only' });
    assert.deepEqual([cache, fetchedAt, asked.length], ['hit', 1, 0]);
  });

  test('no kept copies: a failed page fails, even while another caller accepts an older copy', async (t) => {
    const { open } = await fixture(t, (_request, nth) => (nth === 1 ? { text: '# Hello' } : { status: 500 }));
    await open();
    const both = await Promise.allSettled([
      open(URL_, { freshMs: 0 }),
      open(URL_, { freshMs: 0, copies: 'never' }),
    ]);
    assert.partialDeepStrictEqual(both[0], { status: 'fulfilled', value: { cache: 'stale' } });
    assert.equal(both[1].status, 'rejected');
  });
});

test('the log names only the host of a page that is served from an older copy', async (t) => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const { open, clock } = await fixture(
    t,
    (_request, nth) => (nth === 1 ? { text: '# Old' } : { status: 500 }),
    { log },
  );
  const url = 'https://e.org/patients/42?name=ada';
  await open(url);
  clock.at += HOUR_MS;
  assert.equal((await open(url)).cache, 'stale');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).host),
    ['e.org'],
  );
  assert.doesNotMatch(lines.join(''), /patients|ada/);
});

describe('openPage for several callers', () => {
  const silent = (): Promise<never> => new Promise(() => {});
  const answering = async (url: string) => ({ text: `text of ${url}` });

  test('a flood of silent pages leaves slots free, and cached pages do not wait', async (t) => {
    const { open, asked } = await fixture(t, ({ url }) =>
      url.includes('silent') ? silent() : answering(url),
    );
    await open('https://e.org/kept', { tenant: 'flood' });
    const end = new AbortController();
    const flood = Array.from({ length: 300 }, (_, nth) =>
      open(`https://silent.org/${nth}`, { tenant: 'flood', signal: end.signal }).catch(() => 'ended'),
    );
    assert.equal((await open('https://e.org/kept', { tenant: 'flood' })).cache, 'hit');
    assert.equal((await open('https://e.org/new', { tenant: 'good' })).cache, 'miss');
    const silentOnes = asked.filter(({ url }) => url.includes('silent'));
    assert.equal(silentOnes.length, PAGES_AT_ONCE_MAX / 2);
    assert.ok(silentOnes.every(({ tenant }) => tenant === 'flood'));
    end.abort();
    await Promise.all(flood);
  });

  test("no caller joins a request that waits behind another caller's flood", async (t) => {
    const { open } = await fixture(t, ({ url }) => (url.includes('silent') ? silent() : answering(url)));
    const end = new AbortController();
    const flood = Array.from({ length: PAGES_AT_ONCE_MAX }, (_, nth) =>
      open(`https://silent.org/${nth}`, { tenant: 'flood', signal: end.signal }).catch(() => 'ended'),
    );
    const waits = open(URL_, { tenant: 'flood', signal: end.signal }).catch(() => 'ended');
    assert.equal((await open(URL_, { tenant: 'good' })).cache, 'miss');
    end.abort();
    await Promise.all([...flood, waits]);
  });
});
