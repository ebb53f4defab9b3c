import * as z from 'zod';
import { PACK_NAMES, RELOAD } from '../../billing/ledger/prices.ts';
import type { Operation, Parameter } from '../calls/operation.ts';
import { COMPAT_SHAPES } from '../compat/compat-shapes.ts';
import { SearchAnswer as FirecrawlSearchAnswer } from '../compat/firecrawl-search.ts';
import { READER_ANSWER_HEADERS, READER_HEADERS, ReaderAnswerBody } from '../reader/reader-parameters.ts';
import { ReloadBody } from '../v1/account.ts';
import { AnswerBody, WrittenAnswerBody } from '../v1/answer.ts';
import { ContentsBody } from '../v1/contents.ts';
import { FORGET_PARAMETERS } from '../v1/forget.ts';
import { DocsSearchBody, LIBRARIES_PARAMETERS } from '../v1/libraries.ts';
import { ParseBody } from '../v1/parse.ts';
import { SearchBody } from '../v1/search.ts';
import { SimilarBody } from '../v1/similar.ts';
import { VerifyBody } from '../v1/verify.ts';
import { VerifyTextBody } from '../v1/verify-text.ts';
import { CHANGES_PARAMETERS, VERSIONS_PARAMETERS } from '../v1/versions.ts';
import {
  BalanceBody,
  ContentsAnswerBody,
  DocsAnswerBody,
  ForgottenBody,
  FreeKeyBody,
  FunctionsBody,
  HealthBody,
  LibrariesBody,
  ParseAnswerBody,
  QuotedAnswerBody,
  SearchAnswerBody,
  SourcesBody,
  VerifiedTextBody,
  VerifyAnswerBody,
} from './answers.ts';
import { EVIDENCE_OPERATIONS, WRITTEN_EVIDENCE_OPERATIONS } from './evidence.ts';
import { MONITOR_OPERATIONS } from './monitors.ts';
import { PRIVATE_SITE_OPERATIONS } from './private-sites.ts';
import { RECORD_OPERATIONS } from './records.ts';
import { SECOND_SHAPE_OPERATIONS } from './second-shape.ts';
import { VersionChangesBody, VersionsBody } from './version-answers.ts';

const createQueryParameter = (name: string, about: string, schema: z.ZodType): Parameter => ({
  name,
  in: 'query',
  about,
  schema,
});
/** The parameters of GET /buy/{pack}. */
const BUY_PARAMETERS: Parameter[] = [
  { name: 'pack', in: 'path', required: true, about: 'The pack to buy.', schema: z.enum(PACK_NAMES) },
  createQueryParameter(
    'auto_reload',
    '1 turns auto-reload on and saves the card; off without it.',
    z.enum(['1']),
  ),
  createQueryParameter(
    'threshold',
    'Reload when the credits fall below this number.',
    z.int().min(RELOAD.thresholdMin).max(RELOAD.thresholdMax).default(RELOAD.threshold),
  ),
  createQueryParameter(
    'reload_pack',
    'The pack that each reload buys.',
    z.enum(PACK_NAMES).default(RELOAD.pack),
  ),
  createQueryParameter(
    'monthly_max_usd',
    "Cap on a UTC month's auto-reload spend, in USD.",
    z
      .number()
      .min(RELOAD.capUsdMin)
      .max(RELOAD.capUsdMax)
      .default(RELOAD.capUsd)
      .meta({ examples: [50, 19.99] }),
  ),
  createQueryParameter(
    'k',
    'A signed reference to the key to top up, as in the links of a 402; empty counts as absent.',
    z.string().meta({ examples: [''] }),
  ),
];

const SEARCH: Operation = {
  id: 'search',
  tag: 'search',
  summary: 'Search the web',
  about:
    'Finds pages for a query; `contents` adds their text, highlights or pruned context. With `library`, `kind` or `project` only the documentation that is held here is searched.',
  price: '1 credit.',
  body: SearchBody,
  answer: SearchAnswerBody,
  errors: ['validation_error', 'recall_unavailable'],
  example: {
    body: { query: 'how does write-ahead logging work', numResults: 3, contents: { highlights: true } },
  },
};

const ANSWER: Operation = {
  id: 'answer',
  tag: 'search',
  summary: 'Answer a question with a quotation',
  about:
    'Searches, reads the best pages and quotes the passage that answers the question, verbatim. With `stream` the same answer comes as server-sent events (`text/event-stream`), framed as chat completions.',
  price: '1 credit.',
  body: AnswerBody,
  answer: QuotedAnswerBody,
  otherTypes: ['text/event-stream'],
  errors: ['validation_error', 'recall_unavailable'],
  example: { body: { query: 'What is a write-ahead log?' } },
};

/** Every API operation, keyed by method and first path of its route; a test checks that no route is missing. */
export const OPERATIONS: Record<string, Operation> = {
  'POST /v1/search': SEARCH,
  'POST /search': {
    ...SEARCH,
    id: 'searchUnversioned',
    summary: 'Search the web (alias of /v1/search)',
    about: `${SEARCH.about} With \`scrapeOptions\`, which clients of Firecrawl send, the call is POST /v2/search.`,
    otherAnswer: FirecrawlSearchAnswer,
  },
  'GET /v1/libraries': {
    id: 'libraries',
    tag: 'search',
    summary: 'Find libraries',
    about: 'The libraries whose documentation is held here, the best match first.',
    price: 'Free.',
    parameters: LIBRARIES_PARAMETERS,
    answer: LibrariesBody,
    errors: [],
    example: { path: '/v1/libraries?query=fastify' },
  },
  'POST /v1/libraries/search': {
    id: 'searchDocs',
    tag: 'search',
    summary: 'Search documentation',
    about:
      'Finds the passages that answer a question in the documentation of libraries, at their versions, within a budget of tokens. What is not held is 422, with what is.',
    price: '1 credit.',
    body: DocsSearchBody,
    answer: DocsAnswerBody,
    errors: ['validation_error', 'recall_unavailable'],
    example: { body: { question: 'how do I add a hook to every request', tokens: 2000 } },
  },
  'POST /v1/answer': ANSWER,
  'POST /v1/contents': {
    id: 'contents',
    tag: 'pages',
    summary: 'Read pages',
    about: 'Returns up to ten pages as Markdown. `statuses` says why the others failed.',
    price: '1 credit for each page that loads.',
    body: ContentsBody,
    answer: ContentsAnswerBody,
    errors: ['validation_error', 'url_not_allowed'],
    example: { body: { urls: ['https://example.org/'], text: { maxCharacters: 2000 } } },
  },
  'POST /v1/parse': {
    id: 'parse',
    tag: 'pages',
    summary: 'Read a file',
    about:
      'A PDF, Office file, page, mail or text of at most 16 MB: as the body, in a form as `file`, or in JSON. Nothing of it is kept.',
    price: '1 credit.',
    body: ParseBody,
    answer: ParseAnswerBody,
    errors: ['validation_error'],
    example: {
      body: {
        file: 'IyBXYWRlcnMKClRoZXkgcnVuIGFsb25nIHRoZSBlZGdlIG9mIHRoZSB3YXZlcy4K',
        filename: 'waders.md',
      },
    },
  },
  'POST /v1/findSimilar': {
    id: 'findSimilar',
    tag: 'search',
    summary: 'Find similar pages',
    about: 'Reads the page, extracts its topic terms and searches for them outside its domain.',
    price: '1 credit.',
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
      'Put the URL after `/r/`, plain or percent-encoded. `q` prunes the page to the parts relevant to the question. `Accept: application/json` alone returns JSON.',
    price: '1 credit.',
    parameters: [
      { name: 'url', in: 'path', required: true, about: 'The full http(s) URL.', schema: z.string() },
      { name: 'q', in: 'query', about: 'A question or topic.', schema: z.string().max(2_000) },
      {
        name: 'at',
        in: 'query',
        about:
          'An instant or a day: the version of the page that was in force then, from those that are kept; the first if none is older. Nothing is fetched.',
        schema: z.string().meta({ examples: ['2026-11-28T10:20:30Z'] }),
      },
      {
        name: 'Accept-Datetime',
        in: 'header',
        about: 'The same by RFC 7089.',
        schema: z.string().meta({ examples: ['Sat, 28 Nov 2026 10:20:30 GMT'] }),
      },
      ...READER_HEADERS,
    ],
    answer: 'text/markdown',
    headers: READER_ANSWER_HEADERS,
    json: ReaderAnswerBody,
    otherTypes: ['text/plain', 'image/png'],
    errors: ['url_not_allowed', 'bad_request', 'not_found', 'validation_error', 'fetch_failed'],
    example: { path: '/r/https://example.org/' },
  },
  'GET /v1/versions': {
    id: 'versions',
    tag: 'pages',
    summary: 'List versions of a page',
    about:
      'The kept versions of a page, the newest first: each change that a visit found. Which pages have some is up to the operator and to those who track pages.',
    price: 'Free.',
    parameters: VERSIONS_PARAMETERS,
    answer: VersionsBody,
    otherTypes: ['application/link-format'],
    errors: ['validation_error', 'not_found'],
    example: { path: '/v1/versions?url=https%3A%2F%2Fexample.org%2F' },
  },
  'GET /v1/versions/changes': {
    id: 'versionChanges',
    tag: 'pages',
    summary: 'Compare two versions',
    about:
      'How two kept versions of a page differ, block by block, with quotations and their offsets in both. Noise, such as the date of the page or a counter, is named as such.',
    price: 'Free.',
    parameters: CHANGES_PARAMETERS,
    answer: VersionChangesBody,
    otherTypes: ['text/markdown', 'text/plain'],
    errors: ['validation_error', 'not_found', 'overloaded'],
    example: { path: '/v1/versions/changes?url=https%3A%2F%2Fexample.org%2F' },
  },
  ...SECOND_SHAPE_OPERATIONS,
  ...EVIDENCE_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...MONITOR_OPERATIONS,
  ...PRIVATE_SITE_OPERATIONS,
  ...Object.assign({}, ...COMPAT_SHAPES.map(({ operations }) => operations)),
  'POST /v1/verify': {
    id: 'verify',
    tag: 'pages',
    summary: 'Verify quotations',
    about:
      'Checks whether quotations are on a page, verbatim or apart from changes that copying makes, and where. With `text` and without `url`: what the pages that a text cites say about each of its sentences, by its numbers, dates, units, names and denials.',
    price:
      'Free; without a key it counts as one of the daily requests. If no copy of the page is cached, it is fetched only for keys with credits left; others get 402.',
    body: VerifyBody,
    otherBody: { name: 'verifyText', body: VerifyTextBody },
    answer: VerifyAnswerBody,
    otherAnswer: VerifiedTextBody,
    errors: ['validation_error', 'url_not_allowed', 'not_found', 'fetch_failed'],
    example: { body: { url: 'https://example.org/', quote: 'This domain is for use in examples' } },
  },
  'GET /tools.json': {
    id: 'tools',
    tag: 'drop-in',
    summary: 'List the tools as functions',
    about:
      "For the `tools` of chat APIs of the OpenAI kind. A model's call is sent to `/mcp` as `tools/call` with the same name and arguments.",
    price: 'Free.',
    answer: FunctionsBody,
    errors: [],
    example: { path: '/tools.json' },
  },
  'GET /v1/balance': {
    id: 'balance',
    tag: 'account',
    summary: 'Get the balance of a key',
    about: 'Credits, auto-reload and the average use of the last 7 days.',
    price: 'Free.',
    answer: BalanceBody,
    errors: [],
    example: { path: '/v1/balance' },
  },
  'POST /v1/billing/auto-reload': {
    id: 'autoReload',
    tag: 'account',
    summary: 'Set auto-reload',
    about:
      'Turns auto-reload on (requires a saved card) or off, and sets its threshold, pack and monthly cap.',
    price: 'Free.',
    body: ReloadBody,
    spelling: 'snake_case',
    answer: BalanceBody,
    errors: ['validation_error', 'no_payment_method'],
    example: { body: { enabled: false } },
  },
  'GET /buy/:pack': {
    id: 'buy',
    tag: 'account',
    summary: 'Buy credits',
    about:
      'A link for a person, not a call for a program: redirects to a payment page. After the payment the browser shows the new key.',
    price: 'Free.',
    parameters: BUY_PARAMETERS,
    answer: 'redirect',
    errors: ['not_found', 'validation_error', 'payment_unavailable'],
    example: { path: '/buy/instant' },
  },
  'POST /v1/keys/free': {
    id: 'claimFreeKey',
    tag: 'account',
    summary: 'Claim a free key',
    about: '2,500 credits without sign-up, once per network.',
    answer: FreeKeyBody,
    errors: ['free_key_already_issued'],
  },
  'GET /v1/sources': {
    id: 'sources',
    tag: 'operator',
    summary: 'List the search sources',
    about: 'The state of every source that search uses.',
    price: 'Free.',
    answer: SourcesBody,
    errors: [],
    example: { path: '/v1/sources' },
  },
  'GET /metrics': {
    id: 'metrics',
    tag: 'operator',
    summary: 'Metrics',
    about: 'Prometheus text format; requires loopback or the operator token.',
    answer: 'text/plain',
    errors: [],
  },
  'DELETE /v1/index': {
    id: 'forget',
    tag: 'operator',
    summary: 'Forget pages',
    about:
      'Deletes one page, the pages of a host with its subdomains, or all whose address begins with a prefix, from the index and every cache. Give exactly one parameter. Requires ADMIN_TOKEN as a bearer token; off without it.',
    parameters: FORGET_PARAMETERS,
    answer: ForgottenBody,
    errors: ['validation_error'],
  },
  'GET /healthz': {
    id: 'healthz',
    tag: 'operator',
    summary: 'Check liveness',
    about: 'Succeeds while the process runs; checks nothing outside it.',
    answer: HealthBody,
    isProbe: true,
    errors: [],
    example: { path: '/healthz' },
  },
  'GET /readyz': {
    id: 'readyz',
    tag: 'operator',
    summary: 'Check readiness',
    about: 'Returns 503 while the process drains or its store does not respond.',
    answer: HealthBody,
    isProbe: true,
    errors: ['overloaded'],
    example: { path: '/readyz' },
  },
};

/** Descriptions of the routes that exist only where the operator has set a model. */
export const MODEL_OPERATIONS: Readonly<Record<string, Operation>> = Object.assign(
  {
    'POST /v1/answer': {
      ...ANSWER,
      summary: 'Answer a question',
      about:
        'Searches and reads the best pages. A model writes the answer, and each statement of it is checked against the pages: what they do not prove is left out. Where nothing is left, the answer is a quotation. With `stream` it comes as server-sent events (`text/event-stream`), framed as chat completions: each statement as soon as it is proved, and the proofs in the last event.',
      price: '5 credits; 1 for a quotation.',
      body: WrittenAnswerBody,
    },
  },
  WRITTEN_EVIDENCE_OPERATIONS,
  ...COMPAT_SHAPES.map(({ modelOperations = {} }) => modelOperations),
);
