/**
 * The shape of Firecrawl, versions 1 and 2: scrape, search, map, and crawl and batch jobs in jobs/. It translates to the service's own
 * read, search, site map and job operations; operations that need a model or a browser session are refused in drop-in/not-offered.ts.
 */
import type { BalanceOf } from '../../billing/balance.ts';
import type { SiteMap } from '../../crawl/site/site-map.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FairQueue } from '../../platform/sharing/fair-queue.ts';
import type { Read } from '../../search/read.ts';
import type { Search } from '../../search/search.ts';
import type { FreeRoute, PricedRoute, Route } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';
import type { Terms } from '../calls/terms.ts';
import { buildJobRoutes } from './jobs/job-routes.ts';
import type { StartJobDeps } from './jobs/start-job.ts';
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

/** Dependencies of the shape. */
type FirecrawlDeps = StartJobDeps & {
  read: Read;
  search: Search;
  siteMap: SiteMap;
  clock: Clock;
  balanceOf: BalanceOf;
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
function buildTeamRoutes(balanceOf: BalanceOf): FreeRoute[] {
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
