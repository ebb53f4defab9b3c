import { type Case, failing, posting, sending } from './spec-case.ts';

const down = failing(503, 'recall_unavailable');
const keyless = { as: 'keyless' } as const;

/** "503 recall_unavailable, with message: web search backends are down; retry shortly." */
export const OUTAGE_CASES: Case[] = [
  posting('/v1/search')('OU01', 'a search is 503 recall_unavailable', { query: 'q' }, down),
  posting('/v1/search')('OU02', 'it has a message', { query: 'q' }, { ...down, message: /\S/ }),
  posting('/v1/search')(
    'OU03',
    'it says when to try again',
    { query: 'q' },
    { ...down, headers: { 'retry-after': /^\d+$/ } },
  ),
  posting('/search')('OU04', 'an alias does the same', { query: 'q' }, down),
  posting('/v1/search')(
    'OU05',
    'the credit is refunded',
    { query: 'q', contents: true },
    { ...down, charged: 0 },
  ),
  posting('/v1/search', keyless)(
    'OU06',
    'a free request stays counted',
    { query: 'q' },
    { ...down, counted: 1 },
  ),
  posting('/v1/findSimilar')('OU07', 'a similar-page search is 503', { url: '{site}/birds' }, down),
  posting('/v1/findSimilar')(
    'OU08',
    'a lost page is 502 before any source is asked',
    { url: '{site}/lost' },
    failing(502, 'fetch_failed'),
  ),
  posting('/shapeB/search')(
    'OU09',
    'the second shape has the code as text',
    { query: 'q' },
    { ...down, is: { detail: { error: 'recall_unavailable' } } },
  ),
  posting('/shapeB/search', keyless)(
    'OU10',
    'a free request of the second shape stays counted',
    { query: 'q' },
    { ...down, counted: 1 },
  ),
  posting('/v1/search')(
    'OU11',
    'a bad request is still 422',
    { query: '' },
    failing(422, 'validation_error'),
  ),
  posting('/v1/contents')(
    'OU12',
    'contents need no source',
    { urls: ['{site}/birds'] },
    { status: 200, charged: 1 },
  ),
  sending()('OU13', 'the reader needs no source', { path: '/r/{site}/birds' }, { status: 200, charged: 1 }),
];
