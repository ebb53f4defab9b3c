import { type Case, each, failing, type Sent, sending, served } from './spec-case.ts';

const send = sending();
const pages = (good: number, lost: number): string[] => [
  ...Array.from({ length: good }, (_, place) => `{site}/n/${place}`),
  ...Array.from({ length: lost }, (_, place) => `{site}/lost/${place}`),
];
const contents = (good: number, lost: number): Sent => ({
  path: '/v1/contents',
  body: { urls: pages(good, lost) },
});
const extract = (good: number, lost: number): Sent => ({
  path: '/shapeB/extract',
  body: { urls: pages(good, lost), include_usage: true },
});

const CALLS: [name: string, request: Sent, credits: number][] = [
  ['POST /v1/search', { path: '/v1/search', body: { query: 'survey' } }, 1],
  ['POST /search', { path: '/search', body: { query: 'survey' } }, 1],
  ['POST /shapeA/search', { path: '/shapeA/search', body: { query: 'survey' } }, 1],
  [
    'a search with contents',
    {
      path: '/v1/search',
      body: {
        query: 'survey',
        numResults: 3,
        contents: { text: true, highlights: true, prunedContext: true },
      },
    },
    1,
  ],
  ['a search with 25 results', { path: '/v1/search', body: { query: 'survey', numResults: 25 } }, 1],
  ['a search that finds nothing', { path: '/v1/search', body: { query: 'nothing zxqv blorp' } }, 1],
  ['POST /v1/findSimilar', { path: '/v1/findSimilar', body: { url: '{site}/birds' } }, 1],
  ['POST /findSimilar', { path: '/findSimilar', body: { url: '{site}/birds' } }, 1],
  ['POST /shapeB/search', { path: '/shapeB/search', body: { query: 'survey' } }, 1],
  [
    'POST /shapeB/search at depth advanced',
    {
      path: '/shapeB/search',
      body: {
        query: 'survey',
        max_results: 2,
        search_depth: 'advanced',
        include_answer: true,
        include_raw_content: true,
      },
    },
    1,
  ],
  ['GET /r/{url}', { path: '/r/{site}/birds' }, 1],
  ['GET /r/{url} with a question', { path: '/r/{site}/birds?q=turnstone' }, 1],
  ['POST /v1/contents of 1 URL', contents(1, 0), 1],
  ['POST /v1/contents of 3 URLs', contents(3, 0), 3],
  ['POST /v1/contents of 10 URLs', contents(10, 0), 10],
  ['POST /shapeB/extract of 2 URLs', extract(2, 0), 2],
  ['POST /shapeB/map', { path: '/shapeB/map', body: { url: '{site}/docs/' } }, 1],
  ['POST /shapeB/crawl of 1 page', { path: '/shapeB/crawl', body: { url: '{site}/docs/', limit: 1 } }, 1],
];

const FAILURES: [name: string, request: Sent, status: number, code: string][] = [
  ['a search without a query', { path: '/v1/search', body: {} }, 422, 'validation_error'],
  ['malformed JSON', { path: '/v1/search', body: '{' }, 422, 'validation_error'],
  [
    'contents of a private URL',
    { path: '/v1/contents', body: { urls: ['http://127.0.0.1/'] } },
    400,
    'url_not_allowed',
  ],
  [
    'contents of good URLs and a private one',
    { path: '/v1/contents', body: { urls: ['{site}/birds', 'http://10.0.0.1/'] } },
    400,
    'url_not_allowed',
  ],
  [
    'contents of one URL that redirects to a private one',
    { path: '/v1/contents', body: { urls: ['{site}/to-private'] } },
    400,
    'url_not_allowed',
  ],
  [
    'findSimilar of a lost page',
    { path: '/v1/findSimilar', body: { url: '{site}/lost' } },
    502,
    'fetch_failed',
  ],
  [
    'findSimilar of a private URL',
    { path: '/v1/findSimilar', body: { url: 'http://127.0.0.1/' } },
    400,
    'url_not_allowed',
  ],
  ['reading a lost page', { path: '/r/{site}/lost' }, 502, 'fetch_failed'],
  ['reading a broken page', { path: '/r/{site}/broken' }, 502, 'fetch_failed'],
  ['reading an empty page', { path: '/r/{site}/empty' }, 502, 'fetch_failed'],
  ['reading a private URL', { path: '/r/http://127.0.0.1/' }, 400, 'url_not_allowed'],
  ['reading nothing', { path: '/r/' }, 400, 'url_not_allowed'],
  ['a second-shape search without a query', { path: '/shapeB/search', body: {} }, 422, 'validation_error'],
  [
    'an extract of one private URL',
    { path: '/shapeB/extract', body: { urls: 'http://127.0.0.1/' } },
    400,
    'url_not_allowed',
  ],
  [
    'a crawl of a private site',
    { path: '/shapeB/crawl', body: { url: 'http://127.0.0.1/' } },
    400,
    'url_not_allowed',
  ],
  [
    'a crawl whose start page is lost',
    { path: '/shapeB/crawl', body: { url: '{site}/lost' } },
    502,
    'fetch_failed',
  ],
  [
    'a map of a private site',
    { path: '/shapeB/map', body: { url: 'http://10.0.0.1/' } },
    400,
    'url_not_allowed',
  ],
  [
    'a body over 1 MB',
    { path: '/v1/search', body: `{"query":"${'x'.repeat(1_050_000)}"}` },
    413,
    'request_too_large',
  ],
];

/** What each call costs, and what is given back. */
export const CHARGING_CASES: Case[] = [
  ...each(CALLS, ([name, request, credits], n) => ({
    ...send(`MC01.${n}`, `${name} costs ${credits}`, request, served(credits)),
    credits: 12,
  })),
  ...each(CALLS, ([name, request, credits], n) => ({
    ...send(
      `MC02.${n}`,
      `${name} is served to a key with just ${credits}`,
      request,
      served(credits, { headers: { 'x-credits-remaining': '0' } }),
    ),
    credits,
  })),
  ...each(CALLS, ([name, request, credits], n) => ({
    ...send(
      `MC03.${n}`,
      `${name} is refused to a key with ${credits - 1}`,
      request,
      failing(String(request.path).startsWith('/shapeB') ? 432 : 402, 'insufficient_credits', {
        headers: { 'x-credits-remaining': String(credits - 1) },
      }),
    ),
    credits: credits - 1,
  })),
  ...each(FAILURES, ([name, request, status, code], n) =>
    send(`MF01.${n}`, `${name} is refunded`, request, failing(status, code, { charged: 0 })),
  ),
];
