import { type Case, failing, posting, sending } from './spec-case.ts';

const down = failing(503, 'recall_unavailable');
const keyless = { as: 'keyless' } as const;

/** "503 recall_unavailable, with message: web search backends are down; retry shortly." */
export const OUTAGE_CASES: Case[] = [
  posting('/v1/search')(
    'OU01',
    'a search is 503 recall_unavailable',
    'interface: Errors',
    { query: 'q' },
    down,
  ),
  posting('/v1/search')(
    'OU02',
    'it has a message',
    'interface: Errors',
    { query: 'q' },
    { ...down, message: /\S/ },
  ),
  posting('/v1/search')(
    'OU03',
    'it says when to try again',
    'interface: Errors',
    { query: 'q' },
    { ...down, headers: { 'retry-after': /^\d+$/ } },
  ),
  posting('/search')('OU04', 'an alias does the same', 'interface: Errors', { query: 'q' }, down),
  posting('/v1/search')(
    'OU05',
    'the credit is refunded',
    'interface: Errors, rule 1',
    { query: 'q', contents: true },
    { ...down, charged: 0 },
  ),
  posting('/v1/search', keyless)(
    'OU06',
    'a free request stays counted',
    'interface: Errors, rule 2',
    { query: 'q' },
    { ...down, counted: 1 },
  ),
  posting('/v1/findSimilar')(
    'OU07',
    'a similar-page search is 503',
    'decision 25',
    { url: '{site}/birds' },
    down,
  ),
  posting('/v1/findSimilar')(
    'OU08',
    'a lost page is 502 before any source is asked',
    'interface: Errors',
    { url: '{site}/lost' },
    failing(502, 'fetch_failed'),
  ),
  posting('/shapeB/search')(
    'OU09',
    'the second shape has the code as text',
    'decision 29',
    { query: 'q' },
    { ...down, is: { detail: { error: 'recall_unavailable' } } },
  ),
  posting('/shapeB/search', keyless)(
    'OU10',
    'a free request of the second shape stays counted',
    'interface: Errors, rule 2',
    { query: 'q' },
    { ...down, counted: 1 },
  ),
  posting('/v1/search')(
    'OU11',
    'a bad request is still 422',
    'interface: Errors',
    { query: '' },
    failing(422, 'validation_error'),
  ),
  posting('/v1/contents')(
    'OU12',
    'contents need no source',
    'interface: POST /v1/contents',
    { urls: ['{site}/birds'] },
    { status: 200, charged: 1 },
  ),
  sending()(
    'OU13',
    'the reader needs no source',
    'interface: GET /r/{url}',
    { path: '/r/{site}/birds' },
    { status: 200, charged: 1 },
  ),
];
