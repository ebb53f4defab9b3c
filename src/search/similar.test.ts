import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetchFailure, Failure } from '../contract/errors.ts';
import type { Article } from '../pages/article.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import type { Candidate, RecallQuery } from '../recall/recall.ts';
import { buildPageParts } from '../text/prune/page-parts.ts';
import { createSimilar, type SimilarDeps, type SimilarRequest } from './similar.ts';

const TEXT =
  'The sanderling is a wading bird. Sanderlings run along the surf and pick sandhoppers out of the wet sand of the beach.';
const OTHER =
  'Dunlins and sanderlings are wading birds of the shore; the dunlin keeps to the mud, the sanderling to the sand of the surf.';

function article(parts: Partial<Article> & { url: string }): Article {
  return {
    canonicalUrl: parts.url,
    kind: 'html',
    title: 'Sanderling',
    author: null,
    site: null,
    language: 'en',
    published: null,
    description: null,
    headings: [],
    markdown: TEXT,
    links: [],
    robots: { index: true, follow: true },
    rawChars: 400,
    ...parts,
  } as Article;
}

const opens =
  (parts: Partial<Article> = {}): OpenPage =>
  async (url) => ({ article: article({ url, ...parts }), fetchedAt: 0, cache: 'miss', privacy: null });

const candidate = (url: string, snippet = OTHER): Candidate => ({
  url,
  title: 'Waders',
  snippet,
  publishedDay: null,
  score: 0.5,
  source: 'index',
});

const request = (parts: Partial<SimilarRequest> = {}): SimilarRequest => ({
  url: 'https://birds.example.co.uk/sanderling',
  numResults: 10,
  includeDomains: [],
  excludeDomains: [],
  publishedFrom: null,
  publishedTo: null,
  contents: null,
  signal: new AbortController().signal,
  ...parts,
});

async function ask(
  parts: Partial<SimilarDeps> & { candidates?: Candidate[] } = {},
  asked: Partial<SimilarRequest> = {},
) {
  const queries: RecallQuery[] = [];
  const similar = createSimilar({
    openPage: opens(),
    prune: async (pages, { wanted, query }) => pages.map((page) => buildPageParts(page, wanted, query)),
    recall: async (query) => {
      queries.push(query);
      const items = (parts.candidates ?? []).map(({ score, ...item }) => ({ ...item, localScore: score }));
      return {
        lists: [{ source: 'index', weight: 1, items }],
        reports: { index: { ok: true, results: items.length, ms: 1 } },
        cache: 'miss',
        mayBeKept: true,
        isIndexLate: false,
      };
    },
    clock: { now: () => Date.parse('2026-11-21') },
    frequencies: async () => ({ pages: 0, frequencies: new Map() }),
    ...parts,
  });
  const answer = await similar(request(asked));
  return { answer, queries, urls: answer.results.map(({ url }) => url) };
}

describe('similar', () => {
  test('the topic of the page is asked for, outside its registrable domain', async () => {
    const { queries } = await ask();
    assert.match(queries[0]?.query.text ?? '', /sanderling/i);
    assert.deepEqual(queries[0]?.excludeDomains, ['example.co.uk']);
  });

  const domains: [url: string, domain: string][] = [
    ['https://a.github.io/x', 'a.github.io'],
    ['https://deep.sub.example.org/', 'example.org'],
    ['http://127.0.0.1:8080/a', '127.0.0.1'],
  ];
  for (const [url, domain] of domains) {
    test(`${url} belongs to ${domain}`, async () => {
      const { queries } = await ask({}, { url });
      assert.deepEqual(queries[0]?.excludeDomains, [domain]);
    });
  }

  test('nothing of the domain is answered, whatever a source says, nor of where a redirect led', async () => {
    const candidates = [
      'https://www.example.co.uk/a',
      'https://cdn.moved.example.org/',
      'https://free.example.net/',
    ].map((url) => candidate(url));
    const openPage = opens({ url: 'https://moved.example.org/sanderling' });
    assert.deepEqual((await ask({ candidates, openPage })).urls, ['https://free.example.net/']);
  });

  test('filters of the request hold beside it', async () => {
    const candidates = [
      candidate('https://a.example.net/'),
      candidate('https://b.example.org/', `${OTHER} And more.`),
    ];
    const { urls, queries } = await ask({ candidates }, { excludeDomains: ['example.net'] });
    assert.deepEqual(urls, ['https://b.example.org/']);
    assert.deepEqual(queries[0]?.excludeDomains, ['example.net', 'example.co.uk']);
  });

  test('a copy of the page elsewhere is no similar page', async () => {
    const candidates = [candidate('https://copy.example.net/', TEXT), candidate('https://own.example.org/')];
    assert.deepEqual((await ask({ candidates })).urls, ['https://own.example.org/']);
  });

  test('a page that only shares a common word is weak and comes last, whatever the index says of its words', async () => {
    const guide = {
      ...candidate('https://guide.example.net/', 'Run the migration along with the old version, then move.'),
      title: 'Migration guide',
      score: 0.03,
      isWeak: false,
    };
    const near = { ...candidate('https://near.example.org/'), score: 0.03, isWeak: true };
    const { answer } = await ask({ candidates: [guide, near] });
    assert.deepEqual(
      answer.results.map(({ url, isWeak }) => [url, isWeak]),
      [
        [near.url, undefined],
        [guide.url, true],
      ],
    );
    assert.deepEqual((await ask({ candidates: [guide, near] }, { minScore: 0.9 })).urls, []);
  });

  test('the page nearer to the subject comes first, whatever the order', async () => {
    const far = candidate('https://far.example.net/', 'A history of beach hotels and their guests.');
    const near = candidate('https://near.example.org/');
    for (const candidates of [
      [far, near],
      [near, far],
    ])
      assert.deepEqual((await ask({ candidates })).urls[0], near.url);
  });

  test('highlights are about the topic', async () => {
    const contents = { text: null, highlights: { query: null, perUrl: 1, charsMax: null }, pruned: null };
    const { answer } = await ask({ candidates: [candidate('https://a.example.org/')] }, { contents });
    assert.match(answer.results[0]?.highlights?.[0] ?? '', /sanderling/);
    assert.ok((answer.results[0]?.highlightScores?.[0] ?? 0) > 0);
  });

  test('a page without a word has no similar pages', async () => {
    const { urls, queries } = await ask({ openPage: opens({ title: '', markdown: '' }) });
    assert.deepEqual([urls, queries], [[], []]);
  });

  test('a page that fails is a failure', async () => {
    const openPage: OpenPage = async () => {
      throw createFetchFailure('dns', 'no such host');
    };
    await assert.rejects(ask({ openPage }), { code: 'fetch_failed' });
  });

  test('no source that answers is a failure', async () => {
    const recall: SimilarDeps['recall'] = async () => {
      throw new Failure('recall_unavailable', 'nobody answers');
    };
    await assert.rejects(
      ask({ recall }),
      (error) => error instanceof Failure && error.code === 'recall_unavailable',
    );
  });
});
