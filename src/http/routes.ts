import type { BalanceOf } from '../billing/balance.ts';
import type { Keys } from '../billing/keys/keys.ts';
import type { AutoReloads } from '../billing/payments/auto-reload.ts';
import type { PaymentInbox } from '../billing/payments/payment-inbox.ts';
import type { PaymentProvider } from '../billing/payments/providers/payment-provider.ts';
import { Failure, fetchFailed } from '../contract/errors.ts';
import { PAGE_TIMEOUT_MS, SITE } from '../contract/limits.ts';
import type { SiteCrawl } from '../crawl/site/site-crawl.ts';
import type { SiteMap } from '../crawl/site/site-map.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { SourceReading } from '../recall/upstream/upstream-types.ts';
import type { Research } from '../research/research.ts';
import type { Contents } from '../search/contents.ts';
import type { Read } from '../search/read.ts';
import type { Search } from '../search/search.ts';
import type { Similar } from '../search/similar.ts';
import type { Verify } from '../search/verify.ts';
import type { Route } from './calls/call.ts';
import { describingRoutes } from './openapi/describing-routes.ts';
import { readerHandler } from './reader/reader.ts';
import { healthz, metricsHandler, readyz } from './server/health.ts';
import { READER_PATH } from './server/request-target.ts';
import { crawlHandler } from './shape-b/crawl.ts';
import { shapeBExtractHandler } from './shape-b/extract.ts';
import { mapHandler } from './shape-b/map.ts';
import { shapeBSearchHandler } from './shape-b/search.ts';
import { stripeWebhookHandler } from './site/payments/stripe-webhook.ts';
import { type SiteRouteDeps, siteRoutes } from './site/site-routes.ts';
import { autoReloadHandler, balanceHandler, freeKeyHandler } from './v1/account.ts';
import { contentsHandler } from './v1/contents.ts';
import { researchHandler } from './v1/research.ts';
import { searchHandler } from './v1/search.ts';
import { similarHandler } from './v1/similar.ts';
import { sourcesHandler } from './v1/sources.ts';
import { verifyHandler } from './v1/verify.ts';

/** What the routes stand on. */
export type RouteDeps = SiteRouteDeps & {
  search: Search;
  contents: Contents;
  similar: Similar;
  research: Research;
  read: Read;
  verify: Verify;
  siteCrawl: SiteCrawl;
  siteMap: SiteMap;
  /** Rejects when the store does not answer. */
  ping(): Promise<void>;
  isDraining(): boolean;
  balanceOf: BalanceOf;
  autoReloads: AutoReloads;
  provider: Pick<PaymentProvider, 'readEvent'>;
  inbox: PaymentInbox;
  background: Background;
  clock: Clock;
  keys: Pick<Keys, 'claimFree'>;
  metrics: Pick<Metrics, 'text'>;
  /** The state of every source of recall. */
  sourceReadings(): SourceReading[];
};

/** PAGE_TIMEOUT_MS for the fetch, and 5 s to extract the page and cut it. */
const PAGE_ROUTE_MS = PAGE_TIMEOUT_MS + 5_000;
const searchLimit = {
  ms: 8_000,
  late: () => new Failure('recall_unavailable', 'The search took too long; try again in a moment.'),
};
/** A page, then a search with the pages of its results. */
const similarLimit = {
  ms: PAGE_ROUTE_MS + 8_000,
  late: () => new Failure('recall_unavailable', 'The search took too long; try again in a moment.'),
};
/** The longest that research may be told to take, and a little for its answer. */
const researchLimit = {
  ms: 65_000,
  late: () => new Failure('recall_unavailable', 'The research took too long; try again in a moment.'),
};
const pageLimit = { ms: PAGE_ROUTE_MS, late: () => fetchFailed('timeout', 'The page took too long.') };
/** Each of several pages fails alone, in its own time; this is for what would not keep to it. */
const pagesLimit = {
  ms: pageLimit.ms,
  late: () => new Failure('overloaded', 'The pages took too long; try again in a moment.'),
};
/** Walks keep to a time of their own, which ends before; this is for what would not keep to it. */
const walkLimit = {
  ms: SITE.secondsMax * 1_000 + 10_000,
  late: () => fetchFailed('timeout', 'The site took too long.'),
};
const ledgerLimit = {
  ms: 5_000,
  late: () => new Failure('overloaded', 'The accounts do not answer in time.'),
};
const promptly = { ms: 1_000, late: () => new Failure('overloaded', 'The service does not answer in time.') };

/** The whole interface. */
export function routesOf(parts: RouteDeps): Route[] {
  const forPrograms = [
    ...pricedRoutes(parts),
    ...walkRoutes(parts),
    ...accountRoutes(parts),
    ...operatorRoutes(parts),
  ];
  return [...forPrograms, ...siteRoutes(parts), ...describingRoutes(forPrograms, parts.serviceUrl)];
}

function pricedRoutes({ search, contents, similar, research, read, verify, clock }: RouteDeps): Route[] {
  const post = { method: 'POST', callers: 'payer' } as const;
  return [
    {
      ...post,
      paths: ['/v1/search', '/search', '/shapeA/search'],
      limit: searchLimit,
      prepare: searchHandler(search),
    },
    {
      ...post,
      paths: ['/v1/contents', '/contents', '/shapeA/contents'],
      limit: pagesLimit,
      prepare: contentsHandler(contents),
    },
    {
      ...post,
      paths: ['/v1/findSimilar', '/findSimilar', '/shapeA/findSimilar'],
      limit: similarLimit,
      prepare: similarHandler(similar),
    },
    {
      ...post,
      paths: ['/v1/research'],
      limit: researchLimit,
      prepare: researchHandler(research),
    },
    {
      ...post,
      paths: ['/shapeB/search'],
      limit: searchLimit,
      prepare: shapeBSearchHandler({ search, clock }),
    },
    {
      ...post,
      paths: ['/shapeB/extract'],
      limit: pagesLimit,
      prepare: shapeBExtractHandler(contents),
    },
    {
      method: 'GET',
      paths: [READER_PATH],
      callers: 'payer',
      noHead: true,
      limit: pageLimit,
      prepare: readerHandler(read),
    },
    {
      ...post,
      paths: ['/v1/verify'],
      limit: pageLimit,
      prepare: verifyHandler(verify),
    },
  ];
}

function walkRoutes({ siteCrawl, siteMap }: RouteDeps): Route[] {
  const walk = { method: 'POST', callers: 'payer', limit: walkLimit } as const;
  return [
    { ...walk, paths: ['/shapeB/crawl'], prepare: crawlHandler(siteCrawl) },
    { ...walk, paths: ['/shapeB/map'], prepare: mapHandler(siteMap) },
  ];
}

function accountRoutes(parts: RouteDeps): Route[] {
  return [
    {
      method: 'GET',
      paths: ['/v1/balance'],
      callers: 'key',
      limit: ledgerLimit,
      handle: balanceHandler(parts.balanceOf),
    },
    {
      method: 'POST',
      paths: ['/v1/billing/auto-reload'],
      callers: 'key',
      limit: ledgerLimit,
      handle: autoReloadHandler(parts),
    },
    {
      method: 'POST',
      paths: ['/webhooks/stripe'],
      callers: 'anybody',
      limit: ledgerLimit,
      handle: stripeWebhookHandler(parts),
    },
    {
      method: 'POST',
      paths: ['/v1/keys/free'],
      callers: 'anybody',
      limit: ledgerLimit,
      handle: freeKeyHandler(parts.keys),
    },
  ];
}

function operatorRoutes(parts: RouteDeps): Route[] {
  return [
    {
      method: 'GET',
      paths: ['/v1/sources'],
      callers: 'anybody',
      forAnyPage: true,
      limit: promptly,
      handle: sourcesHandler(parts.sourceReadings),
    },
    {
      method: 'GET',
      paths: ['/metrics'],
      callers: 'operator',
      limit: promptly,
      handle: metricsHandler(parts.metrics),
    },
    {
      method: 'GET',
      paths: ['/healthz'],
      callers: 'anybody',
      probe: true,
      limit: promptly,
      handle: healthz,
    },
    {
      method: 'GET',
      paths: ['/readyz'],
      callers: 'anybody',
      probe: true,
      limit: promptly,
      handle: readyz(parts),
    },
  ];
}
