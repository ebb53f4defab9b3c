import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { Failure } from '../../src/contract/errors.ts';
import { EXTRA_FETCHES_MAX } from '../../src/pages/alternates/choose-alternates.ts';
import { createAlternates, createReadAlternate } from '../../src/pages/alternates/read-alternates.ts';
import { ALL_SITES } from '../../src/pages/alternates/sites/all-sites.ts';
import { createExtractWorker } from '../../src/pages/extract-worker.ts';
import { createOpenPage } from '../../src/pages/open-page.ts';
import type { OpenOptions } from '../../src/pages/open-page-types.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { openStore } from '../../src/platform/store/open-store.ts';
import { POOL_LIMITS } from '../../src/platform/threads/pool-limits.ts';
import { createTaskPool } from '../../src/platform/threads/task-pool.ts';
import { PACKAGE_RECORDINGS } from './ways/package-recordings.ts';
import { POST_RECORDINGS } from './ways/post-recordings.ts';
import { BOT_CHECK, SHELL } from './ways/recording.ts';

const RECORDINGS = { ...PACKAGE_RECORDINGS, ...POST_RECORDINGS };

const pool = createTaskPool({ ...POOL_LIMITS, threads: 1, pageThreads: 1 });
const extract = createExtractWorker(pool, systemClock);
after(() => pool.close());

type Answer = { status?: number; type?: string; body: unknown; headers?: Record<string, string> };
type Web = Record<string, Answer>;

const MORE = 'The page as Markdown, which has more to say than the page shows without its scripts.';

/** A web of the given addresses; others answer 404. */
async function webOf(t: TestContext, web: Web, { refused = [] as string[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ways-'));
  const store = await openStore(folder);
  t.after(async () => {
    await store.destroy();
    rmSync(folder, { recursive: true });
  });
  const asked: string[] = [];
  // After everything that the recordings date.
  const clock = { at: 1_800_000_000_000, now: (): number => clock.at };
  const log = createLog('silent');
  const checkUrl = (url: string): URL => {
    const parsed = new URL(url);
    if (parsed.hostname === '10.0.0.1') throw new Failure('url_not_allowed', 'not public');
    return parsed;
  };
  const fetch = async ({ url }: { url: string }) => {
    asked.push(url);
    const { status = 200, type, body, headers = {} } = web[url] ?? { status: 404, body: '' };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const usual = typeof body === 'string' ? 'text/html' : 'application/json';
    return {
      url,
      status,
      redirects: [],
      headers: { 'content-type': type ?? usual, ...headers },
      body: new Uint8Array(new TextEncoder().encode(text)),
    };
  };
  const mayFetch = async (url: string): Promise<boolean> => !refused.includes(url);
  const alternates = createAlternates({
    fetch,
    checkUrl,
    mayFetch,
    readWay: createReadAlternate(pool, clock),
    log,
  });
  const openPage = createOpenPage({ fetch, checkUrl, store, extract, clock, log, alternates });
  const open = (url: string, options: Partial<OpenOptions> = {}) =>
    openPage(url, { signal: new AbortController().signal, ...options });
  return { open, asked, clock };
}

describe('public interfaces', () => {
  test('every site has a recording', () => {
    assert.deepEqual(Object.keys(RECORDINGS).sort(), ALL_SITES.map(({ name }) => name).sort());
  });

  for (const [name, recording] of Object.entries(RECORDINGS))
    test(name, async (t) => {
      const { page, own, answers, lines, title, author, published } = recording;
      const { open, asked } = await webOf(t, { ...answers, ...(own === undefined ? {} : { [page]: own }) });
      const { article, privacy } = await open(page);
      assert.equal(article.readRoute, 'api');
      assert.deepEqual(
        [article.url, article.title, article.author, article.published?.day ?? null, privacy],
        [page, title, author, published, null],
      );
      let from = 0;
      for (const line of lines) {
        const at = article.markdown.indexOf(line, from);
        assert.ok(at !== -1, `"${line}" is missing after ${from} in:\n${article.markdown}`);
        from = at + 1;
      }
      assert.ok(!article.markdown.includes('alert('));
      const extra = asked.filter((url) => url !== page);
      assert.deepEqual(extra, Object.keys(answers));
      assert.equal(asked.includes(page), own !== undefined);
      assert.ok(extra.length <= EXTRA_FETCHES_MAX);
    });

  test('a preferred interface that fails leaves the page to its own address', async (t) => {
    const page = 'https://crates.io/crates/tidal';
    const { open } = await webOf(t, { [page]: { body: `<main><h1>tidal</h1><p>${MORE}</p></main>` } });
    assert.equal((await open(page)).article.readRoute, 'html');
  });

  test('an answer without the second one is enough', async (t) => {
    const { page, answers } = RECORDINGS.npm ?? assert.fail();
    const [[first, answer] = assert.fail()] = Object.entries(answers);
    const { open } = await webOf(t, { [first]: answer });
    assert.match((await open(page)).article.markdown, /Version: 2\.1\.0/);
  });
});

const PAGE = 'https://docs.example.org/guide/start';
const TWIN = { type: 'text/markdown', body: `# Start\n\n${MORE} See [next](next).` };
const shell = (head: string): Answer => ({ body: SHELL.replace('</head>', `${head}</head>`) });

describe('twins', () => {
  const places: [name: string, web: Web, link: string][] = [
    [
      'declared',
      {
        [PAGE]: shell('<link rel="alternate" type="text/markdown" href="/raw/start.md">'),
        'https://docs.example.org/raw/start.md': TWIN,
      },
      'https://docs.example.org/raw/next',
    ],
    ['beside the page', { [PAGE]: shell(''), [`${PAGE}.md`]: TWIN }, 'https://docs.example.org/guide/next'],
    [
      'beside a page of a refused type',
      { [PAGE]: { type: 'application/zip', body: 'PK\u0005\u0006' }, [`${PAGE}.md`]: TWIN },
      'https://docs.example.org/guide/next',
    ],
    [
      'a section of llms-full.txt',
      {
        [PAGE]: shell(''),
        'https://docs.example.org/llms-full.txt': {
          type: 'text/plain',
          body: `# Intro\nSource: https://docs.example.org/guide\n\nOther text.\n\n# Start\nSource: ${PAGE}\n\n${MORE} See [next](next).\n\n\`\`\`sh\n# a comment\n\`\`\`\n\n# Next\nSource: https://docs.example.org/guide/next\n\nNot this.\n`,
        },
      },
      'https://docs.example.org/next',
    ],
  ];
  for (const [name, web, link] of places)
    test(name, async (t) => {
      const { open, asked } = await webOf(t, web);
      const { article } = await open(PAGE);
      assert.equal(article.readRoute, 'twin');
      assert.deepEqual([article.title, article.url], ['Start', PAGE]);
      assert.ok(article.markdown.includes(`[next](${link})`), article.markdown);
      assert.doesNotMatch(article.markdown, /Not this|Other text|Source:/);
      assert.ok(asked.length <= 1 + EXTRA_FETCHES_MAX);
    });

  test('llms.txt stands for the front page', async (t) => {
    const { open } = await webOf(t, {
      'https://docs.example.org/': shell(''),
      'https://docs.example.org/llms.txt': { ...TWIN, type: 'text/plain' },
    });
    assert.match((await open('https://docs.example.org/')).article.markdown, /which has more to say/);
  });

  test('what the page says of itself stays', async (t) => {
    const { open } = await webOf(t, {
      [PAGE]: shell('<meta name="author" content="Ada Marsh"><meta property="og:site_name" content="Docs">'),
      [`${PAGE}.md`]: TWIN,
    });
    const { author, site } = (await open(PAGE)).article;
    assert.deepEqual([author, site], ['Ada Marsh', 'Docs']);
  });
});

test('oEmbed says what a page embeds, declared or by its provider', async (t) => {
  const answer = {
    type: 'video',
    title: 'Tides explained',
    author_name: 'Ada Marsh',
    provider_name: 'YouTube',
    author_url: 'https://www.youtube.com/@ada',
    thumbnail_url: 'https://i.ytimg.com/vi/x/hqdefault.jpg',
    html: '<iframe width="200" height="113" src="https://www.youtube.com/embed/abc?feature=oembed" title="Tides explained"></iframe>',
  };
  const page = 'https://www.youtube.com/watch?v=abc';
  const address = `https://www.youtube.com/oembed?format=json&url=${encodeURIComponent(page)}`;
  const declared = `<link rel="alternate" type="application/json+oembed" href="https://docs.example.org/oembed?x=1">`;
  const { open } = await webOf(t, {
    [page]: { body: SHELL },
    [address]: { body: answer },
    [PAGE]: shell(declared),
    'https://docs.example.org/oembed?x=1': { body: answer },
  });
  for (const url of [page, PAGE]) {
    const { article } = await open(url);
    assert.equal(article.readRoute, 'oembed');
    assert.deepEqual(
      [article.title, article.author, article.image],
      ['Tides explained', 'Ada Marsh', answer.thumbnail_url],
    );
    assert.match(article.markdown, /Tides explained[\s\S]*youtube\.com\/(?:embed|watch)/);
  }
});

describe('nothing gets worse', () => {
  const good = { body: `<main><h1>Start</h1><p>${MORE.repeat(8)}</p></main>` };
  const never: [name: string, page: Answer, options?: Partial<OpenOptions>][] = [
    ['a page that has its text', good],
    ['a page that is gone', { status: 404, body: '<h1>Not found</h1>' }],
    ['a failing server', { status: 500, body: 'broken' }],
    ['a bot check', { status: 403, body: BOT_CHECK }],
    ["a caller's own headers", { body: SHELL }, { headers: { cookie: 'a=b' } }],
    ['extras are wanted', { body: SHELL }, { extras: { links: 5 } as never }],
    ['a crawler', { body: SHELL }, { elsewhere: false }],
  ];
  for (const [name, page, options] of never)
    test(`no twin is asked for: ${name}`, async (t) => {
      const { open, asked } = await webOf(t, { [PAGE]: page, [`${PAGE}.md`]: TWIN });
      await open(PAGE, options).catch((error: unknown) => assert.ok(error instanceof Failure));
      assert.deepEqual(asked, [PAGE]);
    });

  test('an address with a secret is asked for alone', async (t) => {
    const secret = `${PAGE}?token=9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c`;
    const { open, asked } = await webOf(t, { [secret]: { body: SHELL } });
    await open(secret).catch(() => {});
    assert.deepEqual(asked, [secret]);
  });

  test('robots.txt refuses a way', async (t) => {
    const { open, asked } = await webOf(
      t,
      { [PAGE]: shell(''), [`${PAGE}.md`]: TWIN },
      {
        refused: [`${PAGE}.md`, 'https://docs.example.org/llms-full.txt'],
      },
    );
    await assert.rejects(open(PAGE));
    assert.deepEqual(asked, [PAGE]);
  });

  test('HTML where the twin should be is no twin, and a shorter text none either', async (t) => {
    const { open } = await webOf(t, {
      [PAGE]: { body: `<body><p>${MORE}</p><div id="app"></div></body>` },
      [`${PAGE}.md`]: { body: SHELL },
      'https://docs.example.org/llms-full.txt': {
        type: 'text/plain',
        body: `# Start\nSource: ${PAGE}\n\nShort.`,
      },
    });
    assert.equal((await open(PAGE)).article.readRoute, 'html');
  });

  test('an address that is not public is not asked for', async (t) => {
    const { open, asked } = await webOf(t, {
      [PAGE]: shell('<link rel="alternate" type="text/markdown" href="http://10.0.0.1/secret.md">'),
    });
    await open(PAGE).catch(() => {});
    assert.ok(!asked.some((url) => url.includes('10.0.0.1')), asked.join(' '));
  });

  test('what stands for a private page is as private', async (t) => {
    const { open, asked } = await webOf(t, {
      [PAGE]: { ...shell(''), headers: { 'cache-control': 'private' } },
      [`${PAGE}.md`]: TWIN,
    });
    const page = await open(PAGE);
    assert.deepEqual([page.article.readRoute, page.privacy?.reason], ['twin', 'private']);
    await open(PAGE);
    assert.equal(asked.filter((url) => url === PAGE).length, 2);
  });

  test('the kept copy names its route, and is fetched anew when it is old', async (t) => {
    const { open, asked, clock } = await webOf(t, {
      [PAGE]: { ...shell(''), headers: { etag: '"shell"' } },
      [`${PAGE}.md`]: TWIN,
    });
    await open(PAGE);
    const kept = await open(PAGE);
    assert.deepEqual([kept.cache, kept.article.readRoute, asked.length], ['hit', 'twin', 2]);
    clock.at += 2 * 3_600_000;
    assert.deepEqual([(await open(PAGE)).cache, asked.length], ['miss', 4]);
  });
});
