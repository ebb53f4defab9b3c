/**
 * The shape of Firecrawl, versions 1 and 2: its routes, errors and account. Pages as documents are in firecrawl-documents.ts, their formats
 * in firecrawl-formats.ts, search and map in firecrawl-search.ts, crawls and batches in firecrawl-jobs.ts, what a model writes in
 * firecrawl-written.ts and firecrawl-extract.ts. Operations that need an agent or a browser session are missing.
 */

import * as z from 'zod';
import type { BalanceReader } from '../../billing/balance.ts';
import type { FailureCode } from '../../contract/errors.ts';
import { CALLS_AT_ONCE_MAX } from '../../contract/limits.ts';
import type { SiteMap } from '../../crawl/site/site-map.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FairQueue } from '../../platform/fairness/fair-queue.ts';
import type { ReadOperation } from '../../search/read.ts';
import type { Search } from '../../search/search.ts';
import type { TrackChanges } from '../../versions/track-changes.ts';
import type { Writer } from '../../writing/writer.ts';
import type { Answer, Call, FreeRoute, Route } from '../calls/call.ts';
import { findPayer } from '../calls/caller.ts';
import { createErrorFormat, type ErrorFormat } from '../calls/error-format.ts';
import { createKeptReports } from '../calls/kept-reports.ts';
import type { Operation, Parameter, Terms } from '../calls/operation.ts';
import { addWritingTime, LIMITS } from '../calls/route-limits.ts';
import { UPLOAD } from '../calls/upload.ts';
import { limitSearch } from '../writing/search-within.ts';
import { NEEDS_MODEL } from '../writing/write-text.ts';
import {
  buildPostRoute,
  type CompatShape,
  failureText,
  type MissingOperations,
  NO_MODEL,
  toSnakeCase,
} from './core.ts';
import {
  createParseFileHandler,
  createScrapeHandler,
  ParseFileBody,
  ScrapeBody,
} from './firecrawl-documents.ts';
import { createExtractHandler, createExtractStatusHandler, EXTRACT_OPERATIONS } from './firecrawl-extract.ts';
import { BatchScrapeBody, buildJobRoutes, CrawlJobBody, type StartJobDeps } from './firecrawl-jobs.ts';
import {
  createFirecrawlMapHandler,
  createFirecrawlSearchHandler,
  FirecrawlDocument,
  MapAnswer,
  MapBody,
  SearchAnswer,
  SearchBody,
} from './firecrawl-search.ts';
import { addWrittenFormats, addWrittenSearchFormats } from './firecrawl-written.ts';

type FirecrawlDeps = StartJobDeps & {
  read: ReadOperation;
  search: Search;
  trackChanges: TrackChanges;
  siteMap: SiteMap;
  clock: Clock;
  balanceOf: BalanceReader;
  calls: Pick<FairQueue, 'held'>;
  terms: Terms | null;
  forgettings: Parameters<typeof createKeptReports>[0];
};

/** Builds the routes: version 2 at the root and below `/firecrawl`, version 1 only below `/firecrawl`, because `/v1` is ours. */
function buildFirecrawlRoutes(deps: FirecrawlDeps): Route[] {
  const { siteMap, calls, terms, writer } = deps;
  // The search leaves a model that writes its time.
  const searching = writer === null ? deps : { ...deps, search: limitSearch(deps.search) };
  return [
    buildPostRoute(
      [...listV2Paths('scrape'), '/firecrawl/v1/scrape'],
      addWritingTime(LIMITS.page, deps.writer),
      addWrittenFormats(createScrapeHandler(deps), deps.writer),
    ),
    buildPostRoute(
      [...listV2Paths('search'), '/firecrawl/search'],
      addWritingTime(LIMITS.similar, writer),
      addWrittenSearchFormats(createFirecrawlSearchHandler(searching, 2), writer),
    ),
    buildPostRoute(
      ['/firecrawl/v1/search'],
      addWritingTime(LIMITS.similar, writer),
      addWrittenSearchFormats(createFirecrawlSearchHandler(searching, 1), writer),
    ),
    { ...buildPostRoute(listV2Paths('parse'), LIMITS.page, createParseFileHandler(deps)), ...UPLOAD },
    buildPostRoute(listV2Paths('map'), LIMITS.site, createFirecrawlMapHandler(siteMap, 2)),
    buildPostRoute(['/firecrawl/v1/map'], LIMITS.site, createFirecrawlMapHandler(siteMap, 1)),
    ...buildJobRoutes(deps, (name) => [...listV2Paths(name), `/firecrawl/v1/${name}`]),
    buildFreeRoute(listV2Paths('concurrency-check'), 'caller', createConcurrencyHandler(calls)),
    buildFreeRoute(
      [...listV2Paths('team/queue-status'), '/firecrawl/v1/team/queue-status'],
      'caller',
      createQueueStatusHandler(deps),
    ),
    ...buildExtractRoutes(deps),
    ...(terms === null ? [] : buildTeamRoutes(deps)),
  ];
}

function buildExtractRoutes({ writer, ...deps }: FirecrawlDeps): Route[] {
  if (writer === null) return [];
  const kept = createKeptReports(deps.forgettings);
  const paths = [...listV2Paths('extract'), '/firecrawl/v1/extract'];
  const start = buildPostRoute(
    paths,
    addWritingTime(LIMITS.page, writer),
    createExtractHandler({ ...deps, writer, kept }),
  );
  const status = buildFreeRoute(
    paths.map((path) => `${path}/:id`),
    'caller',
    createExtractStatusHandler(kept),
  );
  return [
    { ...start, usesModel: true },
    { ...status, usesModel: true },
  ];
}

/** Routes for the remaining credits and tokens of a team, for the owner of a key. */
function buildTeamRoutes({ balanceOf, writer }: Pick<FirecrawlDeps, 'balanceOf' | 'writer'>): FreeRoute[] {
  return [
    buildFreeRoute(listV2Paths('team/credit-usage'), 'key', createCreditUsageHandler(balanceOf, 2)),
    buildFreeRoute(['/firecrawl/v1/team/credit-usage'], 'key', createCreditUsageHandler(balanceOf, 1)),
    buildFreeRoute(listV2Paths('team/token-usage'), 'key', createTokenUsageHandler(writer, 2)),
    buildFreeRoute(['/firecrawl/v1/team/token-usage'], 'key', createTokenUsageHandler(writer, 1)),
  ];
}

const listV2Paths = (name: string): string[] => [`/v2/${name}`, `/firecrawl/v2/${name}`];

function buildFreeRoute(
  paths: string[],
  callers: FreeRoute['callers'],
  handle: FreeRoute['handle'],
): FreeRoute {
  return { method: 'GET', paths, callers, limit: LIMITS.ledger, handle };
}

/** Bodies about the account of a key by version of the shape: version 1 spells the same fields in snake case. There are no billing periods. */
const describeUsage = (title: string, amounts: z.ZodRawShape) => {
  const fields = { ...amounts, billingPeriodStart: z.null(), billingPeriodEnd: z.null() };
  const describe = (data: z.ZodRawShape) => z.object({ success: z.literal(true), data: z.object(data) });
  return {
    2: describe(fields).meta({ title }),
    1: describe(spellInSnakeCase(fields)).meta({ title: `${title}V1` }),
  };
};
const CREDIT_USAGE = describeUsage('FirecrawlCreditUsage', {
  remainingCredits: z.int(),
  planCredits: z.int(),
});
const TOKEN_USAGE = describeUsage('FirecrawlTokenUsage', {
  remainingTokens: z.int().meta({ description: 'Tokens of its model that are left today.' }),
  planTokens: z.int().meta({ description: 'Tokens of its model in a day.' }),
});

function spellInSnakeCase<Value>(fields: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [toSnakeCase(name), value]));
}

function buildUsage(amounts: Record<string, number>, version: 1 | 2): Answer {
  const data = { ...amounts, billingPeriodStart: null, billingPeriodEnd: null };
  return { body: { success: true, data: version === 1 ? spellInSnakeCase<number | null>(data) : data } };
}

const QueueStatusAnswer = z
  .object({
    success: z.literal(true),
    jobsInQueue: z.int().meta({ description: 'Both of the following together.' }),
    activeJobsInQueue: z.int().meta({ description: 'Calls that run now.' }),
    waitingJobsInQueue: z
      .int()
      .meta({ description: 'Addresses that crawls and batches have still to read.' }),
    maxConcurrency: z.int(),
    mostRecentSuccess: z.null().meta({ description: 'Always null.' }),
  })
  .meta({ title: 'FirecrawlQueueStatus' });
const ConcurrencyAnswer = z
  .object({ success: z.literal(true), concurrency: z.int(), maxConcurrency: z.int() })
  .meta({ title: 'FirecrawlConcurrency' });

/** GET team/credit-usage: the credits left on the calling key. There are no plans. */
function createCreditUsageHandler(balanceOf: BalanceReader, version: 1 | 2): FreeRoute['handle'] {
  return async ({ caller }) => {
    const payer = findPayer(caller);
    const remainingCredits = payer.kind === 'key' ? (await balanceOf(payer.keyId)).credits : 0;
    return buildUsage({ remainingCredits, planCredits: 0 }, version);
  };
}

/** GET team/token-usage: the tokens of the operator's model, which all callers share; none without a model. */
function createTokenUsageHandler(writer: Writer | null, version: 1 | 2): FreeRoute['handle'] {
  return async () => {
    if (writer === null) return buildUsage({ remainingTokens: 0, planTokens: 0 }, version);
    const { today, tokensPerDay } = await writer.state();
    const remainingTokens = Math.max(0, tokensPerDay - today.tokens);
    return buildUsage({ remainingTokens, planTokens: tokensPerDay }, version);
  };
}

/** GET /v2/team/queue-status: the caller's running calls, and the addresses that its jobs have yet to read. */
function createQueueStatusHandler({
  calls,
  jobs,
}: {
  calls: Pick<FairQueue, 'held'>;
  jobs: Pick<Jobs, 'running'>;
}): FreeRoute['handle'] {
  return async ({ tenant }) => {
    const active = calls.held(tenant);
    const waiting = (await jobs.running(tenant ?? '')).reduce((sum, { pending }) => sum + pending, 0);
    return {
      body: {
        success: true,
        jobsInQueue: active + waiting,
        activeJobsInQueue: active,
        waitingJobsInQueue: waiting,
        maxConcurrency: CALLS_AT_ONCE_MAX / 2,
        mostRecentSuccess: null,
      },
    };
  };
}

/** GET /v2/concurrency-check: the caller's running priced calls, and the maximum while nobody else calls. */
function createConcurrencyHandler(calls: Pick<FairQueue, 'held'>): (call: Call) => Promise<Answer> {
  return async ({ tenant }) => ({
    body: { success: true, concurrency: calls.held(tenant), maxConcurrency: CALLS_AT_ONCE_MAX / 2 },
  });
}

const plain = createErrorFormat(({ code, text, requestId }) => ({
  success: false,
  error: text,
  code,
  requestId,
}));

/** Clients retry a call answered with 502, and read 408 as a page that was too slow. */
const PAGE_FAILED = 500;
const PAGE_TOO_SLOW = 408;

const chooseStatus = (code: FailureCode): number =>
  code === 'fetch_failed' ? PAGE_FAILED : plain.statusOf(code);

/** `{success: false, error, code}`, where `error` is for people and contains the payment link if credits are missing. */
const FORMAT: ErrorFormat = {
  statusOf: chooseStatus,
  word(failure, circumstances) {
    const isTooSlow = failure.code === 'fetch_failed' && failure.fetch?.reason === 'timeout';
    const status = isTooSlow ? PAGE_TOO_SLOW : chooseStatus(failure.code);
    return { ...plain.word(failure, circumstances), status };
  },
};

const FailureBody = z
  .object({
    success: z.literal(false),
    error: failureText,
    code: z.string(),
    requestId: z.string(),
  })
  .meta({ title: 'FirecrawlFailure' });

const MISSING: MissingOperations = {
  bases: ['/v2', '/firecrawl/v2', '/firecrawl/v1'],
  operations: [
    {
      why: `${NO_MODEL} Read the page with /v2/scrape and give it to a model of your own.`,
      names: ['agent', 'agent/threads', 'deep-research', 'llmstxt', 'crawl/params-preview'],
    },
    {
      why: 'It takes a browser session, which this service does not have. /v2/scrape reads pages without one.',
      names: ['browser', 'interact', 'scrape/:id/interact'],
    },
    {
      why: 'Its monitors have another form. POST /v1/monitors watches pages, sites, feeds and searches.',
      names: ['monitor'],
    },
    {
      why: 'This service has no such index. /v2/search searches all of its sources.',
      names: ['search/research', 'search/developer', 'search/gov'],
    },
    {
      why: 'There are no billing periods. GET /shapeB/usage says what a key has used in this month.',
      names: ['team/credit-usage/historical', 'team/token-usage/historical'],
    },
  ],
};

const texts = z.array(z.string());
const started = {
  success: z.literal(true),
  id: z.string(),
  url: z.string().meta({ description: 'Where its status is.' }),
  webhookSecret: z.string().optional().meta({
    description: 'Signs its events: `X-Firecrawl-Signature` is `sha256=` and the HMAC-SHA-256 of the body.',
  }),
};
const CrawlStarted = z.object(started).meta({ title: 'CrawlStarted' });
const BatchStarted = z
  .object({ ...started, invalidURLs: texts.meta({ description: 'Addresses that may not be read.' }) })
  .meta({ title: 'BatchStarted' });
const JobStatus = z
  .object({
    success: z.literal(true),
    status: z.enum(['scraping', 'completed', 'failed', 'cancelled']),
    completed: z.int().min(0).meta({ description: 'Pages in the results.' }),
    total: z.int().min(0).meta({ description: 'Those, and the pages that failed or wait.' }),
    creditsUsed: z.int().min(0).optional().meta({ costs: true }),
    expiresAt: z.string().meta({ description: 'When the results are deleted.' }),
    next: z.string().optional().meta({ description: 'More results; absent where there are none yet.' }),
    warning: z.string().optional().meta({ description: 'Why the results are not complete.' }),
    error: z.string().optional().meta({ description: 'Why the job failed.' }),
    data: z.array(FirecrawlDocument),
  })
  .meta({ title: 'JobStatus' });
const JobCancelled = z
  .object({ success: z.literal(true), status: z.literal('cancelled') })
  .meta({ title: 'JobCancelled' });
const JobErrors = z
  .object({
    errors: z.array(
      z.object({
        id: z.string(),
        timestamp: z.string(),
        url: z.string(),
        code: z.string(),
        error: z.string(),
      }),
    ),
    robotsBlocked: texts.meta({ description: 'Pages that robots.txt does not allow.' }),
  })
  .meta({ title: 'JobErrors' });
const RunningCrawls = z
  .object({
    success: z.literal(true),
    crawls: z.array(
      z.looseObject({ id: z.string(), teamId: z.string(), url: z.string(), created_at: z.string() }),
    ),
  })
  .meta({ title: 'RunningCrawls' });
const jobId = z.uuid().meta({ examples: ['6f1c3c8e-9f1b-4a51-8d3e-2b7f3c0f6a10'] });
const id: Parameter = { name: 'id', in: 'path', required: true, about: 'The job.', schema: jobId };
const slice: Parameter[] = [
  { name: 'skip', in: 'query', about: 'Results to leave out.', schema: z.int().min(0) },
  { name: 'limit', in: 'query', about: 'Results in the answer, at most 100.', schema: z.int().min(1) },
];
const CRAWL = { title: 'crawl', path: '/v2/crawl' };
const BATCH = { title: 'batch', path: '/v2/batch/scrape' };
/** The operations of asynchronous jobs. */
const JOB_OPERATIONS: Record<string, Operation> = {
  'POST /v2/crawl': {
    id: 'startFirecrawlCrawl',
    tag: 'drop-in',
    summary: 'Start a crawl, as Firecrawl',
    about:
      'Reads the pages of a site in the background, robots.txt obeyed. Goes on if the server restarts. At most 10 pages without a key.',
    price: '1 credit for each page in its results.',
    body: CrawlJobBody,
    answer: CrawlStarted,
    errors: ['url_not_allowed', 'validation_error'],
    example: { body: { url: 'https://example.org/', limit: 20, includePaths: ['^/docs/'] } },
  },
  'POST /v2/batch/scrape': {
    id: 'startFirecrawlBatch',
    tag: 'drop-in',
    summary: 'Read many pages, as Firecrawl',
    about: 'Reads up to 1,000 pages in the background. At most 10 without a key.',
    price: '1 credit for each page in its results.',
    body: BatchScrapeBody,
    answer: BatchStarted,
    errors: ['url_not_allowed', 'validation_error'],
    example: { body: { urls: ['https://example.org/'], formats: ['markdown'] } },
  },
  'GET /v2/crawl/ongoing': {
    id: 'listFirecrawlCrawls',
    tag: 'drop-in',
    summary: 'List running crawls, as Firecrawl',
    about: 'Those of the key (or the network) that asks.',
    price: 'Free.',
    answer: RunningCrawls,
    errors: [],
    example: { path: '/v2/crawl/ongoing' },
  },
  ...buildJobOperations(CRAWL),
  ...buildJobOperations(BATCH),
};

const SEARCH: Operation = {
  id: 'firecrawlSearch',
  tag: 'drop-in',
  summary: 'Search the web, as Firecrawl',
  about:
    'Results have a passage of their page; with `scrapeOptions` each page is read, and a model of the service, if it has one, writes their `json` and `summary`. `/firecrawl/v1/search` lists the results without groups.',
  price: '1 credit, 1 for each page that is read, and 2 for each part that a model wrote of it.',
  body: SearchBody,
  answer: SearchAnswer,
  errors: ['validation_error', 'recall_unavailable'],
  example: { body: { query: 'how does write-ahead logging work', limit: 3 } },
};

const MAP: Operation = {
  id: 'firecrawlMap',
  tag: 'drop-in',
  summary: 'List the addresses of a site, as Firecrawl',
  about:
    'Reads sitemaps and pages until the limit or the timeout (15 s by default) is reached. `/firecrawl/v1/map` lists texts.',
  price: '1 credit.',
  body: MapBody,
  answer: MapAnswer,
  errors: ['url_not_allowed', 'validation_error', 'request_timeout', 'fetch_failed'],
  example: { body: { url: 'https://example.org/', limit: 10 } },
};

const CREDITS: Operation = {
  id: 'firecrawlCreditUsage',
  tag: 'drop-in',
  summary: 'Get the credits left on a key, as Firecrawl',
  about: 'There are no plans and no billing periods.',
  price: 'Free.',
  answer: CREDIT_USAGE[2],
  errors: [],
};

const TOKENS: Operation = {
  ...CREDITS,
  id: 'firecrawlTokenUsage',
  summary: 'Get the tokens left to the model, as Firecrawl',
  about:
    "The tokens that the operator's model may still use today, which all callers share; none where there is no model.",
  answer: TOKEN_USAGE[2],
};

/** The operations of Firecrawl's shape. */
const OPERATIONS: Record<string, Operation> = {
  'POST /v2/scrape': {
    id: 'firecrawlScrape',
    tag: 'drop-in',
    summary: 'Read one page, as Firecrawl',
    about:
      'For applications that take the address of a Firecrawl. `html`, `rawHtml`, `links`, `images`, `attributes`, tags and headers have the page fetched; plain Markdown may come from the cache.',
    price: '1 credit.',
    body: ScrapeBody,
    answer: z
      .object({ success: z.literal(true), data: FirecrawlDocument })
      .meta({ title: 'FirecrawlScrape' }),
    errors: ['url_not_allowed', 'validation_error', 'request_timeout', 'fetch_failed'],
    example: { body: { url: 'https://example.org/', formats: ['markdown', 'links'] } },
  },
  'POST /v2/parse': {
    id: 'firecrawlParse',
    tag: 'drop-in',
    summary: 'Read a file, as Firecrawl',
    about: 'A form with `file`, and `options` as JSON. Nothing of it is kept.',
    price: '1 credit.',
    body: ParseFileBody,
    answer: z.object({ success: z.literal(true), data: FirecrawlDocument }).meta({ title: 'FirecrawlParse' }),
    errors: ['validation_error'],
    example: {
      body: {
        file: 'IyBXYWRlcnMKClRoZXkgcnVuIGFsb25nIHRoZSBlZGdlIG9mIHRoZSB3YXZlcy4K',
        filename: 'waders.md',
      },
    },
  },
  'POST /v2/search': SEARCH,
  'POST /v2/map': MAP,
  'POST /firecrawl/v1/search': {
    ...SEARCH,
    id: 'firecrawlSearchV1',
    summary: 'Search the web, as version 1 of Firecrawl',
  },
  'POST /firecrawl/v1/map': {
    ...MAP,
    id: 'firecrawlMapV1',
    summary: 'List the addresses of a site, as version 1 of Firecrawl',
  },
  'GET /v2/team/credit-usage': CREDITS,
  'GET /firecrawl/v1/team/credit-usage': {
    ...CREDITS,
    id: 'firecrawlCreditUsageV1',
    summary: 'Get the credits left on a key, as version 1 of Firecrawl',
    answer: CREDIT_USAGE[1],
  },
  'GET /v2/team/token-usage': TOKENS,
  'GET /firecrawl/v1/team/token-usage': {
    ...TOKENS,
    id: 'firecrawlTokenUsageV1',
    summary: 'Get the tokens left on a key, as version 1 of Firecrawl',
    answer: TOKEN_USAGE[1],
  },
  'GET /v2/team/queue-status': {
    id: 'firecrawlQueueStatus',
    tag: 'drop-in',
    summary: 'Get what is waiting, as Firecrawl',
    about:
      "The caller's calls that run now, and the addresses that its crawls and batches have still to read.",
    price: 'Free.',
    answer: QueueStatusAnswer,
    errors: [],
  },
  'GET /v2/concurrency-check': {
    id: 'firecrawlConcurrency',
    tag: 'drop-in',
    summary: 'Get how many calls of a key run, as Firecrawl',
    about: 'The most is what a key may run while nobody else calls.',
    price: 'Free.',
    answer: ConcurrencyAnswer,
    errors: [],
  },
  ...JOB_OPERATIONS,
};

function buildJobOperations({ title, path }: typeof CRAWL): Record<string, Operation> {
  const buildAbout = (text: string) => ({ tag: 'drop-in' as const, price: 'Free.', about: text });
  const named = title === 'crawl' ? 'FirecrawlCrawl' : 'FirecrawlBatch';
  return {
    [`GET ${path}/:id`]: {
      id: `get${named}`,
      ...buildAbout(
        'Only the key (or the network) that started the job may ask. Results are kept for a day.',
      ),
      summary: `Ask for the results of a ${title}, as Firecrawl`,
      parameters: [id, ...slice],
      answer: JobStatus,
      errors: ['not_found'],
    },
    [`DELETE ${path}/:id`]: {
      id: `cancel${named}`,
      ...buildAbout('What it has read so far stays.'),
      price: 'Free; pages that were read stay charged.',
      summary: `Cancel a ${title}, as Firecrawl`,
      parameters: [id],
      answer: JobCancelled,
      errors: ['not_found', 'job_ended'],
    },
    [`GET ${path}/:id/errors`]: {
      id: `get${named}Errors`,
      ...buildAbout('Why pages are missing from the results.'),
      summary: `Ask for the errors of a ${title}, as Firecrawl`,
      parameters: [id],
      answer: JobErrors,
      errors: ['not_found'],
    },
  };
}

/** The shape of Firecrawl. */
export const FIRECRAWL: CompatShape<FirecrawlDeps> = {
  prefixes: ['/v2', '/firecrawl'],
  errors: { format: FORMAT, body: FailureBody },
  operations: OPERATIONS,
  missingWithoutModel: {
    bases: MISSING.bases,
    operations: [
      {
        why: `${NEEDS_MODEL} Read the page with /v2/scrape and give it to a model of your own.`,
        names: ['extract'],
      },
    ],
  },
  modelOperations: EXTRACT_OPERATIONS,
  missing: MISSING,
  buildRoutes: buildFirecrawlRoutes,
};
