import { READER_HEADERS } from '../../src/http/reader/reader-parameters.ts';
import { type Case, each, sending } from './spec-case.ts';

const ORIGIN = { origin: 'https://page.example' };
const PREFLIGHT = {
  ...ORIGIN,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'x-api-key,content-type',
};
const EXPOSED = [
  'X-Credits-Remaining',
  'X-Payment-URL',
  'X-Token-Savings',
  'X-Raw-Tokens',
  'X-Reader-Route',
  'X-Output-Tokens',
];
const ALLOWED = [
  ...['Authorization', 'x-api-key', 'Content-Type', 'Exa-Beta', 'X-Client-Source'],
  ...READER_HEADERS.map(({ name }) => name),
];

const send = sending();
const exposes = (name: string): RegExp => new RegExp(`(?:^|, *)${name}(?:,|$)`, 'i');
/** 401 is the quickest response of each. */
const UNKNOWN = { ...ORIGIN, 'x-api-key': 'nobody' };

/** Who may call from a page of another origin, and what such a page may read. */
export const CORS_CASES: Case[] = [
  ...each(
    [
      '/v1/search',
      '/search',
      '/shapeA/search',
      '/v1/contents',
      '/v1/findSimilar',
      '/shapeB/search',
      '/shapeB/extract',
      '/r/{site}/birds',
    ],
    (path, n) =>
      send(
        `CO01.${n}`,
        `a preflight for ${path} allows any origin`,
        { method: 'OPTIONS', path, headers: PREFLIGHT },
        {
          status: 204,
          counted: 0,
          headers: {
            'access-control-allow-origin': '*',
            'access-control-allow-methods': /POST/,
            'access-control-allow-credentials': null,
          },
        },
      ),
  ),
  ...each(ALLOWED, (name, n) =>
    send(
      `CO02.${n}`,
      `a page may send the header ${name}`,
      { method: 'OPTIONS', path: '/v1/search', headers: PREFLIGHT },
      { status: 204, counted: 0, headers: { 'access-control-allow-headers': exposes(name) } },
    ),
  ),
  ...each(EXPOSED, (name, n) =>
    send(
      `CO03.${n}`,
      `a page may read the header ${name}`,
      { path: '/v1/search', body: { query: 'q' }, headers: UNKNOWN },
      {
        status: 401,
        headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposes(name) },
      },
    ),
  ),
  send(
    'CO04',
    'a refusal may be read as well',
    { path: '/v1/search', body: {}, headers: ORIGIN },
    { status: 422, headers: { 'access-control-allow-origin': '*' } },
  ),
  ...each(['/v1/balance', '/nothing', '/buy/instant'], (path, n) =>
    send(
      `CO05.${n}`,
      `a page of another origin may not read ${path}`,
      { path, headers: ORIGIN },
      {
        status: path === '/nothing' ? 404 : path === '/v1/balance' ? 200 : 303,
        headers: { 'access-control-allow-origin': null },
      },
    ),
  ),
];
