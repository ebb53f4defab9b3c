import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../contract/errors.ts';
import { computeContentHash } from '../pages/content-hash.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Search } from '../search/search.ts';
import type { SearchRequest, SearchResult } from '../search/search-types.ts';
import { extractPassages } from './evidence/page-passages.ts';
import { findRelatedFacets } from './evidence/related-facets.ts';
import { buildEvidencePack } from './evidence-pack.ts';
import { createResearch, type ResearchProgress, type ResearchRequest } from './research.ts';
import type { ResearchWorker } from './research-worker.ts';

/** Steps done in place, so that nothing waits for a thread. */
const threads: ResearchWorker = {
  passages: async (page, { facets, from }) => extractPassages(page, facets, from),
  related: async (reading) => findRelatedFacets(reading),
  pack: async (passages, bounds) => buildEvidencePack(passages, bounds),
};

const PAGES: Record<string, string> = {
  'https://a.org/tower':
    'The Corvane Tower is 54 metres tall and was designed by Ada Merrick in the old port of Sarn.',
  'https://b.org/merrick':
    'Ada Merrick was born in Tollan and learned to build bridges for the northern railway.',
  'https://c.org/ferry': 'The ferry of Port Sarn leaves at noon, and half an hour later in winter.',
};
const TITLES: Record<string, string> = {
  'https://a.org/tower': 'Corvane Tower',
  'https://b.org/merrick': 'Ada Merrick',
};

const openPage: OpenPage = async (url, { signal }) => {
  if (signal.aborted) throw createFetchFailure('aborted', 'late');
  const markdown = PAGES[url];
  if (markdown === undefined) throw createFetchFailure('dns', 'no such host');
  const article = {
    url,
    canonicalUrl: url,
    kind: 'html' as const,
    title: TITLES[url] ?? '',
    author: null,
    site: null,
    language: 'en',
    published: null,
    description: null,
    headings: [],
    markdown,
    links: [],
    robots: { index: true, follow: true },
    rawChars: 0,
  };
  return { article, fetchedAt: 0, cache: 'miss', privacy: null };
};

/** Finds the pages that share a word of five letters or more with the query. */
const find = (query: string): SearchResult[] =>
  Object.entries(PAGES)
    .filter(([, text]) =>
      query
        .toLowerCase()
        .split(/\W+/)
        .some((word) => word.length > 4 && text.toLowerCase().includes(word)),
    )
    .map(([url]) => ({ url, title: '', score: 0.5, publishedDay: null }));

const answerWith = (results: SearchResult[]) => ({
  results,
  cache: 'miss' as const,
  timingsMs: {},
  tokens: { raw: 0, output: 0 },
  sources: {},
  filters: {},
  incomplete: [],
});
const search: Search = async ({ query }) => answerWith(find(query));

function requestOf(parts: Partial<ResearchRequest> = {}): ResearchRequest {
  return {
    question: 'Where was the designer of the Corvane Tower born?',
    maxSearches: 5,
    maxPages: 15,
    maxSeconds: 30,
    maxTokens: 4_000,
    includeDomains: [],
    excludeDomains: [],
    publishedFrom: null,
    publishedTo: null,
    signal: new AbortController().signal,
    ...parts,
  };
}

const unavailable = new Failure('recall_unavailable', 'all sources are down');

describe('research', () => {
  test('follows what the first pages bring up to a page that the question does not name', async () => {
    const research = createResearch({ search, openPage, threads });
    const { evidence, facets, pages } = await research(requestOf());
    assert.ok(evidence.some(({ quote }) => /born in Tollan/.test(quote)));
    for (const one of evidence) assert.equal(one.contentHash, computeContentHash(PAGES[one.url] ?? ''));
    assert.ok(facets.some(({ kind, facet }) => kind === 'related' && facet === 'Ada Merrick'));
    assert.equal(pages.failed, 0);
  });

  test('never more searches and pages than allowed, every page once', async () => {
    for (const [maxSearches, maxPages] of [
      [1, 1],
      [2, 1],
      [4, 2],
      [10, 3],
    ] as const) {
      const queries: string[] = [];
      const opened: string[] = [];
      const research = createResearch({
        threads,
        search: (request) => {
          queries.push(request.query);
          return search(request);
        },
        openPage: (url, options) => {
          opened.push(url);
          return openPage(url, options);
        },
      });
      const question = 'Who designed the Corvane Tower, and when does the ferry of Port Sarn leave?';
      const answer = await research(requestOf({ question, maxSearches, maxPages }));
      assert.ok(
        queries.length <= maxSearches && opened.length <= maxPages,
        `${queries.length}, ${opened.length}`,
      );
      assert.equal(new Set(opened).size, opened.length);
      assert.equal(new Set(queries).size, queries.length);
      assert.equal(answer.searches.length, queries.length);
    }
  });

  test('no follow-up search runs once no page may be opened', async () => {
    const { searches } = await createResearch({ search, openPage, threads })(requestOf({ maxPages: 1 }));
    assert.ok(searches.every(({ query }) => !query.includes('Merrick')));
  });

  test('filters go to every search', async () => {
    const asked: SearchRequest[] = [];
    const research = createResearch({
      openPage,
      threads,
      search: (request) => {
        asked.push(request);
        return search(request);
      },
    });
    const filters = {
      includeDomains: ['a.org'],
      excludeDomains: ['b.org'],
      publishedFrom: '2020-01-01',
      publishedTo: '2021-01-01',
    };
    await research(requestOf(filters));
    assert.ok(asked.length > 1);
    for (const request of asked) assert.deepEqual({ ...request, ...filters }, request);
  });

  test('a failed search is reported and the others continue', async () => {
    const research = createResearch({
      openPage,
      threads,
      search: async (request) => {
        if (request.query.startsWith('Where')) throw unavailable;
        return search(request);
      },
    });
    const { searches, evidence } = await research(requestOf());
    const failed = searches.filter(({ ok }) => !ok);
    assert.deepEqual(
      failed.map((one) => !one.ok && one.error),
      ['recall_unavailable'],
    );
    assert.ok(evidence.length > 0);
  });

  test('recall_unavailable when all fail, and a bug is not swallowed', async () => {
    const failing = createResearch({ openPage, threads, search: () => Promise.reject(unavailable) });
    await assert.rejects(failing(requestOf()), { code: 'recall_unavailable' });
    const broken = createResearch({
      openPage,
      threads,
      search: () => Promise.reject(new TypeError('bug')),
    });
    await assert.rejects(broken(requestOf()), TypeError);
  });

  test('a page that fails counts as failed', async () => {
    const research = createResearch({
      openPage,
      threads,
      search: async ({ query }) =>
        answerWith([...find(query), { url: 'https://gone.org/', title: '', score: 0.1, publishedDay: null }]),
    });
    const { pages } = await research(requestOf());
    assert.equal(pages.failed, 1);
  });

  test('when time is up, it answers from what has arrived', async () => {
    const time = new AbortController();
    const research = createResearch({
      openPage,
      threads,
      // The first search answers, the next never does, and then time is up.
      search: (request) => {
        if (request.query.startsWith('Where')) return search(request);
        time.abort(new Error('time is up'));
        return new Promise(() => {});
      },
    });
    const { cutShort, searches, facets } = await research(requestOf({ signal: time.signal }));
    assert.equal(cutShort, true);
    assert.ok(searches.some(({ ok }) => ok));
    assert.ok(searches.some((one) => !one.ok && one.error === 'timeout'));
    assert.ok(facets.every(({ found, why }) => (why === null) === found.length > 0));
  });

  test('a page that no thread can read in time counts as failed', async () => {
    const research = createResearch({
      search,
      openPage,
      threads: { ...threads, passages: async () => null },
    });
    const { evidence, pages } = await research(requestOf());
    assert.deepEqual([evidence.length, pages.opened], [0, 0]);
    assert.ok(pages.failed > 0);
  });

  test('progress goes from searching to opening to choosing', async () => {
    const told: ResearchProgress[] = [];
    const research = createResearch({ search, openPage, threads });
    await research(requestOf({ onProgress: (progress) => told.push(progress) }));
    assert.deepEqual([...new Set(told.map(({ stage }) => stage))], ['search', 'open', 'choose']);
    assert.ok(told.every(({ done: count, of }) => count <= of));
    assert.deepEqual(told.at(-1), { stage: 'choose', done: 1, of: 1 });
  });

  describe('pages that are unlikely to be relevant', () => {
    const weakly =
      (isWeakOne: (url: string) => boolean): Search =>
      async ({ query }: SearchRequest) =>
        answerWith(
          find(query).map((result) =>
            isWeakOne(result.url) ? { ...result, isWeak: true as const } : result,
          ),
        );

    test('are not read where others are likely', async () => {
      const research = createResearch({ search: weakly((url) => url.includes('c.org')), openPage, threads });
      const { evidence, isWeak } = await research(
        requestOf({ question: 'How tall is the Corvane Tower in the port of Sarn?' }),
      );
      assert.ok(evidence.length > 0);
      assert.equal(isWeak, false);
      assert.deepEqual(
        evidence.filter(({ url }) => url.includes('c.org')),
        [],
      );
    });

    test('are read where nothing else was found, which the answer says', async () => {
      const research = createResearch({ search: weakly(() => true), openPage, threads });
      const { evidence, isWeak } = await research(
        requestOf({ question: 'How tall is the Corvane Tower in the port of Sarn?' }),
      );
      assert.ok(evidence.length > 0);
      assert.equal(isWeak, true);
    });
  });
});
