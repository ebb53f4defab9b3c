import { type Case, each, failing, type Sent, sending, served } from './spec-case.ts';

const send = sending();
const poor = sending({ credits: 0 });
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
const dollars = (total: number) => ({ 'costDollars.total': total });

/** What is reported as the cost, what of several pages is charged, and what is free. */
export const PARTIAL_CHARGE_CASES: Case[] = [
  send(
    'MD01',
    'costDollars.total is credits x 0.001 for a search',
    { path: '/v1/search', body: { query: 'survey' } },
    served(1, { is: dollars(0.001) }),
  ),
  send(
    'MD02',
    'costDollars.total of a similar-page search is 0.001',
    { path: '/v1/findSimilar', body: { url: '{site}/birds' } },
    served(1, { is: dollars(0.001) }),
  ),
  send('MD03', 'costDollars.total of 3 pages is 0.003', contents(3, 0), served(3, { is: dollars(0.003) })),
  send(
    'MD04',
    'costDollars.total counts the pages that loaded',
    contents(2, 3),
    served(2, { is: dollars(0.002) }),
  ),
  send(
    'MD05',
    'when no URL loads nothing is charged',
    contents(0, 3),
    served(0, { is: { ...dollars(0), results: [], 'statuses.length': 3 } }),
  ),
  send(
    'MD06',
    'when the only URL fails nothing is charged',
    contents(0, 1),
    served(0, { is: { ...dollars(0), 'statuses.0.status': 'error' } }),
  ),
  send(
    'MD07',
    'failed URLs of an extract are free',
    extract(2, 1),
    served(2, { is: { usage: { credits: 2 }, 'failed_results.length': 1 } }),
  ),
  send(
    'MD08',
    'an extract that loads nothing is free',
    extract(0, 2),
    served(0, { is: { results: [], 'failed_results.length': 2 } }),
  ),
  send(
    'MD09',
    'a cached search is charged like a live one',
    { path: '/v1/search', body: { query: 'survey twice' }, times: 2 },
    served(2, { is: { 'service.cache': 'hit' } }),
  ),
  send('MD10', 'a cached read is charged like a live one', { path: '/r/{site}/birds', times: 3 }, served(3)),
  send(
    'MD11',
    'cached contents are charged like live ones',
    { ...contents(2, 0), times: 2 },
    served(4, { is: { 'statuses.*.source': 'cached' } }),
  ),
  {
    ...send(
      'MD12',
      'contents of more URLs than credits fetch nothing',
      contents(3, 0),
      failing(402, 'insufficient_credits', { headers: { 'x-credits-remaining': '2' } }),
    ),
    credits: 2,
  },
  {
    ...send(
      'MD13',
      'contents are refused even when failing URLs would be free',
      contents(1, 2),
      failing(402, 'insufficient_credits'),
    ),
    credits: 2,
  },
  {
    ...send(
      'MD14',
      'an extract of more URLs than credits is refused',
      extract(3, 0),
      failing(432, 'insufficient_credits'),
    ),
    credits: 2,
  },
  {
    ...send(
      'MD15',
      'a crawl goes no further than the credits',
      {
        path: '/shapeB/crawl',
        body: { url: '{site}/wide/', limit: 10, max_breadth: 50, include_usage: true },
      },
      served(3, { is: { 'results.length': 3, usage: { credits: 3 } } }),
    ),
    credits: 3,
  },
  {
    ...send(
      'MD16',
      'a crawl is charged for the pages that load',
      { path: '/shapeB/crawl', body: { url: '{site}/docs/', limit: 10, include_usage: true } },
      served(3, { is: { usage: { credits: 3 } } }),
    ),
    credits: 10,
  },
  {
    ...send(
      'MD17',
      'a map costs 1 however many pages it lists',
      { path: '/shapeB/map', body: { url: '{site}/wide/', max_breadth: 50, include_usage: true } },
      served(1, { is: { usage: { credits: 1 } } }),
    ),
  },
  ...each(
    [
      ['GET /v1/balance', { path: '/v1/balance' }],
      ['POST /v1/billing/auto-reload', { path: '/v1/billing/auto-reload', body: { enabled: false } }],
    ] as const,
    ([name, request], n) =>
      poor(`MZ01.${n}`, `${name} costs nothing, and a key without credits may call it`, request, {
        status: 200,
        is: { credits: 0 },
      }),
  ),
  poor('MZ02', 'GET /buy/{pack} costs nothing', { path: '/buy/instant' }, { status: 303 }),
  poor(
    'MZ03',
    'a bad request of a key without credits is a bad request',
    { path: '/v1/search', body: {} },
    failing(422, 'validation_error'),
  ),
];
