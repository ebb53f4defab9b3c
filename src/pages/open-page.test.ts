import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { Failure, type FetchReason, fetchFailed } from '../contract/errors.ts';
import { createLog } from '../platform/log.ts';
import type { FetchedResponse, FetchRequest } from '../platform/net/fetch-types.ts';
import { openStore, type Store } from '../platform/store/open-store.ts';
import { POOL_LIMITS } from '../platform/threads/pool-limits.ts';
import { createTaskPool } from '../platform/threads/task-pool.ts';
import type { ExtrasWanted } from './extract/extras/extras-types.ts';
import { readSelector } from './extract/extras/selector.ts';
import { createExtractWorker } from './extract-worker.ts';
import { createOpenPage, type OpenPageDeps, PAGES_AT_ONCE_MAX } from './open-page.ts';
import type { OpenOptions } from './open-page-types.ts';

const HOUR_MS = 3_600_000;
const URL_ = 'https://e.org/page';

const pool = createTaskPool({ ...POOL_LIMITS, threads: 1, pageThreads: 1 });
const worker = createExtractWorker(pool);
after(() => pool.close());

type Answer = Partial<Omit<FetchedResponse, 'body'>> & { text?: string };

/** A response as the guarded fetch gives it, its body in memory of its own. */
function response(request: FetchRequest, { text = '', ...rest }: Answer): FetchedResponse {
  const body = new Uint8Array(new TextEncoder().encode(text));
  return {
    url: request.url,
    status: 200,
    headers: { 'content-type': 'text/markdown' },
    redirects: [],
    ...rest,
    body,
  };
}

type Script = (request: FetchRequest, nth: number) => Answer | Promise<Answer>;

async function fixture(t: TestContext, script: Script, extra: Partial<OpenPageDeps> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'open-page-'));
  const store = await openStore(folder);
  t.after(async () => {
    await store.destroy();
    rmSync(folder, { recursive: true });
  });
  const clock = { at: 1_700_000_000_000, now: (): number => clock.at };
  const asked: FetchRequest[] = [];
  const openPage = createOpenPage({
    fetch: async (request) => {
      asked.push(request);
      return response(request, await script(request, asked.length));
    },
    checkUrl: (url) => {
      const parsed = new URL(url);
      if (parsed.hostname === 'private.local') throw new Failure('url_not_allowed', 'not public');
      return parsed;
    },
    store,
    extract: worker,
    clock,
    log: createLog('silent'),
    ...extra,
  });
  const open = (url: string = URL_, options: Partial<OpenOptions> = {}) =>
    openPage(url, { signal: new AbortController().signal, ...options });
  return { open, asked, clock, store };
}

const failsWith = (reason: FetchReason, httpStatus?: number) => (error: unknown) => {
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.fetch?.reason, reason);
  if (httpStatus !== undefined) assert.equal(error.fetch?.httpStatus, httpStatus);
  return true;
};

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
    const timedOut = () => Promise.reject(fetchFailed('timeout', 'late'));
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

describe('openPage for several at once and several addresses', () => {
  test('simultaneous callers share one fetch', async (t) => {
    const { open, asked } = await fixture(t, () => ({ text: '# Hello' }));
    const pages = await Promise.all([open(), open(), open(`${URL_}#x`)]);
    assert.deepEqual(
      pages.map(({ cache }) => cache),
      ['miss', 'miss', 'miss'],
    );
    assert.equal(asked.length, 1);
  });

  test('a failure is not kept', async (t) => {
    const { open } = await fixture(t, (_request, nth) => (nth === 1 ? { status: 500 } : { text: '# Up' }));
    await assert.rejects(open(), failsWith('http_status', 500));
    assert.equal((await open()).article.title, 'Up');
  });

  test('a preprint without an HTML version is read as its abstract page, and cached', async (t) => {
    const { open, asked } = await fixture(t, ({ url }) =>
      url.includes('/html/') ? { status: 404 } : { text: '# Abstract' },
    );
    const page = await open('https://arxiv.org/pdf/2301.00001');
    assert.equal(page.article.url, 'https://arxiv.org/abs/2301.00001');
    assert.equal((await open('https://arxiv.org/pdf/2301.00001.pdf')).cache, 'hit');
    assert.equal(asked.length, 2);
  });

  test('a blob page is read as its raw file', async (t) => {
    const { open, asked } = await fixture(t, () => ({
      text: 'x = 1',
      headers: { 'content-type': 'text/plain' },
    }));
    const { article } = await open('https://github.com/o/r/blob/main/a.py');
    assert.equal(asked[0]?.url, 'https://raw.githubusercontent.com/o/r/main/a.py');
    assert.equal(article.markdown, '```python\nx = 1\n```');
  });
});

describe('a redirect that ends on a blob page', () => {
  const SHORT = 'https://go.example.org/x';
  const BLOB = 'https://github.com/o/r/blob/main/a.py';
  const RAW = 'https://raw.githubusercontent.com/o/r/main/a.py';
  const redirects = [{ url: SHORT, headers: {} }];
  const code = { text: 'x = 1', headers: { 'content-type': 'text/plain' } };

  test('is read as the raw file', async (t) => {
    const { open, asked } = await fixture(t, ({ url }) =>
      url === RAW ? code : { url: BLOB, text: '# Chrome of a code host', redirects },
    );
    const { article } = await open(SHORT);
    assert.equal(article.url, RAW);
    assert.equal(article.markdown, '```python\nx = 1\n```');
    assert.deepEqual(
      asked.map(({ url }) => url),
      [SHORT, RAW],
    );
    assert.equal((await open(SHORT)).cache, 'hit');
  });

  test('is read directly when there is no raw file', async (t) => {
    for (const missing of [{ status: 404 }, { status: 500 }]) {
      const { open, asked } = await fixture(t, ({ url }) =>
        url === RAW ? missing : { url: BLOB, text: '# The page', redirects },
      );
      assert.equal((await open(SHORT)).article.title, 'The page');
      assert.equal(asked.length, 2);
    }
  });

  test('keeps the headers of the redirect: after a private one the page is not kept', async (t) => {
    const hidden = [{ url: SHORT, headers: { 'cache-control': 'private' } }];
    const { open } = await fixture(t, ({ url }) =>
      url === RAW ? code : { url: BLOB, text: '# Page', redirects: hidden },
    );
    assert.notEqual((await open(SHORT)).privacy, null);
  });

  test('keeps the headers of the blob page, and the secret in its address', async (t) => {
    for (const blob of [
      { url: BLOB, headers: { 'cache-control': 'private' } },
      { url: `${BLOB}?token=1`, headers: {} },
    ]) {
      const { open } = await fixture(t, ({ url }) =>
        url === RAW ? code : { ...blob, text: '# Page', redirects },
      );
      assert.deepEqual((await open(SHORT)).privacy?.addresses, [SHORT, blob.url]);
    }
  });

  test('a raw address that leads back is not followed again', async (t) => {
    const old = 'https://gitlab.com/g/r/blob/main/a.md';
    const { open, asked } = await fixture(t, () => ({ url: old, text: '# Page', redirects }));
    assert.equal((await open(SHORT)).article.title, 'Page');
    assert.equal(asked.length, 2);
  });

  test('nothing more is requested after a failure', async (t) => {
    const { open, asked } = await fixture(t, () => ({ url: BLOB, status: 500, redirects }));
    await assert.rejects(open(SHORT), failsWith('http_status', 500));
    assert.equal(asked.length, 1);
  });
});

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
    const late = () => Promise.reject(fetchFailed('timeout', 'late'));
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

/** Lets what is under way go on until a claim holds, within a bound. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !holds(); turn += 1)
    await new Promise((resolve) => setImmediate(resolve));
  assert.ok(holds());
}

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

describe('openPage with extras', () => {
  const html = (text: string) => ({
    text: `<html><body><main><p class="lead">${text}</p><p>${'More about it. '.repeat(40)}</p></main></body></html>`,
    headers: { 'content-type': 'text/html', etag: '"v"' },
  });
  const lead = readSelector('.lead');
  assert.ok(typeof lead === 'string');
  const extras: ExtrasWanted = {
    selection: { include: [lead], exclude: [], whole: false },
    rawHtml: true,
    html: true,
  };

  test('come from the origin, not from the cache, which keeps the article alone', async (t) => {
    const { open, asked, store } = await fixture(t, (_request, nth) => html(`Version ${nth}`));
    await open();
    const page = await open(URL_, { extras });
    assert.equal(asked[1]?.headers?.['if-none-match'], undefined);
    assert.deepEqual([page.cache, page.extras?.markdown], ['miss', 'Version 2']);
    assert.match(page.article.markdown, /^Version 2\n\nMore about it/);
    assert.equal(page.extras?.rawHtml, html('Version 2').text);
    const kept = await open();
    assert.deepEqual([kept.cache, kept.article, kept.extras], ['hit', page.article, undefined]);
    const { article } = await store.selectFrom('page_cache').select('article').executeTakeFirstOrThrow();
    assert.doesNotMatch(article, /<p class/);
  });

  test('are not joined by callers who want others', async (t) => {
    const { open, asked } = await fixture(t, () => html('One'));
    const [plain, first, second] = await Promise.all([
      open(),
      open(URL_, { extras }),
      open(URL_, { extras: { selection: null, links: 'page' } }),
    ]);
    assert.equal(asked.length, 3);
    assert.deepEqual([plain.extras, first.extras?.markdown, second.extras?.links], [undefined, 'One', []]);
  });

  test('fail with the origin, although an older copy is kept', async (t) => {
    const { open } = await fixture(t, (_request, nth) => (nth === 1 ? html('One') : { status: 500 }));
    await open();
    await assert.rejects(open(URL_, { extras }), failsWith('http_status', 500));
    await assert.rejects(open(URL_, { extras, copies: 'only' }), failsWith('not_kept'));
  });

  test('a selection without text fails', async (t) => {
    const { open } = await fixture(t, () => ({ ...html('One'), text: '<p>no lead</p>' }));
    await assert.rejects(open(URL_, { extras }), failsWith('empty'));
  });

  test('a selector that takes too much CPU time fails, and others are read meanwhile', async (t) => {
    const deep = '<div><p>x</p>'.repeat(120);
    const { open } = await fixture(t, () => ({ ...html(''), text: deep }));
    const slow = readSelector('* '.repeat(200).trim());
    assert.ok(typeof slow === 'string');
    const selection = { include: [slow], exclude: [], whole: false };
    await assert.rejects(open(URL_, { extras: { selection } }), failsWith('undecodable'));
    assert.match((await open()).article.markdown, /x/);
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
