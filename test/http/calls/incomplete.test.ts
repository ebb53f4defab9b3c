import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../../../src/contract/errors.ts';
import type { OpenPage } from '../../../src/pages/open-page-types.ts';
import { createBackground } from '../../../src/platform/background.ts';
import { createLog } from '../../../src/platform/log.ts';
import { type TaskPool, TaskStarved, TaskTimedOut } from '../../../src/platform/threads/task-pool.ts';
import type { LocalSource } from '../../../src/recall/recall.ts';
import { createRecallAll } from '../../../src/recall/recall-all.ts';
import type { Reranker } from '../../../src/recall/rerank/reranker.ts';
import { createContents } from '../../../src/search/contents.ts';
import type { LatePart } from '../../../src/search/late-parts.ts';
import { createPruneWorker } from '../../../src/search/prune-worker.ts';
import { createQuoteWorker } from '../../../src/search/quote-worker.ts';
import { createRead } from '../../../src/search/read.ts';
import { createSearch } from '../../../src/search/search.ts';
import { createSearchCache } from '../../../src/search/search-cache.ts';
import { createSimilar } from '../../../src/search/similar.ts';
import { checkUrl, opener } from '../../fixtures/unit-tests/given-pages.ts';
import { item, web } from '../../fixtures/unit-tests/search-fixture.ts';
import type { Answered, Served } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from './charged-service.ts';

/** Every limit of time that an operation has, each driven to zero by a test. */
type Limit = 'threads' | 'full queue' | 'pages' | 'local index' | 'queue of the index' | 'model';

const late = new Set<Limit>();

/** Runs tasks on this thread, or fails as the pool does when it gives a task no time or has no room. */
const pool: Pick<TaskPool, 'run'> = {
  async run({ module, name }, args) {
    if (late.has('full queue')) throw new Failure('overloaded', 'too many wait');
    if (late.has('threads')) throw name === 'quoteAnswer' ? new TaskTimedOut() : new TaskStarved();
    const loaded = (await import(module.href)) as Record<string, (...args: unknown[]) => never>;
    return loaded[name]?.(...args) as never;
  },
};

const URL_A = 'https://a.org/';
const URL_B = 'https://b.org/';
const SAYS = 'The sanderling breeds in the high Arctic tundra of Greenland and Siberia.';
const QUESTION = 'Where does the sanderling breed?';
const pages = opener({
  [URL_A]: `# Sanderling\n\n${SAYS}`,
  [URL_B]: '# Knot\n\nThe knot is a wader of the coast.',
});
const openPage: OpenPage = async (url, options) => {
  // What a search opens for its results has less time than a page that is asked for.
  if (late.has('pages') && options.timeoutMs !== undefined) throw createFetchFailure('timeout', 'too late');
  return pages(url, options);
};

const background = createBackground(createLog('silent'));
const clock = { now: () => 0 };
const index: LocalSource = {
  name: 'index',
  async find({ signal }) {
    if (late.has('queue of the index')) throw new Failure('overloaded', 'too many searches');
    if (late.has('local index'))
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return [URL_A, URL_B].map((url, place) => ({
      url,
      title: 'Sanderling',
      snippet: 'A snippet.',
      publishedDay: null,
      source: 'index',
      score: 0.9 - place / 10,
    }));
  },
};
const upstream = web([[item(URL_A), item(URL_B)]]);
const reranker: Reranker = {
  judge: async (_, passages) => (late.has('model') ? null : passages.map(() => 0.5)),
  compareTokens: async () => null,
  close: async () => {},
};
const recall = createRecallAll({
  local: index,
  upstreams: [upstream],
  background,
  limits: { softMs: 0 },
});
const prune = createPruneWorker(pool);
const parts = { openPage, prune, recall, clock };

function operations() {
  const cache = createSearchCache({ sources: [index], clock });
  return {
    search: createSearch({
      ...parts,
      openHeld: openPage,
      openAsOf: openPage,
      quote: createQuoteWorker(pool, null),
      cache,
      reranker,
    }),
    similar: createSimilar({
      ...parts,
      frequencies: async () => ({ pages: 0, frequencies: new Map() }),
    }),
    contents: createContents({ ...parts, checkUrl, reranker: null }),
    read: createRead({ ...parts, extract: { extract: () => assert.fail('nothing is given') } }),
  };
}

type Sending = (served: Served, key: Record<string, string>) => Promise<Answered>;
const post =
  (path: string, body: object): Sending =>
  (served, key) =>
    served.post(path, body, key);
const get =
  (path: string, headers = {}): Sending =>
  (served, key) =>
    served.get(path, { ...key, ...headers });

/** One call, what it names as incomplete under a limit, and what it then costs; `whole`: what it costs otherwise. */
type Case = { name: string; send: Sending; named: LatePart[]; cost: number; whole: number; field?: true };

const searches = (named: LatePart[], { answers = named }: { answers?: LatePart[] } = {}): Case[] => {
  const one = (name: string, send: Sending, own: LatePart[] = named): Case => ({
    name,
    send,
    named: own,
    cost: 1,
    whole: 1,
  });
  const contents = { text: true, highlights: true, prunedContext: true, summary: true };
  const all: LatePart[] = named.includes('highlights') ? ['highlights', 'prunedContext', 'summary'] : named;
  return [
    { ...one('/v1/search', post('/v1/search', { query: QUESTION, contents }), all), field: true },
    one('/shapeB/search', post('/shapeB/search', { query: QUESTION })),
    one('/shapeB/search with an answer', post('/shapeB/search', { query: QUESTION, include_answer: true }), [
      ...new Set([...named, ...answers]),
    ]),
    one('/searxng/search', get('/searxng/search?q=sanderling&format=json')),
    one('/searxng/search as RSS', get('/searxng/search?q=sanderling&format=rss')),
    one('/s', get('/s/sanderling')),
    one('/openwebui/search', post('/openwebui/search', { query: QUESTION })),
    one('/pplx/search', post('/pplx/search', { query: QUESTION })),
    one(
      '/linkup/v1/search',
      post('/linkup/v1/search', { q: QUESTION, depth: 'deep', outputType: 'searchResults' }),
    ),
    one('/res/v1/web/search', get('/res/v1/web/search?q=sanderling')),
    one('/res/v1/llm/context', get('/res/v1/llm/context?q=sanderling')),
    one('/v2/search', post('/v2/search', { query: QUESTION })),
    one('/firecrawl/v1/search', post('/firecrawl/v1/search', { query: QUESTION })),
  ];
};

const CASES: Record<Limit, Case[]> = {
  threads: [...searches(['highlights'], { answers: ['answer'] }), ...pagesWithoutThreads()],
  'full queue': [...searches(['highlights'], { answers: ['answer'] }), ...pagesWithoutThreads()],
  pages: [
    ...searches(['pages'], { answers: ['answer'] }).filter(
      ({ name }) => !/^\/(?:v2|firecrawl\/v1)\/search$/.test(name),
    ),
    {
      name: '/v1/findSimilar',
      named: ['pages'],
      cost: 1,
      whole: 1,
      field: true,
      send: post('/v1/findSimilar', { url: URL_A, contents: { text: true } }),
    },
  ],
  'local index': searches(['results']),
  'queue of the index': [
    ...searches(['results']),
    {
      name: '/v1/findSimilar',
      named: ['results'],
      cost: 1,
      whole: 1,
      field: true,
      send: post('/v1/findSimilar', { url: URL_A }),
    },
  ],
  model: searches(['ranking']),
};

function pagesWithoutThreads(): Case[] {
  const free = (name: string, send: Sending, named: LatePart[]): Case => ({
    name,
    send,
    named,
    cost: 0,
    whole: 1,
  });
  const text = { 'x-return-format': 'text' };
  return [
    { ...free('/v1/answer', post('/v1/answer', { query: QUESTION }), ['answer']), field: true },
    free('/v1/answer as events', post('/v1/answer', { query: QUESTION, stream: true }), ['answer']),
    free(
      '/linkup/v1/search with an answer',
      post('/linkup/v1/search', { q: QUESTION, outputType: 'sourcedAnswer' }),
      ['highlights', 'answer'],
    ),
    {
      ...free('/v1/contents', post('/v1/contents', { urls: [URL_A], text: true, highlights: true }), [
        'highlights',
      ]),
      field: true,
    },
    {
      ...free('/v1/contents of two', post('/v1/contents', { urls: [URL_A, URL_B], summary: true }), [
        'summary',
      ]),
      whole: 2,
    },
    {
      ...free('/v1/findSimilar', post('/v1/findSimilar', { url: URL_A, contents: { highlights: true } }), [
        'highlights',
      ]),
      cost: 1,
    },
    free('/r with a question', get(`/r/${URL_A}?q=breed`), ['prunedContext']),
    free('/r as JSON', get(`/r/${URL_A}?q=breed`, { accept: 'application/json' }), ['prunedContext']),
    free('/r as plain text', get(`/r/${URL_A}`, text), ['text']),
    free('POST /r', post('/r', { url: URL_A, q: 'breed' }), ['prunedContext']),
    free('/shapeB/extract', post('/shapeB/extract', { urls: [URL_A], query: 'breed' }), ['highlights']),
    free('/shapeB/extract as plain text', post('/shapeB/extract', { urls: [URL_A], format: 'text' }), [
      'text',
    ]),
    free('/v2/scrape', post('/v2/scrape', { url: URL_A, formats: ['markdown', 'summary'] }), ['summary']),
    free('/firecrawl/v1/scrape', post('/firecrawl/v1/scrape', { url: URL_A, formats: ['summary'] }), [
      'summary',
    ]),
    {
      ...free(
        '/v2/search with pages',
        post('/v2/search', { query: QUESTION, scrapeOptions: { formats: ['summary'] } }),
        ['highlights', 'summary'],
      ),
      cost: 1,
      whole: 3,
    },
  ];
}

/** Tools, what their texts name as incomplete without threads, and what they then cost. */
const TOOLS: [tool: string, args: object, named: LatePart[], cost: number][] = [
  ['service_search', { query: QUESTION }, ['highlights'], 1],
  ['service_find_similar', { url: URL_A }, ['highlights'], 1],
  ['service_contents', { urls: [URL_A], query: 'breed' }, ['prunedContext'], 0],
  ['service_read', { url: URL_A, question: 'breed' }, ['prunedContext'], 0],
];

describe('an answer that lacks something for lack of time', () => {
  let fixture: ChargedFixture;
  let key: Record<string, string>;
  let swapped = operations();
  const swap = <Name extends keyof typeof swapped>(name: Name): (typeof swapped)[Name] =>
    ((request: never) => swapped[name](request)) as never;

  before(async () => {
    fixture = await openChargedFixture(null, {
      search: swap('search'),
      similar: swap('similar'),
      contents: swap('contents'),
      read: swap('read'),
    });
    const { apiKey } = await fixture.billing.keys.create({ credits: 10_000, label: null });
    key = { 'x-api-key': apiKey };
  });
  after(() => fixture.close());
  beforeEach(() => {
    late.clear();
    swapped = operations();
  });

  const left = async (): Promise<number> => (await fixture.served.get('/v1/balance', key)).json.credits;

  for (const [limit, cases] of Object.entries(CASES) as [Limit, Case[]][])
    for (const { name, send, named, cost, whole, field } of cases)
      test(`${limit}: ${name} names ${named.join(', ')} and costs ${cost}; the next answer is whole`, async () => {
        const before = await left();
        late.add(limit);
        const cut = await send(fixture.served, key);
        assert.equal(cut.status, 200, cut.text);
        assert.deepEqual(cut.headers.get('x-incomplete')?.split(', ').toSorted(), named.toSorted());
        if (field) assert.deepEqual(cut.json.service.incomplete.toSorted(), named.toSorted());
        assert.equal(before - (await left()), cost);
        late.clear();
        const again = await send(fixture.served, key);
        assert.equal(again.status, 200, again.text);
        assert.equal(again.headers.get('x-incomplete'), null);
        assert.notEqual(again.headers.get('x-cache'), 'hit');
        if (field) assert.equal('incomplete' in again.json.service, false);
        assert.equal(before - (await left()), cost + whole);
      });

  const callTool = async (name: string, args: object): Promise<string> => {
    const params = { name, arguments: args };
    const answer = await fixture.served.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { ...key, accept: 'application/json, text/event-stream' },
    );
    assert.equal(answer.status, 200, answer.text);
    return answer.json.result.content[0].text;
  };
  for (const [tool, args, named, cost] of TOOLS)
    test(`threads: ${tool} says first what it lacks and costs ${cost}; the next answer is whole`, async () => {
      const before = await left();
      late.add('threads');
      const missing = `(Incomplete: there was no time for ${named.join(', ')}.`;
      const cut = await callTool(tool, args);
      assert.ok(cut.startsWith(missing), cut);
      assert.equal(before - (await left()), cost);
      late.clear();
      assert.doesNotMatch(await callTool(tool, args), /Incomplete/);
    });
});
