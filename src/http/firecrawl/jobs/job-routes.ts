import type { FreeRoute, PricedRoute, Route } from '../../calls/call.ts';
import { LIMITS } from '../../calls/route-limits.ts';
import {
  createCancelHandler,
  createJobErrorsHandler,
  createJobStatusHandler,
  createRunningCrawlsHandler,
} from './job-status.ts';
import { createStartBatchHandler } from './start-batch.ts';
import { createStartCrawlHandler } from './start-crawl.ts';
import type { StartJobDeps } from './start-job.ts';

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
