/**
 * The table of all HTTP routes: it binds paths, callers and time limits to handlers. It holds no business logic; calls/ runs, charges and
 * limits a route, and server/ speaks HTTP.
 */
import assert from 'node:assert/strict';
import type { BalanceReader } from '../billing/balance.ts';
import type { Keys } from '../billing/keys/keys.ts';
import type { AutoReloads } from '../billing/payments/auto-reload.ts';
import type { PaymentInbox } from '../billing/payments/payment-inbox.ts';
import type { PaymentProvider } from '../billing/payments/providers/payment-provider.ts';
import { RESULTS_DEFAULT, RESULTS_MAX, ROUTE_MS } from '../contract/limits.ts';
import type { SiteCrawl } from '../crawl/site/site-crawl.ts';
import type { SiteMap } from '../crawl/site/site-map.ts';
import type { Forget, Forgettings } from '../index/upkeep/forget.ts';
import type { LibraryCatalog } from '../libraries/search/library-catalog.ts';
import type { SearchDocs } from '../libraries/search/search-docs.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import type { FairQueue } from '../platform/fairness/fair-queue.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { SourceReading } from '../recall/upstream/upstream-types.ts';
import type { Research } from '../research/research.ts';
import type { CheckClaims } from '../search/check-claims.ts';
import type { Contents } from '../search/contents.ts';
import type { ReadOperation } from '../search/read.ts';
import type { Search } from '../search/search.ts';
import type { Similar } from '../search/similar.ts';
import type { Verify } from '../search/verify.ts';
import type { Writer } from '../writing/writer.ts';
import type { FreeRoute, PricedRoute, Route } from './calls/call.ts';
import { isObject } from './calls/json-body.ts';
import { createKeptReports } from './calls/kept-reports.ts';
import type { Terms } from './calls/operation.ts';
import { addWritingTime, LIMITS } from './calls/route-limits.ts';
import { UPLOAD } from './calls/upload.ts';
import { buildCompatRoutes, buildNotOfferedRoutes, type CompatDeps } from './compat/compat-shapes.ts';
import { readForm } from './compat/fields.ts';
import { createFirecrawlSearchHandler as firecrawlSearchHandler } from './compat/firecrawl-search.ts';
import { addWrittenSearchFormats } from './compat/firecrawl-written.ts';
import { buildConsoleRoutes } from './console/console-routes.ts';
import type { ConsoleDeps } from './console/console-types.ts';
import { buildForgetEntry } from './console/state/forgetting.ts';
import { buildDocsRoutes } from './docs/docs-routes.ts';
import { buildToolsRoute } from './mcp/definitions.ts';
import { buildOAuthRoutes, type OAuthDeps } from './oauth/oauth-routes.ts';
import { buildDescriptionRoutes } from './openapi/describing-routes.ts';
import { createGivenPageHandler, createReaderHandler } from './reader/reader.ts';
import { answerLiveness, createMetricsHandler, createReadinessHandler } from './server/health.ts';
import { READER_PATH } from './server/request-target.ts';
import { createCrawlHandler } from './shape-b/crawl.ts';
import { createShapeBExtractHandler } from './shape-b/extract.ts';
import { createMapHandler } from './shape-b/map.ts';
import { createResearchStatusHandler, createShapeBResearchHandler } from './shape-b/research.ts';
import { createShapeBSearchHandler } from './shape-b/search.ts';
import { createUsageHandler } from './shape-b/usage.ts';
import { createStripeWebhookHandler } from './site/payments/stripe-webhook.ts';
import { buildSiteRoutes, type SiteRouteDeps } from './site/site-routes.ts';
import {
  createAutoReloadHandler,
  createBalanceHandler,
  createFreeKeyHandler,
  refuseFreeKey,
} from './v1/account.ts';
import { createAnswerHandler } from './v1/answer.ts';
import { createContentsHandler } from './v1/contents.ts';
import { createForgetHandler } from './v1/forget.ts';
import { createDocsSearchHandler, createLibrariesHandler } from './v1/libraries.ts';
import {
  createChangeMonitorHandler,
  createDeleteMonitorHandler,
  createMonitorEventsHandler,
  createMonitorFeedHandler,
  createMonitorHandler,
  createMonitorStateHandler,
  createMonitorsHandler,
  type MonitorDeps,
} from './v1/monitors.ts';
import { createParseHandler } from './v1/parse.ts';
import {
  createCollectionsHandler,
  createDeleteCollectionHandler,
  createDeleteSiteHandler,
  createPutSiteHandler,
  createShareCollectionHandler,
  createSiteHandler,
  createSitesHandler,
  type PrivateSiteDeps,
} from './v1/private-sites.ts';
import {
  addRecord,
  createDeleteRecordHandler,
  createExportRecordHandler,
  createImportRecordHandler,
  createRecordHandler,
  createRecordsHandler,
  createRerunHandler,
  FILE_BODY,
  NO_BODY,
  type RecordDeps,
} from './v1/records.ts';
import { createResearchHandler } from './v1/research.ts';
import { createSearchHandler } from './v1/search.ts';
import { createSimilarHandler } from './v1/similar.ts';
import { createSourcesHandler } from './v1/sources.ts';
import { createVerifyHandler } from './v1/verify.ts';
import { createChangesHandler, createVersionsHandler, type OpenListedVersions } from './v1/versions.ts';
import { addWrittenSummaries, CONTENTS_PLACE, createSearchPlace } from './writing/written-summaries.ts';

/** Dependencies of the handlers. */
export type RouteDeps = Omit<SiteRouteDeps, 'playRoutes' | 'docsRoute'> &
  CompatDeps &
  MonitorDeps &
  RecordDeps &
  PrivateSiteDeps &
  OAuthDeps & {
    /** Null: there are no routes for keys, credits or payments. */
    terms: Terms | null;
    /** The prefix of tool names. */
    brand: string;
    search: Search;
    /** Answers from caches; absent: there are none. */
    contents: Contents;
    similar: Similar;
    libraries: LibraryCatalog;
    searchDocs: SearchDocs;
    research: Research;
    read: ReadOperation;
    /** Each change of a page that is read is kept. */
    keepsVersions: boolean;
    versions: OpenListedVersions;
    verify: Verify;
    checkClaims: CheckClaims;
    /** Null: no model is set, and nothing is written. */
    writer: Writer | null;
    siteCrawl: SiteCrawl;
    siteMap: SiteMap;
    /** Rejects if the store does not respond. */
    ping(): Promise<void>;
    rebuildState: Parameters<typeof createReadinessHandler>[0]['rebuildState'];
    clusterState: Parameters<typeof createReadinessHandler>[0]['clusterState'];
    isDraining(): boolean;
    isShedding(): boolean;
    balanceOf: BalanceReader;
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
export function buildRoutes(deps: RouteDeps): Route[] {
  const priced = buildPricedRoutes(deps);
  const ours = [
    ...priced,
    ...buildRecordRoutes(deps, priced),
    ...buildMonitorRoutes(deps),
    ...buildPrivateSiteRoutes(deps),
    ...buildAccountRoutes(deps),
    ...buildOperatorRoutes(deps),
  ];
  const forPrograms = [...ours, ...buildCompatRoutes(deps), buildToolsRoute(deps)];
  const site = buildSiteRoutes({ ...deps, ...selectPlayRoutes(ours) });
  const described = deps.terms?.sells ? [...forPrograms, ...site] : forPrograms;
  return [
    ...forPrograms,
    ...buildClosedRoutes(deps),
    ...site,
    ...(deps.terms === null ? [] : buildOAuthRoutes(deps)),
    ...buildConsoleRoutes(deps.console),
    ...buildDescriptionRoutes(described, deps),
    ...buildDocsRoutes(described, deps),
  ];
}

/** Selects the routes that the site's pages call. */
function selectPlayRoutes(routes: readonly Route[]): Pick<SiteRouteDeps, 'playRoutes' | 'docsRoute'> {
  const findPricedRoute = (method: Route['method'], path: string): PricedRoute => {
    const route = routes.find((one) => one.method === method && one.paths[0] === path);
    assert(route?.callers === 'payer', path);
    return route;
  };
  const read = findPricedRoute('GET', READER_PATH);
  const [search, similar] = [
    findPricedRoute('POST', '/v1/search'),
    findPricedRoute('POST', '/v1/findSimilar'),
  ];
  const [answer, research] = [findPricedRoute('POST', '/v1/answer'), findPricedRoute('POST', '/v1/research')];
  return {
    playRoutes: { search, answer, read, ask: read, similar, research },
    docsRoute: findPricedRoute('POST', '/v1/libraries/search'),
  };
}

function buildPricedRoutes(deps: RouteDeps): Route[] {
  const { contents, similar, siteCrawl, siteMap, libraries } = deps;
  const { writer } = deps;
  const recorded = (operation: string, prepare: PricedRoute['prepare']) =>
    addRecord(operation, prepare, deps);
  const ownSearch = recorded(
    'search',
    addWrittenSummaries(
      createSearchHandler(deps),
      writer,
      createSearchPlace(RESULTS_DEFAULT, RESULTS_MAX, ROUTE_MS.search),
    ),
  );
  return [
    buildPricedRoute(['/v1/search', '/shapeA/search'], addWritingTime(LIMITS.search, writer), ownSearch),
    buildPricedRoute(
      ['/search'],
      addWritingTime(LIMITS.similar, writer),
      createSharedSearchHandler(ownSearch, addWrittenSearchFormats(firecrawlSearchHandler(deps, 2), writer)),
    ),
    {
      ...buildPricedRoute(
        ['/v1/answer', '/answer', '/shapeA/answer'],
        addWritingTime(LIMITS.search, writer),
        recorded('answer', createAnswerHandler(deps)),
      ),
      ...(writer === null ? {} : { usesModel: true as const }),
    },
    buildPricedRoute(
      ['/v1/contents', '/contents', '/shapeA/contents'],
      addWritingTime(LIMITS.pages, writer),
      recorded('contents', addWrittenSummaries(createContentsHandler(contents), writer, CONTENTS_PLACE)),
    ),
    buildPricedRoute(
      ['/v1/findSimilar', '/findSimilar', '/shapeA/findSimilar'],
      addWritingTime(LIMITS.similar, writer),
      addWrittenSummaries(
        createSimilarHandler(similar),
        writer,
        createSearchPlace(RESULTS_DEFAULT, RESULTS_MAX, ROUTE_MS.similar),
      ),
    ),
    {
      ...buildPricedRoute(
        ['/v1/research'],
        addWritingTime(LIMITS.research, writer),
        recorded('research', createResearchHandler(deps)),
      ),
      ...(writer === null ? {} : { usesModel: true as const }),
    },
    buildPricedRoute(
      ['/shapeB/search'],
      addWritingTime(LIMITS.search, writer),
      createShapeBSearchHandler(deps),
    ),
    { ...buildGetRoute('/v1/libraries', createLibrariesHandler(libraries)), callers: 'caller' },
    buildPricedRoute(['/v1/libraries/search'], LIMITS.search, createDocsSearchHandler(deps.searchDocs)),
    { ...buildPricedRoute(['/v1/parse'], LIMITS.page, createParseHandler(deps.read)), ...UPLOAD },
    buildPricedRoute(['/shapeB/extract'], LIMITS.pages, createShapeBExtractHandler(contents)),
    {
      ...buildPricedRoute([READER_PATH], LIMITS.page, createReaderHandler(deps)),
      method: 'GET',
      noHead: true,
    },
    { ...buildPricedRoute([READER_PATH], LIMITS.page, createGivenPageHandler(deps)), readBody: readForm },
    { ...buildGetRoute('/v1/versions', createVersionsHandler(deps)), callers: 'caller', limit: LIMITS.job },
    {
      ...buildGetRoute('/v1/versions/changes', createChangesHandler(deps)),
      callers: 'caller',
      limit: LIMITS.page,
    },
    buildPricedRoute(['/v1/verify'], addWritingTime(LIMITS.page, writer), createVerifyHandler(deps)),
    buildPricedRoute(['/shapeB/crawl'], LIMITS.site, createCrawlHandler(siteCrawl)),
    buildPricedRoute(['/shapeB/map'], LIMITS.site, createMapHandler(siteMap)),
    ...buildResearchRoutes(deps),
  ];
}

/** Firecrawl clients with a bare base URL search here too; only they send `scrapeOptions`. */
function createSharedSearchHandler(
  own: PricedRoute['prepare'],
  firecrawl: PricedRoute['prepare'],
): PricedRoute['prepare'] {
  return (call) => (isObject(call.body.scrapeOptions) ? firecrawl(call) : own(call));
}

/** Research in the second shape: clients start it, then fetch the report. */
function buildResearchRoutes({ research, writer, forgettings, clock }: RouteDeps): Route[] {
  const kept = createKeptReports(forgettings);
  return [
    buildPricedRoute(
      ['/shapeB/research'],
      addWritingTime(LIMITS.research, writer),
      createShapeBResearchHandler({ research, writer, kept, clock }),
    ),
    {
      ...buildGetRoute('/shapeB/research/:id', createResearchStatusHandler(kept)),
      callers: 'caller',
      limit: LIMITS.ledger,
    },
  ];
}

/** Research that is kept for its owner. Only running it again is charged, as the call that was recorded. */
function buildRecordRoutes(deps: RouteDeps, priced: readonly Route[]): FreeRoute[] {
  const own = (route: FreeRoute): FreeRoute => ({ ...route, callers: 'caller', limit: LIMITS.page });
  const path = '/v1/records/:id';
  const routes: Record<string, PricedRoute> = {};
  for (const route of priced)
    if (route.callers === 'payer' && route.method === 'POST')
      routes[route.paths[0]?.replace(/^\/v1\//, '') ?? ''] = route;
  const longest = addWritingTime(LIMITS.play, deps.writer);
  return [
    own(buildGetRoute('/v1/records', createRecordsHandler(deps))),
    own({ ...buildPostRoute('/v1/records/import', createImportRecordHandler(deps)), ...FILE_BODY }),
    own(buildGetRoute(path, createRecordHandler(deps))),
    own({ ...buildGetRoute(path, createDeleteRecordHandler(deps)), method: 'DELETE' }),
    own(buildGetRoute(`${path}/export`, createExportRecordHandler(deps))),
    {
      ...own({ ...buildPostRoute(`${path}/rerun`, createRerunHandler(deps, routes)), ...NO_BODY }),
      limit: longest,
      runsPriced: true,
    },
  ];
}

/** Pages that are watched for their owners. Setting them up is free, their checks are charged. */
function buildMonitorRoutes(deps: RouteDeps): FreeRoute[] {
  const own = (route: FreeRoute): FreeRoute => ({ ...route, callers: 'caller', limit: LIMITS.job });
  const path = '/v1/monitors/:id';
  return [
    own(buildPostRoute('/v1/monitors', createMonitorHandler(deps))),
    own(buildGetRoute('/v1/monitors', createMonitorsHandler(deps))),
    own(buildGetRoute(path, createMonitorStateHandler(deps))),
    own(buildPostRoute(path, createChangeMonitorHandler(deps))),
    own({ ...buildGetRoute(path, createDeleteMonitorHandler(deps)), method: 'DELETE' }),
    own(buildGetRoute(`${path}/events`, createMonitorEventsHandler(deps))),
    { ...buildGetRoute(`${path}/feed.atom`, createMonitorFeedHandler(deps, 'atom')), limit: LIMITS.job },
    { ...buildGetRoute(`${path}/feed.json`, createMonitorFeedHandler(deps, 'json')), limit: LIMITS.job },
  ];
}

/** Sign-in profiles and collections of their owners. */
function buildPrivateSiteRoutes(deps: RouteDeps): FreeRoute[] {
  const own = (route: FreeRoute): FreeRoute => ({ ...route, callers: 'caller', limit: LIMITS.job });
  const [site, collection] = ['/v1/sites/:name', '/v1/collections/:name'];
  return [
    own(buildPostRoute('/v1/sites', createPutSiteHandler(deps))),
    own(buildGetRoute('/v1/sites', createSitesHandler(deps))),
    own(buildGetRoute(site, createSiteHandler(deps))),
    own({ ...buildGetRoute(site, createDeleteSiteHandler(deps)), method: 'DELETE' }),
    own(buildGetRoute('/v1/collections', createCollectionsHandler(deps))),
    own(buildPostRoute(collection, createShareCollectionHandler(deps))),
    own({ ...buildGetRoute(collection, createDeleteCollectionHandler(deps)), method: 'DELETE' }),
  ];
}

function buildAccountRoutes(deps: RouteDeps): Route[] {
  if (deps.terms === null) return [];
  const { freeKeys, sells } = deps.terms;
  const limit = LIMITS.ledger;
  return [
    { ...buildGetRoute('/v1/balance', createBalanceHandler(deps.balanceOf)), callers: 'key', limit },
    { ...buildGetRoute('/shapeB/usage', createUsageHandler(deps)), callers: 'key', limit },
    { ...buildPostRoute('/v1/billing/auto-reload', createAutoReloadHandler(deps)), callers: 'key', limit },
    ...(sells ? [{ ...buildPostRoute('/webhooks/stripe', createStripeWebhookHandler(deps)), limit }] : []),
    ...(freeKeys ? [{ ...buildPostRoute(FREE_KEY_PATH, createFreeKeyHandler(deps)), limit }] : []),
  ];
}

const FREE_KEY_PATH = '/v1/keys/free';

/** Routes that explain why they are closed; callers know them from the API documentation. */
function buildClosedRoutes({ terms, writer }: RouteDeps): Route[] {
  const withoutKeys = terms === null || terms.freeKeys ? [] : [buildPostRoute(FREE_KEY_PATH, refuseFreeKey)];
  return [...withoutKeys, ...buildNotOfferedRoutes({ hasModel: writer !== null })];
}

function buildOperatorRoutes(deps: RouteDeps): Route[] {
  return [
    { ...buildGetRoute('/v1/sources', createSourcesHandler(deps.sourceReadings)), forAnyPage: true },
    { ...buildGetRoute('/metrics', createMetricsHandler(deps.metrics)), callers: 'operator' },
    {
      ...buildGetRoute('/v1/index', createForgetHandler(deps.forget, createForgetRecorder(deps))),
      method: 'DELETE',
      callers: 'admin',
      limit: LIMITS.forget,
    },
    { ...buildGetRoute('/healthz', answerLiveness), probe: true },
    { ...buildGetRoute('/readyz', createReadinessHandler(deps)), probe: true },
  ];
}

/** Records a deletion made through the API in the operator's action log. */
function createForgetRecorder({ console }: RouteDeps): Parameters<typeof createForgetHandler>[1] {
  return async (selector, forgotten) => console?.actions.record(buildForgetEntry(selector, forgotten));
}

function buildPricedRoute(
  paths: string[],
  limit: Route['limit'],
  prepare: PricedRoute['prepare'],
): PricedRoute {
  return { method: 'POST', paths, callers: 'payer', limit, prepare };
}

/** A free route that anybody may call and that responds at once. */
function buildGetRoute(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths: [path], callers: 'anybody', limit: LIMITS.prompt, handle };
}

function buildPostRoute(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { ...buildGetRoute(path, handle), method: 'POST' };
}
