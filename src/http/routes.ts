/**
 * The table of all HTTP routes: it binds paths, callers and time limits to handlers. It holds no business logic; calls/ runs, charges and
 * limits a route, and server/ speaks HTTP.
 */
import assert from 'node:assert/strict';
import type { BalanceOf } from '../billing/balance.ts';
import type { Keys } from '../billing/keys/keys.ts';
import type { AutoReloads } from '../billing/payments/auto-reload.ts';
import type { PaymentInbox } from '../billing/payments/payment-inbox.ts';
import type { PaymentProvider } from '../billing/payments/providers/payment-provider.ts';
import type { SiteCrawl } from '../crawl/site/site-crawl.ts';
import type { SiteMap } from '../crawl/site/site-map.ts';
import type { Forget } from '../index/upkeep/forget.ts';
import type { Forgettings } from '../index/upkeep/forgettings.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { FairQueue } from '../platform/sharing/fair-queue.ts';
import type { SourceReading } from '../recall/upstream/upstream-types.ts';
import type { Research } from '../research/research.ts';
import type { Contents } from '../search/contents.ts';
import type { Read } from '../search/read.ts';
import type { Search } from '../search/search.ts';
import type { Similar } from '../search/similar.ts';
import type { Verify } from '../search/verify.ts';
import type { FreeRoute, PricedRoute, Route } from './calls/call.ts';
import { LIMITS } from './calls/route-limits.ts';
import type { Terms } from './calls/terms.ts';
import { consoleRoutes } from './console/console-routes.ts';
import type { ConsoleDeps } from './console/console-types.ts';
import { forgettingOf } from './console/state/forgetting.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import { notOfferedRoutes } from './drop-in/not-offered.ts';
import { readForm } from './drop-in/parameters.ts';
import { dropInRoutes } from './drop-in-routes.ts';
import type { StartJobDeps } from './firecrawl/jobs/start-job.ts';
import { searchHandler as firecrawlSearchHandler } from './firecrawl/search.ts';
import { isObject } from './firecrawl/selector-field.ts';
import type { JinaRouteDeps } from './jina/routes.ts';
import { describingRoutes } from './openapi/describing-routes.ts';
import { givenPageHandler, readerHandler } from './reader/reader.ts';
import { healthz, metricsHandler, readyz } from './server/health.ts';
import { READER_PATH } from './server/request-target.ts';
import { crawlHandler } from './shape-b/crawl.ts';
import { shapeBExtractHandler } from './shape-b/extract.ts';
import { createKeptResearch } from './shape-b/kept-research.ts';
import { mapHandler } from './shape-b/map.ts';
import { researchStatusHandler, shapeBResearchHandler } from './shape-b/research.ts';
import { shapeBSearchHandler } from './shape-b/search.ts';
import { usageHandler } from './shape-b/usage.ts';
import { stripeWebhookHandler } from './site/payments/stripe-webhook.ts';
import { type SiteRouteDeps, siteRoutes } from './site/site-routes.ts';
import { autoReloadHandler, balanceHandler, freeKeyHandler, noFreeKey } from './v1/account.ts';
import { answerHandler } from './v1/answer.ts';
import { contentsHandler } from './v1/contents.ts';
import { forgetHandler } from './v1/forget.ts';
import { researchHandler } from './v1/research.ts';
import { searchHandler } from './v1/search.ts';
import { similarHandler } from './v1/similar.ts';
import { sourcesHandler } from './v1/sources.ts';
import { verifyHandler } from './v1/verify.ts';

/** Dependencies of the handlers. */
export type RouteDeps = Omit<SiteRouteDeps, 'playRoutes'> &
  JinaRouteDeps &
  StartJobDeps & {
    /** Null: there are no routes for keys, credits or payments. */
    terms: Terms | null;
    /** The prefix of tool names. */
    brand: string;
    search: Search;
    /** Answers from caches; absent: there are none. */
    contents: Contents;
    similar: Similar;
    research: Research;
    read: Read;
    verify: Verify;
    siteCrawl: SiteCrawl;
    siteMap: SiteMap;
    /** Rejects if the store does not respond. */
    ping(): Promise<void>;
    rebuildState: Parameters<typeof readyz>[0]['rebuildState'];
    clusterState: Parameters<typeof readyz>[0]['clusterState'];
    isDraining(): boolean;
    isShedding(): boolean;
    balanceOf: BalanceOf;
    autoReloads: AutoReloads;
    provider: Pick<PaymentProvider, 'readEvent'>;
    inbox: PaymentInbox;
    background: Background;
    clock: Clock;
    keys: Pick<Keys, 'claimFree'>;
    metrics: Pick<Metrics, 'text'>;
    forget: Forget;
    forgettings: Pick<Forgettings, 'onForgotten' | 'notice'>;
    /** The current state of every recall source. */
    sourceReadings(): SourceReading[];
    /** The queue of priced calls. */
    calls: Pick<FairQueue, 'held'>;
    /** Null without ADMIN_TOKEN: there is no console. */
    console: ConsoleDeps | null;
  };

/** Every route of the service. */
export function routesOf(deps: RouteDeps): Route[] {
  const ours = [...pricedRoutes(deps), ...accountRoutes(deps), ...operatorRoutes(deps)];
  const forPrograms = [...ours, ...dropInRoutes(deps)];
  const site = siteRoutes({ ...deps, playRoutes: playRoutesOf(ours) });
  const described = deps.terms?.sells ? [...forPrograms, ...site] : forPrograms;
  return [
    ...forPrograms,
    ...closedRoutes(deps),
    ...site,
    ...consoleRoutes(deps.console),
    ...describingRoutes(described, deps),
    ...docsRoutes(described, deps),
  ];
}

/** Selects the routes that the site's demo pages call. */
function playRoutesOf(routes: readonly Route[]): SiteRouteDeps['playRoutes'] {
  const at = (method: Route['method'], path: string): PricedRoute => {
    const route = routes.find((one) => one.method === method && one.paths[0] === path);
    assert(route?.callers === 'payer', path);
    return route;
  };
  const read = at('GET', READER_PATH);
  const [search, similar] = [at('POST', '/v1/search'), at('POST', '/v1/findSimilar')];
  return { search, read, ask: read, similar, research: at('POST', '/v1/research') };
}

function pricedRoutes(deps: RouteDeps): Route[] {
  const { search, contents, similar, research, verify, siteCrawl, siteMap } = deps;
  const ownSearch = searchHandler(search);
  return [
    priced(['/v1/search', '/shapeA/search'], LIMITS.search, ownSearch),
    priced(['/search'], LIMITS.similar, searchOfEither(ownSearch, firecrawlSearchHandler(deps, 2))),
    priced(['/v1/answer', '/answer', '/shapeA/answer'], LIMITS.search, answerHandler(search)),
    priced(['/v1/contents', '/contents', '/shapeA/contents'], LIMITS.pages, contentsHandler(contents)),
    priced(
      ['/v1/findSimilar', '/findSimilar', '/shapeA/findSimilar'],
      LIMITS.similar,
      similarHandler(similar),
    ),
    priced(['/v1/research'], LIMITS.research, researchHandler(research)),
    priced(['/shapeB/search'], LIMITS.search, shapeBSearchHandler(deps)),
    priced(['/shapeB/extract'], LIMITS.pages, shapeBExtractHandler(contents)),
    { ...priced([READER_PATH], LIMITS.page, readerHandler(deps)), method: 'GET', noHead: true },
    { ...priced([READER_PATH], LIMITS.page, givenPageHandler(deps)), readBody: readForm },
    priced(['/v1/verify'], LIMITS.page, verifyHandler(verify)),
    priced(['/shapeB/crawl'], LIMITS.site, crawlHandler(siteCrawl)),
    priced(['/shapeB/map'], LIMITS.site, mapHandler(siteMap)),
    ...keptResearchRoutes(deps),
  ];
}

/** Firecrawl clients with a bare base URL search here too; only they send `scrapeOptions`. */
function searchOfEither(
  own: PricedRoute['prepare'],
  firecrawl: PricedRoute['prepare'],
): PricedRoute['prepare'] {
  return (call) => (isObject(call.body.scrapeOptions) ? firecrawl(call) : own(call));
}

/** Research in the second shape: clients start it, then fetch the report. */
function keptResearchRoutes({ research, forgettings, clock }: RouteDeps): Route[] {
  const kept = createKeptResearch(forgettings);
  return [
    priced(['/shapeB/research'], LIMITS.research, shapeBResearchHandler({ research, kept, clock })),
    {
      ...get('/shapeB/research/:id', researchStatusHandler(kept)),
      callers: 'caller',
      limit: LIMITS.ledger,
    },
  ];
}

function accountRoutes(deps: RouteDeps): Route[] {
  if (deps.terms === null) return [];
  const { freeKeys, sells } = deps.terms;
  const limit = LIMITS.ledger;
  return [
    { ...get('/v1/balance', balanceHandler(deps.balanceOf)), callers: 'key', limit },
    { ...get('/shapeB/usage', usageHandler(deps)), callers: 'key', limit },
    { ...post('/v1/billing/auto-reload', autoReloadHandler(deps)), callers: 'key', limit },
    ...(sells ? [{ ...post('/webhooks/stripe', stripeWebhookHandler(deps)), limit }] : []),
    ...(freeKeys ? [{ ...post(FREE_KEY_PATH, freeKeyHandler(deps)), limit }] : []),
  ];
}

const FREE_KEY_PATH = '/v1/keys/free';

/** Routes that explain why they are closed; callers know them from the API documentation. */
function closedRoutes({ terms }: RouteDeps): Route[] {
  const withoutKeys = terms === null || terms.freeKeys ? [] : [post(FREE_KEY_PATH, noFreeKey)];
  return [...withoutKeys, ...notOfferedRoutes()];
}

function operatorRoutes(deps: RouteDeps): Route[] {
  return [
    { ...get('/v1/sources', sourcesHandler(deps.sourceReadings)), forAnyPage: true },
    { ...get('/metrics', metricsHandler(deps.metrics)), callers: 'operator' },
    {
      ...get('/v1/index', forgetHandler(deps.forget, entering(deps))),
      method: 'DELETE',
      callers: 'admin',
      limit: LIMITS.forget,
    },
    { ...get('/healthz', healthz), probe: true },
    { ...get('/readyz', readyz(deps)), probe: true },
  ];
}

/** Records a deletion made through the API in the operator's action log. */
function entering({ console }: RouteDeps): Parameters<typeof forgetHandler>[1] {
  return async (selector, forgotten) => console?.actions.record(forgettingOf(selector, forgotten));
}

function priced(paths: string[], limit: Route['limit'], prepare: PricedRoute['prepare']): PricedRoute {
  return { method: 'POST', paths, callers: 'payer', limit, prepare };
}

/** A free route that anybody may call and that responds at once. */
function get(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths: [path], callers: 'anybody', limit: LIMITS.prompt, handle };
}

function post(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { ...get(path, handle), method: 'POST' };
}
