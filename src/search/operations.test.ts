import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure, fetchFailed } from '../contract/errors.ts';
import type { Article, Page } from '../pages/article.ts';
import { extractTask } from '../pages/extract-task.ts';
import type { ExtractWorker } from '../pages/extract-worker.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import { createSingleFlight } from '../pages/single-flight.ts';
import { createBackground } from '../platform/background.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import type { Candidate, LocalSource } from '../recall/recall.ts';
import { createRecallAll } from '../recall/recall-all.ts';
import type { Reranker } from '../recall/rerank/reranker.ts';
import type { SourceItem } from '../recall/source.ts';
import type { Upstream } from '../recall/upstream/upstream-types.ts';
import { quoteAnswer } from '../text/answer/quote-answer.ts';
import { pageParts } from '../text/prune/page-parts.ts';
import { createContents } from './contents.ts';
import type { PruneWorker } from './prune-worker.ts';
import { createRead } from './read.ts';
import { createSearch } from './search.ts';
import { createSearchCache } from './search-cache.ts';
import type { SearchRequest } from './search-types.ts';

const readGiven: ExtractWorker['extract'] = async (task) => extractTask(task, 'html');
const prune: PruneWorker = async (pages, { wanted, query }) =>
  pages.map((page) => pageParts(page, wanted, query));
const signal = new AbortController().signal;

function article(url: string, markdown: string): Article {
  return {
    url,
    canonicalUrl: url,
    kind: 'html',
    title: `Title of ${url}`,
    author: null,
    site: null,
    language: 'en',
    published: { day: '2024-05-06', from: 'meta' },
    description: null,
    headings: [],
    markdown,
    links: [],
    robots: { index: true, follow: true },
    rawChars: 4_000,
  };
}

/** Opens the named pages; a Failure stands for a page that fails. */
function opener(pages: Record<string, string | Failure>): OpenPage {
  return async (url) => {
    checkUrl(url);
    const page = pages[url];
    if (page === undefined) throw fetchFailed('dns', 'no such host');
    if (page instanceof Failure) throw page;
    return { article: article(url, page), fetchedAt: 0, cache: 'miss', privacy: null };
  };
}

function checkUrl(url: string): URL {
  if (url.includes('private')) throw new Failure('url_not_allowed', 'not public');
  return new URL(url);
}

const wantText = { text: { charsMax: null }, highlights: null, pruned: null };

describe('contents', () => {
  const contents = createContents({
    checkUrl,
    openPage: opener({
      'https://a.org/': 'Text of a.',
      'https://b.org/': fetchFailed('http_status', 'gone', { httpStatus: 404 }),
      'https://c.org/': new Failure('url_not_allowed', 'redirect', {
        fetch: { reason: 'not_allowed', httpStatus: null },
      }),
    }),
    prune,
  });

  test('a URL that fails is a status and the others go on, in order', async () => {
    const { results, statuses } = await contents({
      urls: ['https://b.org/', 'https://a.org/'],
      wanted: wantText,
      signal,
    });
    assert.deepEqual(
      results.map(({ id, text }) => [id, text]),
      [['https://a.org/', 'Text of a.']],
    );
    assert.deepEqual(statuses, [
      { ok: false, id: 'https://b.org/', reason: 'http_status', httpStatus: 404, message: 'gone' },
      { ok: true, id: 'https://a.org/', cache: 'miss' },
    ]);
  });

  test('one address that is not public refuses the whole call before anything is fetched', async () => {
    await assert.rejects(
      contents({ urls: ['https://a.org/', 'https://private/'], wanted: wantText, signal }),
      { code: 'url_not_allowed' },
    );
  });

  test('a page that is not open in time has failed, and the others are dressed', async () => {
    const slow = createContents({
      checkUrl,
      openPage: (url, options) =>
        url === 'https://a.org/'
          ? opener({ [url]: 'Text of a.' })(url, options)
          : createSingleFlight<Page>(() => true).join(url, options.signal, () => new Promise(() => {})),
      prune,
    });
    const { results, statuses } = await slow({
      urls: ['https://slow.org/', 'https://a.org/'],
      wanted: wantText,
      openMs: 1,
      signal,
    });
    assert.deepEqual(
      results.map(({ text }) => text),
      ['Text of a.'],
    );
    assert.partialDeepStrictEqual(statuses[0], { ok: false, reason: 'aborted' });
  });

  test('a page that is not cut in time has failed, and the others are answered', async () => {
    const late = new AbortController();
    const slow = createContents({
      checkUrl,
      openPage: opener({ 'https://a.org/': 'Text of a.', 'https://b.org/': 'Slow text.' }),
      prune: async (pages, task, until) => {
        if (pages[0]?.markdown !== 'Slow text.') return prune(pages, task, until);
        return new Promise((_, reject) => {
          until.addEventListener('abort', () => reject(until.reason));
          late.abort(fetchFailed('timeout', 'The page took too long.'));
        });
      },
    });
    const urls = ['https://b.org/', 'https://a.org/'];
    const { results, statuses } = await slow({ urls, wanted: wantText, signal: late.signal });
    assert.deepEqual(
      results.map(({ text }) => text),
      ['Text of a.'],
    );
    assert.partialDeepStrictEqual(statuses, [{ ok: false, reason: 'timeout' }, { ok: true }]);
  });

  test('a page that finds no thread has failed, and the others are answered', async () => {
    const full = createContents({
      checkUrl,
      openPage: opener({ 'https://a.org/': 'Text of a.', 'https://b.org/': 'Refused.' }),
      prune: async (pages, task, until) => {
        if (pages[0]?.markdown === 'Refused.') throw new Failure('overloaded', 'full');
        return prune(pages, task, until);
      },
    });
    const urls = ['https://b.org/', 'https://a.org/'];
    const { results, statuses } = await full({ urls, wanted: wantText, signal });
    assert.equal(results.length, 1);
    assert.partialDeepStrictEqual(statuses, [{ ok: false, reason: 'overloaded' }, { ok: true }]);
  });

  test('how pages are opened is handed on', async () => {
    const opened: object[] = [];
    const watched = createContents({
      checkUrl,
      openPage: (url, { signal: _, ...opening }) => {
        opened.push(opening);
        return opener({ [url]: 'x' })(url, { signal });
      },
      prune,
    });
    const opening = { freshMs: 0, copies: 'never', timeoutMs: 5 } as const;
    await watched({
      urls: ['https://a.org/'],
      wanted: wantText,
      opening,
      signal,
      tenant: 'key 1',
      keep: false,
    });
    assert.deepEqual(opened, [{ ...opening, tenant: 'key 1', keep: false }]);
  });

  test('where each fails alone, one address that is not public is a status among several', async () => {
    const each = { wanted: wantText, eachAlone: true, signal } as const;
    const { results, statuses } = await contents({ ...each, urls: ['https://private/', 'https://a.org/'] });
    assert.partialDeepStrictEqual(statuses[0], { ok: false, reason: 'not_allowed' });
    assert.equal(results.length, 1);
    await assert.rejects(contents({ ...each, urls: ['https://private/'] }), { code: 'url_not_allowed' });
  });

  test('a redirect to a private address refuses a call of one URL and is a status among several', async () => {
    await assert.rejects(contents({ urls: ['https://c.org/'], wanted: wantText, signal }), {
      code: 'url_not_allowed',
    });
    const { statuses } = await contents({
      urls: ['https://a.org/', 'https://c.org/'],
      wanted: wantText,
      signal,
    });
    assert.partialDeepStrictEqual(statuses[1], { ok: false, reason: 'not_allowed' });
  });
});

describe('read', () => {
  const long = Array.from(
    { length: 30 },
    (_, n) => `## Part ${n}\n\n${`Words about matter number ${n} fill this part. `.repeat(10)}`,
  ).join('\n\n');
  const pages = {
    'https://a.org/': `${long}\n\n## Tides\n\n${'The tide turns twice a day at this coast. '.repeat(10)}`,
  };
  const read = createRead({
    openPage: opener(pages),
    prune,
    extract: { extract: readGiven },
    clock: systemClock,
  });

  test('without a question the savings are against the source', async () => {
    const answer = await read({ url: 'https://a.org/', question: null, signal });
    assert.equal(answer.rawTokens, 1_000);
    assert.equal(answer.outputTokens, Math.ceil(answer.markdown.length / 4));
  });

  test('with a question the page is pruned to what is relevant', async () => {
    const answer = await read({ url: 'https://a.org/', question: 'When does the tide turn?', signal });
    assert.match(answer.markdown, /The tide turns twice a day/);
    assert.ok(answer.markdown.length < long.length / 5);
    assert.ok(answer.savingsPercent > 80);
  });
});

describe('search', () => {
  const candidate = (url: string, score: number): Candidate => ({
    url,
    title: url,
    snippet: `snippet of ${url}`,
    publishedDay: null,
    score,
    source: 'index',
  });
  const found = [
    candidate('https://a.org/', 0.9),
    candidate('http://www.a.org/index.html', 0.8),
    candidate('https://b.org/', 0.7),
    candidate('https://badb.org/', 0.6),
  ];
  let asked = 0;
  let version = '1';
  const index: LocalSource = {
    name: 'index',
    version: async () => version,
    async find() {
      asked += 1;
      return { found, irrelevant: 2 };
    },
  };
  const down: LocalSource = { name: 'index', find: () => Promise.reject(new Error('refused')) };
  const request: SearchRequest = {
    query: 'waders',
    numResults: 10,
    includeDomains: [],
    excludeDomains: [],
    publishedFrom: null,
    publishedTo: null,
    contents: null,
    signal,
  };
  const clock = { now: () => 0 };
  const background = createBackground(createLog('silent'));
  const someOpen = opener({ 'https://a.org/': 'Text of a.', 'https://dated.org/': 'Text with a date.' });
  const searchOver = (
    own: LocalSource,
    upstreams: Upstream[] = [],
    openPage = someOpen,
    reranker: Reranker | null = null,
  ): ReturnType<typeof createSearch> =>
    createSearch({
      recall: createRecallAll({ local: own, upstreams, clock, background }),
      openPage,
      prune,
      quote: async ({ query, pages }) => quoteAnswer(query, pages),
      cache: createSearchCache({ sources: [own], clock }),
      clock,
      reranker,
    });
  /** A source of the whole web that answers one list per page. */
  const web = (pages: SourceItem[][] | null, mayBeCached = true): Upstream => ({
    name: 'web',
    scope: 'web',
    mayBeCached,
    fitOf: () => 1,
    isWaitedFor: () => true,
    isClosed: () => true,
    markSlow: () => {},
    ask: async ({ page }) =>
      pages === null
        ? { ok: false, error: 'failed', detail: 'down' }
        : { ok: true, items: pages[page] ?? [], cache: 'miss' },
    kept: () => null,
    reading: () => assert.fail('not read here'),
  });
  const item = (url: string, publishedDay: string | null = null): SourceItem => ({
    url,
    title: `Waders at ${url}`,
    snippet: '',
    publishedDay,
  });

  test('one page under two spellings is one result', async () => {
    const { results } = await searchOver(index)(request);
    assert.deepEqual(
      results.map(({ url }) => url),
      ['https://a.org/', 'https://b.org/', 'https://badb.org/'],
    );
    assert.ok(results.every((result) => !('text' in result)));
  });

  test('a model judges results beyond those wanted, and its best comes first', async () => {
    const liked = 'https://badb.org/';
    const reranker: Reranker = {
      judge: async (_, passages) => passages.map((passage) => (passage.includes(liked) ? 1 : 0)),
      close: async () => {},
    };
    const search = searchOver(index, [], someOpen, reranker);
    const { results } = await search({ ...request, numResults: 1 });
    assert.deepEqual(
      results.map(({ url }) => url),
      [liked],
    );
  });

  test('a page of the index that says the answer passes one that does not, unless a model has ordered them', async () => {
    const says = 'Waders are birds that find their food at the edge of the water.';
    const pages = opener({ 'https://a.org/': 'Text of a.', 'https://b.org/': says });
    const reranker: Reranker = {
      judge: async (_, { length }) => new Array(length).fill(0),
      close: async () => {},
    };
    const wanted = { text: null, highlights: { query: null, perUrl: 1, charsMax: null }, pruned: null };
    const firstOf = async (model: Reranker | null): Promise<string | undefined> => {
      const asked = { ...request, query: 'what are waders', contents: wanted };
      return (await searchOver(index, [], pages, model)(asked)).results[0]?.url;
    };
    assert.equal(await firstOf(null), 'https://b.org/');
    assert.equal(await firstOf(reranker), 'https://a.org/');
  });

  test('who says how fresh pages must be gets no answer of minutes ago', async () => {
    const search = searchOver(index);
    assert.equal((await search(request)).cache, 'miss');
    assert.equal((await search(request)).cache, 'hit');
    const fresh = { ...request, contents: wantText, opening: { freshMs: 0 } };
    assert.deepEqual([(await search(fresh)).cache, (await search(fresh)).cache], ['miss', 'miss']);
    const kept = { ...request, contents: wantText, opening: { copies: 'only' } } as const;
    assert.deepEqual([(await search(kept)).cache, (await search(kept)).cache], ['miss', 'hit']);
  });

  test('an answer for which a private page was opened is kept for nobody', async () => {
    const openPrivate: OpenPage = async (url, options) => {
      const page = await opener({ [url]: 'Waders in private.' })(url, options);
      return { ...page, privacy: { reason: 'private', addresses: [url] } };
    };
    const search = searchOver(index, [], openPrivate);
    for (const parts of [{ contents: wantText }, { answer: true }, { publishedFrom: '2020-01-01' }]) {
      const wanted = { ...request, ...parts };
      assert.deepEqual([(await search(wanted)).cache, (await search(wanted)).cache], ['miss', 'miss']);
    }
    assert.deepEqual([(await search(request)).cache, (await search(request)).cache], ['miss', 'hit']);
  });

  test('how the pages of results are opened is handed on; their time is at most that of a search', async () => {
    const opened: object[] = [];
    const open: OpenPage = (url, { signal: _, ...opening }) => {
      opened.push(opening);
      return opener({ [url]: 'x' })(url, { signal });
    };
    const search = searchOver(index, [], open);
    const wanted = { ...request, numResults: 1, contents: wantText, tenant: 'key 1', keep: false };
    await search({ ...wanted, opening: { freshMs: 0, copies: 'never', timeoutMs: 5 } });
    await search({ ...wanted, opening: { timeoutMs: 15_000 } });
    assert.deepEqual(opened, [
      { tenant: 'key 1', keep: false, freshMs: 0, copies: 'never', timeoutMs: 5 },
      { tenant: 'key 1', keep: false, timeoutMs: 3_000 },
    ]);
  });

  test('no source can bring a page past the filters', async () => {
    const { results } = await searchOver(index)({ ...request, includeDomains: ['b.org'] });
    assert.deepEqual(
      results.map(({ url }) => url),
      ['https://b.org/'],
    );
  });

  test('a page that cannot be opened keeps its place with the snippet as text', async () => {
    const { results, tokens } = await searchOver(index)({ ...request, contents: wantText });
    assert.deepEqual(
      results.map(({ text }) => text),
      ['Text of a.', 'snippet of https://b.org/', 'snippet of https://badb.org/'],
    );
    assert.equal(tokens.raw, 1_000);
  });

  test('one source that fails is told and the other answers; when all fail nothing is found out', async () => {
    const { results, sources } = await searchOver(down, [web([[item('https://w.org/')]])])(request);
    assert.deepEqual(
      results.map(({ url }) => url),
      ['https://w.org/'],
    );
    assert.partialDeepStrictEqual(sources, { index: { ok: false, error: 'failed' }, web: { ok: true } });
    await assert.rejects(searchOver(down)(request), { code: 'recall_unavailable' });
    await assert.rejects(searchOver(down, [web(null)])(request), { code: 'recall_unavailable' });
  });

  test('an empty index beside sources that fail knows nothing, one that holds pages answers', async () => {
    const holding = (isEmpty: boolean): LocalSource => ({
      name: 'index',
      find: async () => ({ found: [], irrelevant: 0 }),
      isEmpty: async () => isEmpty,
    });
    await assert.rejects(searchOver(holding(true), [web(null)])(request), {
      code: 'recall_unavailable',
      message: /local index holds no pages yet/,
    });
    const knowing = await searchOver(holding(false), [web(null)])(request);
    assert.deepEqual(knowing.results, []);
    assert.ok(!JSON.stringify(knowing.sources.index).includes('note'));
    // Nobody else was asked, or somebody else said that there is nothing: then that is the answer, and it says why.
    for (const others of [[], [web([])]]) {
      const { results, sources } = await searchOver(holding(true), others)(request);
      assert.deepEqual(results, []);
      assert.match(JSON.stringify(sources.index), /"note":"the local index holds no pages yet/);
    }
  });

  test('the index alone keeps its order and its scores, whatever the words of its titles', async () => {
    const { results } = await searchOver(index, [web([])])(request);
    assert.deepEqual(
      results.map(({ score }) => score),
      [0.9, 0.7, 0.6],
    );
  });

  test('says how many pages of the index were left out because they are unlikely to be relevant', async () => {
    const { sources } = await searchOver(index)({ ...request, query: 'waders of the coast' });
    assert.partialDeepStrictEqual(sources.index, { ok: true, irrelevant: 2 });
  });

  test('says how many results of a specialised source were left out because they are unlikely to be relevant', async () => {
    const named = (url: string, title: string): SourceItem => ({ ...item(url), title });
    const pages = [
      [named('https://w.org/', 'Waders of the coast'), named('https://x.org/', 'Make a directory')],
    ];
    const asked = { ...request, query: 'waders of the coast' };
    const packages: Upstream = { ...web(pages), name: 'npm', scope: 'field' };
    const { results, sources } = await searchOver(index, [packages])(asked);
    assert.ok(!results.some(({ url }) => url === 'https://x.org/'));
    assert.partialDeepStrictEqual(sources.npm, { ok: true, irrelevant: 1 });
  });

  test('filters say what they kept out, and the sources are asked once for what comes next', async () => {
    const pages = [[item('https://other.org/1'), item('https://b.org/1')], [item('https://b.org/2')]];
    const { results, filters, timingsMs } = await searchOver(index, [web(pages)])({
      ...request,
      includeDomains: ['b.org'],
    });
    assert.deepEqual(results.map(({ url }) => url).sort(), [
      'https://b.org/',
      'https://b.org/1',
      'https://b.org/2',
    ]);
    assert.deepEqual(filters, { includeDomains: { removed: 3 } });
    assert.ok('recallAgain' in timingsMs);
  });

  test('pages without a date are opened for one when a date filter leaves too few', async () => {
    const pages = [
      [
        item('https://dated.org/'),
        item('https://late.org/', '2025-01-01'),
        item('https://x.org/', '2024-05-01'),
      ],
    ];
    const { results, filters } = await searchOver(index, [web(pages)])({
      ...request,
      publishedFrom: '2024-05-01',
      publishedTo: '2024-12-31',
    });
    const days = Object.fromEntries(results.map(({ url, publishedDay }) => [url, publishedDay]));
    assert.deepEqual(days, {
      'https://a.org/': '2024-05-06',
      'https://dated.org/': '2024-05-06',
      'https://x.org/': '2024-05-01',
    });
    assert.deepEqual(filters, { publishedDate: { removed: 3, opened: 4 } });
  });

  test('what a source does not let us keep is asked for again', async () => {
    const keeping = searchOver(index, [web([[item('https://w.org/')]])]);
    await keeping(request);
    assert.equal((await keeping(request)).cache, 'hit');
    const strict = searchOver(index, [web([[item('https://w.org/')]], false)]);
    await strict(request);
    assert.equal((await strict(request)).cache, 'miss');
  });

  test('what a source said next that may not be kept, or what is missing of it, is not kept either', async () => {
    const filtered = { ...request, includeDomains: ['b.org'] };
    const first = web([[item('https://other.org/1')], [item('https://b.org/1')]]);
    const only = (second: Upstream): ReturnType<typeof createSearch> => searchOver(index, [first, second]);
    const silent = only({ ...web([[], [item('https://b.org/2')]], false), name: 'second' });
    await silent(filtered);
    assert.equal((await silent(filtered)).cache, 'miss');
    const lame = only({
      ...first,
      name: 'second',
      ask: async ({ page }) =>
        page === 0 ? { ok: true, items: [], cache: 'miss' } : { ok: false, error: 'failed', detail: 'down' },
    });
    await lame(filtered);
    assert.equal((await lame(filtered)).cache, 'miss');
    const whole = only({ ...web([[], [item('https://b.org/2')]]), name: 'second' });
    await whole(filtered);
    assert.equal((await whole(filtered)).cache, 'hit');
  });

  test('the same search is a hit until a source changes, and a search that lacked a source is asked anew', async () => {
    const search = searchOver(index);
    asked = 0;
    assert.equal((await search(request)).cache, 'miss');
    assert.equal((await search(request)).cache, 'hit');
    assert.equal((await search({ ...request, numResults: 1 })).cache, 'miss');
    assert.equal((await search({ ...request, answer: true })).cache, 'miss');
    version = '2';
    assert.equal((await search(request)).cache, 'miss');
    assert.equal(asked, 4);
    const lame = searchOver(index, [web(null)]);
    await lame(request);
    assert.equal((await lame(request)).cache, 'miss');
  });
});
