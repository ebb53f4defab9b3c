/**
 * The shape of Firecrawl, versions 1 and 2: scrape, search, map, and crawl and batch jobs in jobs/. It translates to the service's own
 * read, search, site map and job operations; operations that need a model or a browser session are refused in drop-in/not-offered.ts.
 */

import type { BalanceReader } from '../../billing/balance.ts';
import { Failure } from '../../contract/errors.ts';
import { JOBS } from '../../contract/limits.ts';
import type { SiteMap } from '../../crawl/site/site-map.ts';
import type { Job } from '../../jobs/job-types.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FairQueue } from '../../platform/sharing/fair-queue.ts';
import type { ReadOperation } from '../../search/read.ts';
import type { Search } from '../../search/search.ts';
import type { Answer, Call, FreeRoute, JsonObject, PricedRoute, Route } from '../calls/call.ts';
import type { Terms } from '../calls/operation.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { describeReason } from './jobs/read-for-job.ts';
import { createStartBatchHandler } from './jobs/start-batch.ts';
import { createStartCrawlHandler } from './jobs/start-crawl.ts';
import { readPath, type StartJobDeps } from './jobs/start-job.ts';
import { createFirecrawlMapHandler } from './map.ts';
import { createScrapeHandler } from './scrape.ts';
import { createFirecrawlSearchHandler } from './search.ts';
import {
  answerTokenUsage,
  answerTokenUsageV1,
  createConcurrencyHandler,
  createCreditUsageHandler,
  createCreditUsageV1Handler,
  createQueueStatusHandler,
} from './team.ts';

const STATUS: Record<Job['state'], string> = {
  running: 'scraping',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** Dependencies of the shape. */
type FirecrawlDeps = StartJobDeps & {
  read: ReadOperation;
  search: Search;
  siteMap: SiteMap;
  clock: Clock;
  balanceOf: BalanceReader;
  calls: Pick<FairQueue, 'held'>;
  terms: Terms | null;
};

/** Builds the routes: version 2 at the root and below `/firecrawl`, version 1 only below `/firecrawl`, because `/v1` is ours. */
export function buildFirecrawlRoutes(deps: FirecrawlDeps): Route[] {
  const { siteMap, balanceOf, calls, terms } = deps;
  return [
    buildPricedRoute(
      [...listV2Paths('scrape'), '/firecrawl/v1/scrape'],
      LIMITS.page,
      createScrapeHandler(deps),
    ),
    buildPricedRoute(
      [...listV2Paths('search'), '/firecrawl/search'],
      LIMITS.similar,
      createFirecrawlSearchHandler(deps, 2),
    ),
    buildPricedRoute(['/firecrawl/v1/search'], LIMITS.similar, createFirecrawlSearchHandler(deps, 1)),
    buildPricedRoute(listV2Paths('map'), LIMITS.site, createFirecrawlMapHandler(siteMap, 2)),
    buildPricedRoute(['/firecrawl/v1/map'], LIMITS.site, createFirecrawlMapHandler(siteMap, 1)),
    ...buildJobRoutes(deps, (name) => [...listV2Paths(name), `/firecrawl/v1/${name}`]),
    buildFreeRoute(listV2Paths('concurrency-check'), 'caller', createConcurrencyHandler(calls)),
    buildFreeRoute(
      [...listV2Paths('team/queue-status'), '/firecrawl/v1/team/queue-status'],
      'caller',
      createQueueStatusHandler(deps),
    ),
    ...(terms === null ? [] : buildTeamRoutes(balanceOf)),
  ];
}

/** Routes for the remaining credits and tokens of a team, for the owner of a key. */
function buildTeamRoutes(balanceOf: BalanceReader): FreeRoute[] {
  return [
    buildFreeRoute(listV2Paths('team/credit-usage'), 'key', createCreditUsageHandler(balanceOf)),
    buildFreeRoute(['/firecrawl/v1/team/credit-usage'], 'key', createCreditUsageV1Handler(balanceOf)),
    buildFreeRoute(listV2Paths('team/token-usage'), 'key', answerTokenUsage),
    buildFreeRoute(['/firecrawl/v1/team/token-usage'], 'key', answerTokenUsageV1),
  ];
}

const listV2Paths = (name: string): string[] => [`/v2/${name}`, `/firecrawl/v2/${name}`];

function buildPricedRoute(
  paths: string[],
  limit: Route['limit'],
  prepare: PricedRoute['prepare'],
): PricedRoute {
  return { method: 'POST', paths, callers: 'payer', limit, prepare };
}

function buildFreeRoute(
  paths: string[],
  callers: FreeRoute['callers'],
  handle: FreeRoute['handle'],
): FreeRoute {
  return { method: 'GET', paths, callers, limit: LIMITS.ledger, handle };
}

type PathsOf = (name: string) => string[];

/** Builds the routes of crawls and batches, which outlive their request; `pathsOf` returns the aliases of a path. */
function buildJobRoutes(deps: StartJobDeps, pathsOf: PathsOf): Route[] {
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
