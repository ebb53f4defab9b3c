import { type Case, each, failing, refused, sending, served } from './spec-case.ts';

const send = sending();
const url = '{site}/birds';
const BODIES = {
  '/v1/search': { query: 'survey' },
  '/v1/contents': { urls: [url] },
  '/v1/findSimilar': { url },
  '/shapeB/search': { query: 'survey' },
  '/shapeB/extract': { urls: [url] },
  '/shapeB/crawl': { url: '{site}/docs/', limit: 1 },
  '/shapeB/map': { url: '{site}/docs/' },
} as const;
const ROUTES = Object.keys(BODIES) as (keyof typeof BODIES)[];

const FRAME = JSON.stringify({ query: 'survey', x: '' });
/** A body of exactly so many bytes. */
const bodyOf = (bytes: number): string =>
  JSON.stringify({ query: 'survey', x: 'x'.repeat(bytes - FRAME.length) });
const MEGABYTE = 1_048_576;

/** Bodies that are large, malformed or no object; content types and accepted forms. */
export const BODY_CASES: Case[] = [
  send('BS01', 'a body of exactly 1 MB is read', { path: '/v1/search', body: bodyOf(MEGABYTE) }, served(1)),
  send(
    'BS02',
    'a body of 1 MB and 1 byte is 413',
    { path: '/v1/search', body: bodyOf(MEGABYTE + 1) },
    failing(413, 'request_too_large'),
  ),
  send(
    'BS03',
    'a body of 1.1 MB is 413 in the second shape',
    { path: '/shapeB/search', body: bodyOf(1_153_434) },
    failing(413, 'request_too_large'),
  ),
  send(
    'BS04',
    'a body of exactly 1 MB is read in the second shape',
    { path: '/shapeB/search', body: bodyOf(MEGABYTE) },
    served(1),
  ),
  ...each(
    ROUTES.filter((path) => path !== '/v1/search'),
    (path, n) =>
      send(
        `BS05.${n}`,
        `a body of 2 MB on ${path} is 413`,
        { path, body: bodyOf(2 * MEGABYTE) },
        failing(413, 'request_too_large'),
      ),
  ),
  {
    ...send(
      'BS06',
      'a body of 1.1 MB takes a free request',
      { path: '/v1/search', body: bodyOf(1_153_434) },
      failing(413, 'request_too_large'),
    ),
    as: 'keyless',
  },

  ...each(ROUTES, (path, n) =>
    send(
      `BJ01.${n}`,
      `malformed JSON on ${path} is 422`,
      { path, body: '{"query":' },
      { status: 422, code: 'validation_error' },
    ),
  ),
  ...each(ROUTES, (path, n) =>
    send(
      `BJ02.${n}`,
      `an empty body on ${path} is 422`,
      { path, body: '' },
      { status: 422, code: 'validation_error' },
    ),
  ),
  ...each(
    ['[]', 'null', '7', '"text"', 'true', '{"query":"q"}}', "{'query':'q'}", '{"query":"q",}'],
    (body, n) =>
      send(
        `BJ03.${n}`,
        `the body ${body} is 422`,
        { path: '/v1/search', body },
        { status: 422, code: 'validation_error' },
      ),
  ),
  send('BJ04', 'malformed JSON names the body', { path: '/v1/search', body: '{' }, refused('body')),
  send(
    'BJ05',
    'malformed JSON for auto-reload is 422',
    { path: '/v1/billing/auto-reload', body: '{' },
    refused('body'),
  ),
  {
    ...send(
      'BJ06',
      'malformed JSON takes a free request',
      { path: '/v1/search', body: '{' },
      { status: 422 },
    ),
    as: 'keyless',
  },
  ...each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8'], (type, n) =>
    send(
      `BC01.${n}`,
      `a JSON body sent as ${type} is read`,
      { path: '/v1/search', body: { query: 'survey' }, headers: { 'content-type': type } },
      served(1),
    ),
  ),
  ...each(['*/*', 'application/json, text/plain, */*', 'text/html', 'image/png'], (accept, n) =>
    send(
      `BC02.${n}`,
      `Accept ${accept} is never refused`,
      { path: '/v1/search', body: { query: 'survey' }, headers: { accept } },
      served(1, { headers: { 'content-type': /^application\/json/ } }),
    ),
  ),
  send(
    'BC03',
    'headers of client libraries are ignored',
    {
      path: '/v1/search',
      body: { query: 'survey' },
      headers: {
        'exa-beta': 'x',
        'x-client-source': 'tavily-js',
        'x-project-id': 'p',
        'x-tavily-access-mode': 'keyless',
        'user-agent': 'exa-node 2.23.0',
      },
    },
    served(1),
  ),
  ...each(ROUTES, (path, n) =>
    send(
      `BC04.${n}`,
      `an unknown field on ${path} is ignored`,
      { path, body: { ...BODIES[path], nobodyKnowsThis: { deep: [1] } } },
      served(1),
    ),
  ),
  ...each(ROUTES, (path, n) =>
    send(
      `BC05.${n}`,
      `a null for an unknown field on ${path} is ignored`,
      { path, body: { ...BODIES[path], nobodyKnowsThis: null } },
      served(1),
    ),
  ),
  ...each(
    [
      ['/shapeB/crawl', 'limit'],
      ['/shapeB/crawl', 'max_depth'],
      ['/shapeB/crawl', 'max_breadth'],
      ['/shapeB/map', 'limit'],
      ['/shapeB/search', 'days'],
      ['/shapeB/search', 'chunks_per_source'],
    ] as const,
    ([path, field], n) =>
      send(
        `BN01.${n}`,
        `${field} of ${path} that is no number is refused`,
        { path, body: { ...BODIES[path], [field]: 'x' } },
        refused(field),
      ),
  ),
];
