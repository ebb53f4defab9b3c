import { z } from 'zod';
import { ReloadBody } from '../v1/account.ts';
import { ContentsBody } from '../v1/contents.ts';
import { SearchBody } from '../v1/search.ts';
import { SimilarBody } from '../v1/similar.ts';
import { VerifyBody } from '../v1/verify.ts';
import {
  BalanceBody,
  ContentsAnswerBody,
  FreeKeyBody,
  HealthBody,
  SearchAnswerBody,
  SourcesBody,
  VerifyAnswerBody,
} from './answers.ts';
import { EVIDENCE_OPERATIONS } from './evidence.ts';
import type { Operation } from './operation.ts';
import { SECOND_SHAPE_OPERATIONS } from './second-shape.ts';

/** Every operation that is for programs, by the method and the first path of its route; a test holds the routes to it. */
export const OPERATIONS: Record<string, Operation> = {
  'POST /v1/search': {
    id: 'search',
    tag: 'search',
    summary: 'Search the web',
    about:
      'Finds pages for a query, with their text, highlights or pruned context where `contents` asks for it. 1 credit.',
    body: SearchBody,
    answer: SearchAnswerBody,
    errors: ['validation_error', 'recall_unavailable'],
    example: {
      body: { query: 'how does write-ahead logging work', numResults: 3, contents: { highlights: true } },
    },
  },
  'POST /v1/contents': {
    id: 'contents',
    tag: 'pages',
    summary: 'Read pages',
    about:
      'Fetches up to ten addresses as Markdown. 1 credit for each that loads; the others are told in `statuses`.',
    body: ContentsBody,
    answer: ContentsAnswerBody,
    errors: ['validation_error', 'url_not_allowed'],
    example: { body: { urls: ['https://example.org/'], text: { maxCharacters: 2000 } } },
  },
  'POST /v1/findSimilar': {
    id: 'findSimilar',
    tag: 'search',
    summary: 'Find pages like a page',
    about: 'Fetches the page, takes its topic terms and searches outside its domain. 1 credit.',
    body: SimilarBody,
    answer: SearchAnswerBody,
    errors: ['validation_error', 'url_not_allowed', 'fetch_failed', 'recall_unavailable'],
    example: { body: { url: 'https://example.org/', numResults: 5 } },
  },
  'GET /r': {
    id: 'read',
    path: '/r/{url}',
    tag: 'pages',
    summary: 'Read one page as Markdown',
    about:
      'The address stands behind `/r/`, plain or percent-encoded. With `q` the page is pruned to what bears on the question. 1 credit.',
    parameters: [
      { name: 'url', in: 'path', required: true, about: 'A whole http(s) address.', schema: z.string() },
      { name: 'q', in: 'query', about: 'A question or topic.', schema: z.string().max(2_000) },
    ],
    answer: 'text/markdown',
    errors: ['url_not_allowed', 'validation_error', 'fetch_failed'],
    example: { path: '/r/https://example.org/' },
  },
  ...SECOND_SHAPE_OPERATIONS,
  ...EVIDENCE_OPERATIONS,
  'POST /v1/verify': {
    id: 'verify',
    tag: 'pages',
    summary: 'Verify quotations',
    about:
      'Tells whether quotations stand on a page, as they are or but for what copying changes, and where. Free; without a key it is one of the requests of the day. A page of which no copy is kept is fetched only for keys with credits left; others get 402.',
    body: VerifyBody,
    answer: VerifyAnswerBody,
    errors: ['validation_error', 'url_not_allowed', 'fetch_failed'],
    example: { body: { url: 'https://example.org/', quote: 'This domain is for use in examples' } },
  },
  'GET /v1/balance': {
    id: 'balance',
    tag: 'account',
    summary: 'What a key has left',
    about: 'Credits, auto-reload and the average use of the last 7 days. Free.',
    answer: BalanceBody,
    errors: [],
    example: { path: '/v1/balance' },
  },
  'POST /v1/billing/auto-reload': {
    id: 'autoReload',
    tag: 'account',
    summary: 'Set auto-reload',
    about: 'Turns it on (a saved card is needed) or off, and sets threshold, pack and monthly cap. Free.',
    body: ReloadBody,
    answer: BalanceBody,
    errors: ['validation_error', 'no_payment_method'],
    example: { body: { enabled: false } },
  },
  'POST /v1/keys/free': {
    id: 'claimFreeKey',
    tag: 'account',
    summary: 'Claim a free key',
    about: '2,500 credits without sign-up, once for each network.',
    answer: FreeKeyBody,
    errors: ['free_key_already_issued'],
  },
  'GET /v1/sources': {
    id: 'sources',
    tag: 'operator',
    summary: 'Where search looks',
    about: 'The state of every source of recall. Free.',
    answer: SourcesBody,
    errors: [],
    example: { path: '/v1/sources' },
  },
  'GET /metrics': {
    id: 'metrics',
    tag: 'operator',
    summary: 'Metrics',
    about: 'The text format of Prometheus, for loopback or with the token of the operator.',
    answer: 'text/plain',
    errors: [],
  },
  'GET /healthz': {
    id: 'healthz',
    tag: 'operator',
    summary: 'Whether the process lives',
    about: 'Depends on nothing outside the process.',
    answer: HealthBody,
    errors: [],
    example: { path: '/healthz' },
  },
  'GET /readyz': {
    id: 'readyz',
    tag: 'operator',
    summary: 'Whether traffic may come',
    about: '503 while the process drains or its store does not answer.',
    answer: HealthBody,
    errors: [],
    example: { path: '/readyz' },
  },
};
