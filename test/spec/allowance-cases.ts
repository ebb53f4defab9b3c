import { type Case, each, failing, type Sent, sending } from './spec-case.ts';

const keyless = sending({ as: 'keyless' });
const FREE = 25;
const MIDNIGHT = '2026-11-22T00:00:00.000Z';
const BEFORE_MIDNIGHT = '2026-11-21T23:59:59.999Z';

/** The cheapest request that counts: it fails. */
const failed = (times: number, more: Partial<Sent> = {}): Sent => ({
  path: '/v1/search',
  body: {},
  times,
  ...more,
});
const search: Sent = { path: '/v1/search', body: { query: 'survey' } };
const used = { before: [failed(FREE)] };
const limit = failing(402, 'keyless_limit', { counted: FREE, headers: { 'x-credits-remaining': '0' } });
const limitB = failing(432, 'keyless_limit', { counted: FREE, headers: { 'x-credits-remaining': '0' } });

const REFUSED: [path: string, body: object | null, status: 402 | 432][] = [
  ['/v1/search', { query: 'q' }, 402],
  ['/search', { query: 'q' }, 402],
  ['/shapeA/search', { query: 'q' }, 402],
  ['/v1/contents', { urls: ['{site}/birds'] }, 402],
  ['/v1/findSimilar', { url: '{site}/birds' }, 402],
  ['/r/{site}/birds', null, 402],
  ['/shapeB/search', { query: 'q' }, 432],
  ['/shapeB/extract', { urls: ['{site}/birds'] }, 432],
  ['/shapeB/crawl', { url: '{site}/docs/' }, 432],
  ['/shapeB/map', { url: '{site}/docs/' }, 432],
];
const COUNTED: [path: string, body: unknown, status: number][] = [
  ['/v1/search', {}, 422],
  ['/v1/search', '{', 422],
  ['/v1/contents', { urls: ['http://127.0.0.1/'] }, 400],
  ['/v1/findSimilar', { url: '{site}/lost' }, 502],
  ['/r/{site}/lost', undefined, 502],
  ['/r/http://127.0.0.1/', undefined, 400],
  ['/shapeB/search', {}, 422],
  ['/shapeB/extract', {}, 422],
  ['/shapeB/crawl', { url: 'http://127.0.0.1/' }, 400],
  ['/shapeB/map', { url: 'http://127.0.0.1/' }, 400],
];

/** The 25 free requests of an address and UTC day. */
export const ALLOWANCE_CASES: Case[] = [
  keyless('AL01', 'the first request leaves 24', search, {
    status: 200,
    counted: 1,
    headers: { 'x-credits-remaining': '24' },
  }),
  {
    ...keyless('AL02', 'the 25th request is served and leaves 0', search, {
      status: 200,
      counted: FREE,
      headers: { 'x-credits-remaining': '0' },
    }),
    before: [failed(24)],
  },
  { ...keyless('AL03', 'the 26th request is refused', search, limit), ...used },
  ...each(COUNTED, ([path, body, status], n) =>
    keyless(
      `AL04.${n}`,
      `a request to ${path} that ends in ${status} counts`,
      { path, ...(body === undefined ? {} : { body }) },
      { status, counted: 1, headers: { 'x-credits-remaining': '24' } },
    ),
  ),
  ...each(REFUSED, ([path, body, status], n) => ({
    ...keyless(
      `AL05.${n}`,
      `${path} is ${status} when the allowance is used up`,
      { path, ...(body === null ? {} : { body }) },
      status === 402 ? limit : limitB,
    ),
    ...used,
  })),
  {
    ...keyless('AL06', 'a refused request does not count again', { ...search, times: 5 }, limit),
    ...used,
  },
  {
    ...keyless(
      'AL07',
      'contents of ten URLs count as one request',
      { path: '/v1/contents', body: { urls: Array.from({ length: 10 }, (_, place) => `{site}/n/${place}`) } },
      { status: 200, counted: 1 },
    ),
  },
  keyless(
    'AL08',
    'a crawl counts as one request',
    { path: '/shapeB/crawl', body: { url: '{site}/docs/', limit: 3 } },
    { status: 200, counted: 1 },
  ),
  {
    ...keyless(
      'AL09',
      'the day ends at midnight UTC: before it nothing is given',
      { ...search, at: BEFORE_MIDNIGHT },
      limit,
    ),
    before: [failed(FREE, { at: '2026-11-21T00:00:00Z' })],
  },
  {
    ...keyless(
      'AL10',
      'at midnight UTC 25 are there again',
      { ...search, at: MIDNIGHT },
      { status: 200, counted: 1 },
    ),
    before: [failed(FREE, { at: BEFORE_MIDNIGHT })],
  },
  {
    ...keyless(
      'AL11',
      'what is left is not carried over',
      { ...search, at: MIDNIGHT },
      { status: 200, counted: 1, headers: { 'x-credits-remaining': '24' } },
    ),
    before: [failed(1)],
  },
  {
    ...keyless('AL12', 'another address has its own', search, { status: 200, counted: 1 }),
    before: [failed(FREE, { from: '{net}.8' })],
  },
  {
    ...keyless(
      'AL13',
      'addresses of one IPv6 /64 share it',
      { ...search, from: '{net6}:1:ffff::9' },
      { status: 402, code: 'keyless_limit', counted: 0, headers: { 'x-credits-remaining': '0' } },
    ),
    before: [failed(FREE, { from: '{net6}:1:0::1' })],
  },
  {
    ...keyless(
      'AL14',
      'addresses of two IPv6 /64 do not',
      { ...search, from: '{net6}:2::1' },
      { status: 200, counted: 0, headers: { 'x-credits-remaining': '24' } },
    ),
    before: [failed(FREE, { from: '{net6}:1::1' })],
  },
  {
    ...keyless(
      'AL15',
      'an IPv4 address written as IPv6 is the same address',
      { ...search, from: '::ffff:{ip}' },
      limit,
    ),
    ...used,
  },
  {
    ...keyless(
      'AL16',
      'a key is not held to it',
      { ...search, headers: { 'x-api-key': '{key}' } },
      { status: 200, charged: 1, counted: FREE, headers: { 'x-credits-remaining': '9' } },
    ),
    as: 'placed',
    before: [failed(FREE)],
  },
  {
    ...keyless(
      'AL17',
      'an unknown key does not count',
      { ...search, headers: { 'x-api-key': 'nobody' } },
      failing(401, 'invalid_api_key', { counted: 0 }),
    ),
  },
  {
    ...keyless(
      'AL18',
      'the word keyless counts like no key',
      { ...search, headers: { 'x-api-key': 'keyless' } },
      limit,
    ),
    ...used,
  },
  {
    ...keyless(
      'AL19',
      'an address that is claimed by more proxies than are trusted does not help',
      { ...search, headers: { 'x-forwarded-for': '203.0.113.99, {ip}' } },
      limit,
    ),
    ...used,
  },
  {
    ...keyless(
      'AL20',
      'a refusal says when it resets',
      { ...search, at: '2026-11-21T23:00:00Z' },
      failing(402, 'keyless_limit', {
        counted: FREE,
        headers: { 'retry-after': '3600' },
        message: /reset|midnight|UTC/i,
      }),
    ),
    ...used,
  },
  {
    ...keyless(
      'AL21',
      'a refusal of the second shape says when it resets',
      { path: '/shapeB/search', body: { query: 'q' }, at: '2026-11-21T23:00:00Z' },
      failing(432, 'keyless_limit', {
        counted: FREE,
        headers: { 'retry-after': '3600' },
        message: /reset|midnight|UTC/i,
      }),
    ),
    ...used,
  },
  {
    ...keyless(
      'AL22',
      'at noon half a day is left',
      search,
      failing(402, 'keyless_limit', { counted: FREE, headers: { 'retry-after': '43200' } }),
    ),
    ...used,
  },
  keyless(
    'AL23',
    'a cached search counts like a live one',
    { ...search, times: 2 },
    { status: 200, counted: 2 },
  ),
  keyless(
    'AL24',
    'a keyless crawl reads at most 10 pages',
    { path: '/shapeB/crawl', body: { url: '{site}/wide/', limit: 50, max_breadth: 50 } },
    { status: 200, counted: 1, is: { 'results.length': 10 } },
  ),
  keyless(
    'AL25',
    'a keyless map lists at most 10 pages',
    { path: '/shapeB/map', body: { url: '{site}/wide/', limit: 50, max_breadth: 50 } },
    { status: 200, counted: 1, is: { 'results.length': 10 } },
  ),
];
