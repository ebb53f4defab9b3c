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
import { jobRoutes } from './jobs/job-routes.ts';
import type { StartJobDeps } from './jobs/start-job.ts';
import { mapHandler } from './map.ts';
import { scrapeHandler } from './scrape.ts';
import { searchHandler } from './search.ts';
import {
  concurrencyHandler,
  creditUsageHandler,
  creditUsageV1Handler,
  queueStatusHandler,
  tokenUsageHandler,
  tokenUsageV1Handler,
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
export function firecrawlRoutes(deps: FirecrawlDeps): Route[] {
  const { siteMap, balanceOf, calls, terms } = deps;
  return [
    priced([...v2('scrape'), '/firecrawl/v1/scrape'], LIMITS.page, scrapeHandler(deps)),
    priced([...v2('search'), '/firecrawl/search'], LIMITS.similar, searchHandler(deps, 2)),
    priced(['/firecrawl/v1/search'], LIMITS.similar, searchHandler(deps, 1)),
    priced(v2('map'), LIMITS.site, mapHandler(siteMap, 2)),
    priced(['/firecrawl/v1/map'], LIMITS.site, mapHandler(siteMap, 1)),
    ...jobRoutes(deps, (name) => [...v2(name), `/firecrawl/v1/${name}`]),
    free(v2('concurrency-check'), 'caller', concurrencyHandler(calls)),
    free([...v2('team/queue-status'), '/firecrawl/v1/team/queue-status'], 'caller', queueStatusHandler(deps)),
    ...(terms === null ? [] : teamRoutes(balanceOf)),
  ];
}

/** Routes for the remaining credits and tokens of a team, for the owner of a key. */
function teamRoutes(balanceOf: BalanceOf): FreeRoute[] {
  return [
    free(v2('team/credit-usage'), 'key', creditUsageHandler(balanceOf)),
    free(['/firecrawl/v1/team/credit-usage'], 'key', creditUsageV1Handler(balanceOf)),
    free(v2('team/token-usage'), 'key', tokenUsageHandler),
    free(['/firecrawl/v1/team/token-usage'], 'key', tokenUsageV1Handler),
  ];
}

const v2 = (name: string): string[] => [`/v2/${name}`, `/firecrawl/v2/${name}`];

function priced(paths: string[], limit: Route['limit'], prepare: PricedRoute['prepare']): PricedRoute {
  return { method: 'POST', paths, callers: 'payer', limit, prepare };
}

function free(paths: string[], callers: FreeRoute['callers'], handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths, callers, limit: LIMITS.ledger, handle };
}
