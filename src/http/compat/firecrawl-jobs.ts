/** Crawls and batches in the shape of Firecrawl: they outlive their request, and callers ask for their status and results. */

import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { Failure } from '../../contract/errors.ts';
import { JOBS, SITE } from '../../contract/limits.ts';
import { compilePattern } from '../../crawl/frontier/url-pattern.ts';
import { parseStartUrl } from '../../crawl/visit/start-url.ts';
import type {
  CrawlOrder,
  Job,
  JobOrder,
  JobReading,
  ReadForJob,
  WebhookOrder,
} from '../../jobs/job-types.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { FormatEvent } from '../../jobs/webhooks/deliver.ts';
import { type Page, toPageText } from '../../pages/article.ts';
import { buildPlainArticle } from '../../pages/formats/plain-article.ts';
import type { OpenPage } from '../../pages/open-page-types.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CheckUrl } from '../../platform/net/fetch-types.ts';
import type { PruneWorker } from '../../search/prune-worker.ts';
import type { TrackChanges } from '../../versions/track-changes.ts';
import type { Writer } from '../../writing/writer.ts';
import type { Answer, Call, Caller, FreeRoute, JsonObject, PricedRoute, Route, Task } from '../calls/call.ts';
import { buildIgnoredHeader, buildKnownFields, findIgnoredFields } from '../calls/ignored-fields.ts';
import { addScheme, createValidationFailure, isObject, parseBody, toCamelCase } from '../calls/json-body.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { findHeadersProblem } from '../calls/webhook-headers.ts';
import { address } from '../v1/contents.ts';
import { storeField } from '../v1/opening.ts';
import { flag } from './fields.ts';
import { describeChanges, describeRemoval } from './firecrawl-changes.ts';
import {
  buildScrape,
  findIgnoredOptions,
  type Rendering,
  type Scrape,
  scrapeOptions,
  toDocument,
  VERBATIM,
} from './firecrawl-documents.ts';
import { refuseWrittenFormats } from './firecrawl-written.ts';

const STATUS: Record<Job['state'], string> = {
  running: 'scraping',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

type PathsOf = (name: string) => string[];

/** Builds the routes of crawls and batches, which outlive their request; `pathsOf` returns the aliases of a path. */
export function buildJobRoutes(deps: StartJobDeps, pathsOf: PathsOf): Route[] {
  return [
    buildStartRoute(pathsOf('crawl'), createStartCrawlHandler(deps)),
    buildStartRoute(pathsOf('batch/scrape'), createStartBatchHandler(deps)),
    buildJobRoute(
      'GET',
      ['crawl/ongoing', 'crawl/active'].flatMap(pathsOf),
      createRunningCrawlsHandler(deps),
    ),
    ...buildStatusRoutes(deps, { kind: 'crawl', path: 'crawl', pathsOf }),
    ...buildStatusRoutes(deps, { kind: 'batch', path: 'batch/scrape', pathsOf }),
  ];
}

function buildStatusRoutes(
  deps: StartJobDeps,
  { kind, path, pathsOf }: { kind: 'crawl' | 'batch'; path: string; pathsOf: PathsOf },
): Route[] {
  const paths = pathsOf(`${path}/:id`);
  return [
    {
      ...buildJobRoute(
        'GET',
        paths,
        createJobStatusHandler(deps, kind === 'crawl' ? ['crawl', 'batch'] : ['batch']),
      ),
      compress: true,
    },
    buildJobRoute('DELETE', paths, createCancelHandler(deps, kind)),
    buildJobRoute('GET', pathsOf(`${path}/:id/errors`), createJobErrorsHandler(deps, kind)),
  ];
}

function buildStartRoute(paths: string[], prepare: PricedRoute['prepare']): PricedRoute {
  return { method: 'POST', paths, callers: 'payer', limit: LIMITS.job, prepare };
}

/** Builds a free route for the caller that started the job. */
function buildJobRoute(method: FreeRoute['method'], paths: string[], handle: FreeRoute['handle']): FreeRoute {
  return { method, paths, callers: 'caller', limit: LIMITS.job, forAnyPage: true, handle };
}

type StatusDeps = { jobs: Jobs; addressFor(call: Pick<Call, 'headers'>): string };

type Kind = Job['kind'];

/**
 * GET /v2/crawl/{id} and /v2/batch/scrape/{id}: the status of a job and a slice of its results. Old clients request their batches as
 * crawls. Errors: 404.
 */
function createJobStatusHandler({ jobs, addressFor }: StatusDeps, kinds: Kind[]): FreeRoute['handle'] {
  return async (call) => {
    const job = await findJob(jobs, call, kinds);
    const skip = parseWholeNumber(call.query.get('skip'), { max: JOBS.keyed.pagesMax, absent: 0 });
    const limit = parseWholeNumber(call.query.get('limit'), {
      max: JOBS.documentsMax,
      absent: JOBS.documentsMax,
    });
    const slice = await jobs.documents(job.id, { place: skip, limit: Math.max(1, limit) });
    const next = `${addressFor(call) + readPath(call)}?skip=${slice.last}`;
    const isMetered = call.caller.kind !== 'unmetered';
    const fields = { ...buildStatus(job, isMetered), ...(slice.last < job.pages ? { next } : {}) };
    return appendDocuments(fields, slice.documents);
  };
}

function buildStatus(job: Job, isMetered: boolean): JsonObject {
  const { state, pages, failed, pending, credits, reason, order } = job;
  const total = Math.min(order.pagesMax, pages + pending) + failed;
  return {
    success: true,
    status: STATUS[state],
    completed: pages,
    total,
    ...(isMetered ? { creditsUsed: credits } : {}),
    expiresAt: new Date(job.expires_at).toISOString(),
    ...(state === 'completed' && reason !== null ? { warning: describeReason(reason) } : {}),
    ...(state === 'failed' ? { error: describeReason(reason ?? '') } : {}),
  };
}

/** Appends the documents as text: they are JSON already and may be large. */
function appendDocuments(fields: JsonObject, documents: string[]): Answer {
  const head = JSON.stringify(fields).slice(0, -1);
  return {
    body: `${head},"data":[${documents.join(',')}]}`,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  };
}

/** DELETE: ends a running job. Errors: 404, 409 job_ended. */
function createCancelHandler({ jobs }: Pick<StatusDeps, 'jobs'>, kind: Kind): FreeRoute['handle'] {
  return async (call) => {
    const { id, state } = await findJob(jobs, call, [kind]);
    const before = state === 'running' ? await jobs.cancel(call.tenant ?? '', id) : null;
    if (before === null && state !== 'cancelled')
      throw new Failure('job_ended', `The job has ended already: it is ${STATUS[state]}.`);
    return { body: { success: true, status: 'cancelled' } };
  };
}

/** GET .../errors: the pages that could not be read. Errors: 404. */
function createJobErrorsHandler({ jobs }: Pick<StatusDeps, 'jobs'>, kind: Kind): FreeRoute['handle'] {
  return async (call) => {
    const { id } = await findJob(jobs, call, [kind]);
    const { failed, skipped } = await jobs.unread(id);
    return {
      body: {
        errors: failed.map(({ number, url, reason, at }) => ({
          id: `${id}-${number}`,
          timestamp: new Date(at).toISOString(),
          url,
          code: reason,
          error: describeReason(reason),
        })),
        robotsBlocked: skipped.filter(({ reason }) => reason === 'robots_txt').map(({ url }) => url),
      },
    };
  };
}

/** GET /v2/crawl/ongoing and /active: the caller's running crawls. */
function createRunningCrawlsHandler({ jobs }: Pick<StatusDeps, 'jobs'>): FreeRoute['handle'] {
  return async ({ tenant }) => {
    const running = await jobs.running(tenant ?? '');
    return {
      body: {
        success: true,
        crawls: running.flatMap(({ id, order: { crawl, pagesMax, reading }, owner, created_at }) =>
          crawl === null
            ? []
            : [
                {
                  id,
                  teamId: owner,
                  url: crawl.start,
                  created_at: new Date(created_at).toISOString(),
                  options: { limit: pagesMax, scrapeOptions: reading },
                },
              ],
        ),
      },
    };
  };
}

/** Throws `Failure('not_found')` for another owner's job and for one that does not exist. */
async function findJob(jobs: Jobs, { tenant, params }: Call, kinds: Kind[]): Promise<Job> {
  const job = await jobs.find(tenant ?? '', params.id ?? '');
  if (job !== null && kinds.includes(job.kind)) return job;
  throw new Failure('not_found', "There is no such job: it is unknown, another caller's, or has expired.");
}

/** Parses a whole number from 0 to `max`; anything else counts as absent. */
function parseWholeNumber(text: string | null, { max, absent }: { max: number; absent: number }): number {
  return /^\d{1,9}$/.test(text ?? '') ? Math.min(max, Number(text)) : absent;
}

const SIGNATURE_HEADER = 'x-firecrawl-signature';
/** Formats an event as receivers of this shape expect it: `{success, type, id, webhookId, data, metadata, error}`. */
export const formatFirecrawlEvent: FormatEvent = ({ id, job, event, document, error }) => {
  const kind = job.kind === 'crawl' ? 'crawl' : 'batch_scrape';
  const fields = {
    success: error === null,
    type: `${kind}.${event === 'page_failed' ? 'page' : event}`,
    id: job.id,
    webhookId: id,
    metadata: job.order.webhook?.metadata ?? {},
    ...(error === null ? {} : { error: describeReason(error.reason), code: error.reason }),
    ...(error?.url === null || error?.url === undefined ? {} : { url: error.url }),
  };
  // The document is JSON already.
  const body = `${JSON.stringify(fields).slice(0, -1)},"data":[${document ?? ''}]}`;
  return { body, signatureHeader: SIGNATURE_HEADER };
};
const WORDS: Readonly<Record<string, string>> = {
  insufficient_credits: 'The key ran out of credits before all pages were read.',
  host_gave_up: 'The host refused further requests.',
  too_large: 'The results reached the maximum size of a job.',
  too_long: 'The job reached the maximum time of a job.',
  cancelled: 'The job was cancelled.',
  internal: 'The job could not be continued.',
  robots_txt: 'robots.txt does not allow the page.',
  timeout: 'The page took too long.',
  wall: 'The page shows a bot check or a login instead of its content.',
  empty: 'The page has no readable text.',
  not_allowed: 'The address is not public.',
};
const Options = z.object(scrapeOptions);

const EVENTS = ['started', 'page', 'completed', 'failed'] as const;
const METADATA_CHARS_MAX = 8_192;
/** An address, or an object with an address, headers, metadata and the requested events. */
const webhook = z
  .unknown()
  .meta({
    description:
      'Where events are sent: an address, or {url, headers, metadata, events}. Events: started, page, completed, failed; all if absent. Needs a key.',
    examples: ['https://example.org/hook', { url: 'https://example.org/hook', events: ['completed'] }],
  })
  .transform((given, context): WebhookOrder | null => {
    const read = readWebhook(given);
    if (typeof read === 'object') return read;
    context.addIssue({ code: 'custom', message: read });
    return null;
  })
  .default(null);
/** Fields that crawls and batches share, besides the scrape options. */
const jobFields = {
  webhook,
  maxConcurrency: z
    .number('must be a number')
    .min(1, 'must be at least 1')
    .optional()
    .meta({ description: `Pages of one host read at once, at most ${JOBS.perHostMax}.` }),
  zeroDataRetention: flag.meta({
    description: 'true: nothing is kept but the results, which expire within a day.',
  }),
};
/** Version 1 of the shape prefixes events with the kind of the job: `crawl.page`. */
const isNamed = (given: unknown, event: string): boolean =>
  given === `crawl.${event}` || given === `batch_scrape.${event}`;
/** Returns the path of a call without its query. */
const readPath = ({ target }: Pick<Call, 'target'>): string => target.split('?')[0] ?? target;
/** POST /v2/batch/scrape. */
export const BatchScrapeBody = z.object({
  urls: z
    .array(z.string('must be addresses'), 'must be an array of addresses')
    .min(1, 'must not be empty')
    .max(JOBS.batchUrlsMax, `must have at most ${JOBS.batchUrlsMax} addresses`),
  ignoreInvalidURLs: flag.unwrap().default(true).meta({
    description: 'true: addresses that may not be read are named in `invalidURLs`; false: they end the call.',
  }),
  ...jobFields,
  ...scrapeOptions,
});

const patterns = z
  .array(z.string('must be regular expressions'), 'must be an array of regular expressions')
  .max(SITE.patterns.max, `must have at most ${SITE.patterns.max} regular expressions`)
  .default([])
  .superRefine((texts, context) => {
    for (const text of texts) {
      const compiled = compilePattern(text);
      if ('problem' in compiled)
        context.addIssue({ code: 'custom', message: `has a regular expression that ${compiled.problem}` });
    }
  })
  .meta({
    description: 'Regular expressions in RE2 syntax, matched against the path.',
    examples: [['^/docs/']],
  });

const ScrapeOptionsBody = z.object(scrapeOptions);

const depthField = z
  .number('must be a number')
  .min(0, 'must not be negative')
  .optional()
  .meta({ description: 'Maximum link distance from the start page and the pages in its sitemap.' });

/** POST /v2/crawl. */
export const CrawlJobBody = z.object({
  url: address,
  ...jobFields,
  limit: z
    .number('must be a number')
    .min(1, 'must be at least 1')
    .optional()
    .meta({ description: `Maximum pages; at most ${JOBS.keyed.pagesMax}, which is the default.` }),
  includePaths: patterns,
  excludePaths: patterns,
  regexOnFullURL: flag,
  maxDiscoveryDepth: depthField,
  sitemap: z.enum(['skip', 'include', 'only'], 'must be skip, include or only').default('include'),
  /** Version 1 names. */
  maxDepth: depthField,
  ignoreSitemap: flag,
  allowBackwardLinks: flag,
  ignoreQueryParameters: flag,
  deduplicateSimilarURLs: flag.unwrap().default(true),
  crawlEntireDomain: flag,
  allowExternalLinks: flag,
  allowSubdomains: flag,
  delay: z
    .number('must be a number of seconds')
    .min(0, 'must not be negative')
    .max(JOBS.delaySecondsMax, `must be at most ${JOBS.delaySecondsMax}`)
    .optional()
    .meta({ description: 'Seconds between two requests to one host.' }),
  scrapeOptions: z
    .looseObject({}, 'must be an object')
    .default({})
    .meta({ description: 'How each page is read: the fields of /v2/scrape, except url.' }),
  store: storeField,
});

type CrawlFields = z.output<typeof CrawlJobBody>;

/**
 * POST /v2/crawl: starts a crawl and returns its id. Counts as one request without a key; with one, each page costs a credit once it is in
 * the results. Errors: 400 url_not_allowed, 402, 422 validation_error, 429 rate_limited.
 */
function createStartCrawlHandler(deps: StartJobDeps): PricedRoute['prepare'] {
  return (call) => {
    const fields = parseBody(CrawlJobBody, call.body, { verbatim: VERBATIM });
    const { scrapeOptions: reading, store, webhook } = fields;
    if (deps.writer !== null) refuseWrittenFormats(reading, 'scrapeOptions.formats');
    const scrape = parseBody(ScrapeOptionsBody, reading, { verbatim: VERBATIM });
    const start = parseStartUrl(deps.checkUrl, addScheme(fields.url));
    return createStartTask(deps, call, {
      webhook,
      urls: [start],
      pages: fields.limit ?? null,
      creditsNeeded: 1,
      order: {
        crawl: buildCrawlOrder(fields, start),
        ...buildPacing(fields),
        reading,
        keep: store && !fields.zeroDataRetention && scrape.store && scrape.storeInCache,
      },
      ignored: [
        ...findIgnoredJobFields(call.body, Object.keys(CrawlJobBody.shape)),
        ...findIgnoredOptions(reading, scrape, deps).map((name) => `scrapeOptions.${name}`),
      ],
    });
  };
}

function buildCrawlOrder(fields: CrawlFields, start: string): CrawlOrder {
  const depth = fields.maxDiscoveryDepth ?? fields.maxDepth;
  return {
    start,
    include: fields.includePaths,
    exclude: fields.excludePaths,
    matchesWholeUrl: fields.regexOnFullURL,
    entireDomain: fields.crawlEntireDomain || fields.allowBackwardLinks,
    subdomains: fields.allowSubdomains,
    external: fields.allowExternalLinks,
    ignoresQuery: fields.ignoreQueryParameters,
    foldsSpellings: fields.deduplicateSimilarURLs,
    depthMax: depth === undefined ? null : Math.floor(depth),
    sitemap: fields.ignoreSitemap ? 'skip' : fields.sitemap,
  };
}

/**
 * POST /v2/batch/scrape: starts a job that reads addresses and returns its id. Counts as one request without a key; with one, each page
 * costs a credit once it is in the results. Errors: 400 url_not_allowed, 402, 422 validation_error, 429 rate_limited.
 */
function createStartBatchHandler(deps: StartJobDeps): PricedRoute['prepare'] {
  return (call) => {
    const { body } = call;
    if (deps.writer !== null) refuseWrittenFormats(body, 'formats');
    const fields = parseBody(BatchScrapeBody, body, { verbatim: VERBATIM });
    const { urls: asked, ignoreInvalidURLs, webhook, ...scrape } = fields;
    const { urls, invalid } = partitionUrls(deps.checkUrl, asked);
    if (!ignoreInvalidURLs && invalid.length > 0)
      throw new Failure('url_not_allowed', `${invalid[0]} is not the address of a public page`);
    assertSome(urls, call);
    const own = Object.keys(BatchScrapeBody.shape);
    return createStartTask(deps, call, {
      webhook,
      urls,
      pages: urls.length,
      creditsNeeded: urls.length,
      order: {
        crawl: null,
        ...buildPacing(fields),
        reading: pickScrapeOptions(body),
        keep: scrape.store && scrape.storeInCache && !fields.zeroDataRetention,
      },
      ignored: findIgnoredOptions(body, scrape, {
        others: [...own, 'apiKey'],
        rendersPages: deps.rendersPages,
      }),
      extra: { invalidURLs: invalid },
    });
  };
}

function assertSome(urls: string[], { caller }: Pick<Call, 'caller'>): void {
  if (urls.length === 0)
    throw createValidationFailure([{ field: 'urls', message: 'must have an address of a public page' }]);
  const { pagesMax } = JOBS.keyless;
  if (caller.kind === 'keyless' && urls.length > pagesMax)
    throw createKeyFailure(`More than ${pagesMax} addresses need an API key.`);
}

/** Keeps only the scrape options: the body may contain a key. */
function pickScrapeOptions(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => Object.hasOwn(scrapeOptions, toCamelCase(name))),
  );
}

/** Splits addresses into those that may be read, each once, and those that may not. */
function partitionUrls(checkUrl: CheckUrl, asked: string[]): { urls: string[]; invalid: string[] } {
  const urls = new Set<string>();
  const invalid: string[] = [];
  for (const url of asked) {
    try {
      urls.add(checkUrl(addScheme(url)).href);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      invalid.push(url);
    }
  }
  return { urls: [...urls], invalid };
}

export type StartJobDeps = Rendering & {
  jobs: Jobs;
  writer: Writer | null;
  checkUrl: CheckUrl;
  /** Throws `Failure('url_not_allowed')` for a URL that no webhook may be sent to. */
  checkWebhookUrl: CheckUrl;
  /** Returns the secret that signs an owner's webhooks. */
  webhookSecretOf(owner: string): string;
  /** Returns the address of the service as the caller knows it. */
  addressFor(call: Pick<Call, 'headers'>): string;
};

type PreparedCall = Omit<Call, 'signal'>;

/** A job as requested by its caller. */
type JobRequest = {
  order: Omit<JobOrder, 'pagesMax' | 'webhook'>;
  webhook: WebhookOrder | null;
  urls: string[];
  /** Maximum pages; null: as many as the caller may have. */
  pages: number | null;
  /** Minimum credits to start the job. */
  creditsNeeded: number;
  ignored: string[];
  /** Further fields of the answer. */
  extra?: JsonObject;
};

/**
 * Creates the task that starts a job; starting is free, its pages are charged. Throws `Failure('validation_error' | 'url_not_allowed')`.
 */
function createStartTask(deps: StartJobDeps, call: PreparedCall, ordered: JobRequest): Task {
  const { webhook, urls, pages, creditsNeeded, ignored, extra } = ordered;
  const { pagesMax, runningMax } = chooseBounds(call.caller);
  assertWebhook(webhook, { caller: call.caller, checkUrl: deps.checkWebhookUrl });
  const { owner, keyId } = resolveOwner(call);
  const order: JobOrder = {
    ...ordered.order,
    webhook,
    keep: call.keep && ordered.order.keep,
    pagesMax: Math.min(Math.floor(pages ?? pagesMax), pagesMax),
  };
  return {
    most: 0,
    async work(_signal, credits) {
      if (keyId !== null && credits < creditsNeeded)
        throw new Failure('insufficient_credits', 'The key does not have enough credits for this job.', {
          keyId,
        });
      const id = await deps.jobs.start({ owner, keyId, order, urls, runningMax });
      const secret = webhook === null ? {} : { webhookSecret: deps.webhookSecretOf(owner) };
      const url = `${deps.addressFor(call) + readPath(call)}/${id}`;
      return {
        used: 0,
        headers: buildIgnoredHeader(ignored),
        body: { success: true, id, url, ...secret, ...extra },
      };
    },
  };
}

/** Finds the fields of a body that have no effect, except those in which clients identify themselves. */
function findIgnoredJobFields(body: JsonObject, names: readonly string[]): string[] {
  return findIgnoredFields(body, buildKnownFields([...names, 'origin', 'integration']));
}

/** Parses a webhook; returns a message if it is invalid. */
function readWebhook(given: unknown): WebhookOrder | string {
  const options: JsonObject = isObject(given) ? given : { url: given };
  const { url, headers = {}, metadata = {}, events = EVENTS } = omitNulls(options);
  if (typeof url !== 'string' || url.trim() === '') return 'must be an address or have one as its url';
  if (!Array.isArray(events)) return 'must have a list of events';
  const wanted = EVENTS.filter((event) => events.some((one) => one === event || isNamed(one, event)));
  if (wanted.length < events.length) return `must have events among ${EVENTS.join(', ')}`;
  if (!isObject(metadata) || JSON.stringify(metadata).length > METADATA_CHARS_MAX)
    return `must have metadata of at most ${METADATA_CHARS_MAX} characters of JSON`;
  const problem = findHeadersProblem(headers);
  if (problem !== null) return problem;
  const lowerCase = Object.entries(headers as Record<string, string>).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  return { url: url.trim(), headers: Object.fromEntries(lowerCase), metadata, events: wanted };
}

function omitNulls(options: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
}

/** Returns the owner of a job and the key that pays for its pages; null: nobody pays. */
function resolveOwner({ caller, tenant }: Pick<Call, 'caller' | 'tenant'>): {
  owner: string;
  keyId: string | null;
} {
  return { owner: tenant ?? '', keyId: caller.kind === 'key' ? caller.keyId : null };
}

/** Returns the maximum pages and running jobs of a caller. */
function chooseBounds(caller: Caller): { pagesMax: number; runningMax: number } {
  return caller.kind === 'keyless' ? JOBS.keyless : JOBS.keyed;
}

/** Throws `Failure('invalid_api_key')` for a webhook without a key, and `Failure('url_not_allowed')` for one that is not public. */
function assertWebhook(
  order: WebhookOrder | null,
  { caller, checkUrl }: { caller: Caller; checkUrl(url: string): unknown },
): void {
  if (order === null) return;
  if (caller.kind === 'keyless')
    throw createKeyFailure('A webhook needs an API key. Without one, ask for the status.');
  checkUrl(order.url);
}

/** Creates the failure of a call that needs a key; its message gets a link to a key. */
function createKeyFailure(message: string): Failure {
  return new Failure('invalid_api_key', message, { keyMissing: true });
}

/** Builds the per-host concurrency and delay of a job. */
function buildPacing({
  maxConcurrency,
  delay,
}: {
  maxConcurrency?: number | undefined;
  delay?: number | undefined;
}): Pick<JobOrder, 'perHostMax' | 'delayMs'> {
  return {
    perHostMax:
      delay === undefined || delay === 0
        ? Math.min(JOBS.perHostMax, Math.floor(maxConcurrency ?? JOBS.perHostMax))
        : 1,
    delayMs: delay === undefined ? null : delay * 1_000,
  };
}

type ReadingContext = Parameters<ReadForJob>[1];

/**
 * Creates the reader of pages for jobs. It works as POST /v2/scrape does, with the options that the job stores as its caller wrote them.
 */
export function createReadForJob({
  openPage,
  prune,
  trackChanges,
  clock,
  rendersPages,
}: Rendering & {
  openPage: OpenPage;
  prune: PruneWorker;
  trackChanges: TrackChanges;
  clock: Clock;
}): ReadForJob {
  const parsed = new WeakMap<object, Scrape>();
  const parseScrape = (reading: JsonObject): Scrape => {
    const scrape =
      parsed.get(reading) ??
      buildScrape(parseBody(Options, reading, { verbatim: VERBATIM }), { rendersPages });
    parsed.set(reading, scrape);
    return scrape;
  };
  const readPage = async (
    url: string,
    { formats, opening, parts, keep: mayKeep }: Scrape,
    { keep, tenant, signal }: ReadingContext,
  ): Promise<JobReading> => {
    const page = await openPage(url, { ...opening, tenant, signal, keep: keep && mayKeep });
    const { article, extras, cache, fetchedAt } = page;
    const markdown = extras?.markdown ?? article.markdown;
    const about = { sourceUrl: url, formats, scrapeId: randomUUID() };
    const text = { ...toPageText(article), markdown };
    const [takenParts] =
      parts === undefined ? [] : await prune([text], { wanted: parts, query: null, tenant }, signal);
    const { late: incomplete = [], ...taken } = takenParts ?? {};
    const read = {
      markdown,
      article,
      cache,
      fetchedAt,
      incomplete,
      ...(extras === undefined ? {} : { extras }),
      parts: taken,
    };
    const document = toDocument(read, about);
    const isTracked = formats.changes !== null && keep && mayKeep;
    if (formats.changes === null || !isTracked) return { page, document: JSON.stringify(document) };
    const visit = { url, tenant, signal, page };
    const changeTracking = await describeChanges(trackChanges, formats.changes, visit);
    return { page, document: JSON.stringify({ ...document, changeTracking }) };
  };
  return async (url, how) => {
    // The cast is safe: the object was validated when the job was ordered.
    const scrape = parseScrape(how.reading as JsonObject);
    const { changes } = scrape.formats;
    const { tenant, keep } = how;
    try {
      return await readPage(url, scrape, how);
    } catch (error) {
      const gone = { error, url, tenant, at: clock.now() };
      const isTracked = changes !== null && keep && scrape.keep;
      const removed = isTracked ? await describeRemoval(trackChanges, changes, gone) : null;
      if (removed === null) throw error;
      Object.assign(removed.metadata, { scrapeId: randomUUID() });
      return { page: buildRemovedPage(url, gone.at), document: JSON.stringify(removed) };
    }
  };
}

/** Builds the page of an address that is gone. Its text is the address, so that two of them are not taken for copies. */
function buildRemovedPage(url: string, fetchedAt: number): Page {
  const article = buildPlainArticle(url, { kind: 'text', title: url, markdown: url, rawChars: 0 });
  return { article, fetchedAt, cache: 'miss', privacy: null };
}

/** Explains why a page or a job failed. */
function describeReason(reason: string): string {
  const [, status] = /^http_(\d+)$/.exec(reason) ?? [];
  if (status !== undefined) return `The page answered with status ${status}.`;
  return WORDS[reason] ?? `The page cannot be read: ${reason}.`;
}
