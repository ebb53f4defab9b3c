import { type Case, each, failing, sending, served } from './spec-case.ts';

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

const ALIASES: [path: string, body: object][] = [
  ['/v1/search', BODIES['/v1/search']],
  ['/search', BODIES['/v1/search']],
  ['/shapeA/search', BODIES['/v1/search']],
  ['/v1/contents', BODIES['/v1/contents']],
  ['/contents', BODIES['/v1/contents']],
  ['/shapeA/contents', BODIES['/v1/contents']],
  ['/v1/findSimilar', BODIES['/v1/findSimilar']],
  ['/findSimilar', BODIES['/v1/findSimilar']],
  ['/shapeA/findSimilar', BODIES['/v1/findSimilar']],
  ...['/shapeB/search', '/shapeB/extract', '/shapeB/crawl', '/shapeB/map'].map((path): [string, object] => [
    path,
    BODIES[path as keyof typeof BODIES],
  ]),
];

const spellings = (path: string): string[] => [`/${path}`, `${path}/`, path.replaceAll('/', '//')];

/** Aliases, repeated slashes, unknown routes and wrong methods. */
export const ROUTING_CASES: Case[] = [
  ...each(ALIASES, ([path, body], n) =>
    send(`RA01.${n}`, `POST ${path} is served for 1 credit`, { path, body }, served(1)),
  ),
  ...each(
    ROUTES.flatMap((route) => spellings(route).map((path) => ({ path, body: BODIES[route] }))),
    ({ path, body }, n) =>
      send(`RA02.${n}`, `POST ${path} is served and not redirected`, { path, body }, served(1)),
  ),
  send('RA03', '//r/ with repeated slashes reads the page', { path: `//r/${url}` }, served(1)),

  ...each(
    [
      '/nothing',
      '/v1',
      '/v1/',
      '/v3/search',
      '/v1/nothing',
      '/shapeA',
      '/shapeA/nothing',
      '/research/v1',
      '/websets/v0',
      '/search/more',
      '/v1/balance/more',
      '/shapeBsearch',
    ],
    (path, n) => send(`RN01.${n}`, `GET ${path} is 404`, { path }, failing(404, 'not_found')),
  ),
  ...each(['/v1/nothing', '/research/v1', '/monitors', '/agent/runs'], (path, n) =>
    send(`RN02.${n}`, `POST ${path} is 404`, { path, body: { query: 'q' } }, failing(404, 'not_found')),
  ),
  ...each(['/shapeB', '/shapeB/', '/shapeB/nothing', '/shapeB/feedback', '//shapeB//nothing'], (path, n) =>
    send(
      `RN03.${n}`,
      `POST ${path} is 404 in the second shape`,
      { path, body: {} },
      failing(404, 'not_found', { is: { detail: { error: 'not_found' } } }),
    ),
  ),
  send(
    'RN04',
    'GET /shapeB/research/{id} is 404 in the second shape',
    { path: '/shapeB/research/abc' },
    failing(404, 'not_found', { is: { detail: { error: 'not_found' } } }),
  ),

  ...each(
    ROUTES.flatMap((path) => ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD'].map((method) => ({ path, method }))),
    ({ path, method }, n) =>
      send(
        `RM01.${n}`,
        `${method} ${path} is 405 and names the methods`,
        { method, path },
        method === 'HEAD'
          ? { status: 405, headers: { allow: /POST/ } }
          : failing(405, 'method_not_allowed', { headers: { allow: /POST/ } }),
      ),
  ),
  ...each(
    ['/search', '/contents', '/findSimilar', '/shapeA/search', '/v1/billing/auto-reload', '/v1/keys/free'],
    (path, n) =>
      send(
        `RM02.${n}`,
        `GET ${path} is 405`,
        { path },
        failing(405, 'method_not_allowed', { headers: { allow: /POST/ } }),
      ),
  ),
  send(
    'RM03.1',
    'POST /v1/balance is 405',
    { path: '/v1/balance', body: {} },
    failing(405, 'method_not_allowed', { headers: { allow: /GET/ } }),
  ),
  send('RM03.2', 'POST /r/{url} reads the page', { path: `/r/${url}`, body: {} }, served(1)),
  ...each(['PUT', 'DELETE', 'PATCH'], (method, n) =>
    send(
      `RM04.${n}`,
      `${method} /r/{url} is 405`,
      { method, path: `/r/${url}` },
      failing(405, 'method_not_allowed'),
    ),
  ),
  send('RM05', 'POST /buy/{pack} is 405', { path: '/buy/instant', body: {} }, { status: 405 }),
  send(
    'RM06',
    'HEAD /r/{url} is 405 and costs nothing',
    { method: 'HEAD', path: `/r/${url}` },
    { status: 405 },
  ),
  {
    ...send(
      'RM07',
      'HEAD /r/{url} takes no free request',
      { method: 'HEAD', path: `/r/${url}` },
      { status: 405, counted: 0 },
    ),
    as: 'keyless',
  },
];
