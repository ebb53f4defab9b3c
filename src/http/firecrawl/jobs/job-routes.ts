import type { FreeRoute, PricedRoute, Route } from '../../calls/call.ts';
import { LIMITS } from '../../calls/route-limits.ts';
import { cancelHandler, jobErrorsHandler, jobStatusHandler, runningCrawlsHandler } from './job-status.ts';
import { startBatchHandler } from './start-batch.ts';
import { startCrawlHandler } from './start-crawl.ts';
import type { StartJobDeps } from './start-job.ts';

type PathsOf = (name: string) => string[];

/** Builds the routes of crawls and batches, which outlive their request; `pathsOf` returns the aliases of a path. */
export function jobRoutes(deps: StartJobDeps, pathsOf: PathsOf): Route[] {
  return [
    starts(pathsOf('crawl'), startCrawlHandler(deps)),
    starts(pathsOf('batch/scrape'), startBatchHandler(deps)),
    asks('GET', ['crawl/ongoing', 'crawl/active'].flatMap(pathsOf), runningCrawlsHandler(deps)),
    ...routesOfJob(deps, { kind: 'crawl', path: 'crawl', pathsOf }),
    ...routesOfJob(deps, { kind: 'batch', path: 'batch/scrape', pathsOf }),
  ];
}

function routesOfJob(
  deps: StartJobDeps,
  { kind, path, pathsOf }: { kind: 'crawl' | 'batch'; path: string; pathsOf: PathsOf },
): Route[] {
  const paths = pathsOf(`${path}/:id`);
  return [
    {
      ...asks('GET', paths, jobStatusHandler(deps, kind === 'crawl' ? ['crawl', 'batch'] : ['batch'])),
      compress: true,
    },
    asks('DELETE', paths, cancelHandler(deps, kind)),
    asks('GET', pathsOf(`${path}/:id/errors`), jobErrorsHandler(deps, kind)),
  ];
}

function starts(paths: string[], prepare: PricedRoute['prepare']): PricedRoute {
  return { method: 'POST', paths, callers: 'payer', limit: LIMITS.job, prepare };
}

/** Builds a free route for the caller that started the job. */
function asks(method: FreeRoute['method'], paths: string[], handle: FreeRoute['handle']): FreeRoute {
  return { method, paths, callers: 'caller', limit: LIMITS.job, forAnyPage: true, handle };
}
