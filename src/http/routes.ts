import type { AutoReloads } from '../billing/auto-reload.ts';
import type { BalanceOf } from '../billing/balance.ts';
import type { Keys } from '../billing/keys.ts';
import type { PaymentInbox } from '../billing/payment-inbox.ts';
import type { PaymentProvider } from '../billing/payments.ts';
import { Failure, fetchFailed } from '../errors.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Contents } from '../retrieval/contents.ts';
import type { Read } from '../retrieval/read.ts';
import type { SourceReading } from '../retrieval/recall/upstream/upstream-types.ts';
import type { Search } from '../retrieval/search.ts';
import type { Similar } from '../retrieval/similar.ts';
import type { Verify } from '../retrieval/verify.ts';
import type { Route } from './call.ts';
import { healthz, metricsFace, readyz } from './health.ts';
import { describingRoutes } from './openapi/describing-routes.ts';
import { readerFace } from './reader.ts';
import { READER_PATH } from './request-target.ts';
import { type SiteParts, siteRoutes } from './site/site-routes.ts';
import { stripeWebhookFace } from './stripe-webhook.ts';
import { autoReloadFace, balanceFace, freeKeyFace } from './v1/account.ts';
import { contentsFace } from './v1/contents.ts';
import { searchFace } from './v1/search.ts';
import { similarFace } from './v1/similar.ts';
import { sourcesFace } from './v1/sources.ts';
import { verifyFace } from './v1/verify.ts';

/** What the routes stand on. */
export type RouteParts = SiteParts & {
  search: Search;
  contents: Contents;
  similar: Similar;
  read: Read;
  verify: Verify;
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

const searchLimit = {
  ms: 8_000,
  late: () => new Failure('recall_unavailable', 'The search took too long; try again in a moment.'),
};
/** A page, then a search with the pages of its results. */
const similarLimit = {
  ms: 20_000,
  late: () => new Failure('recall_unavailable', 'The search took too long; try again in a moment.'),
};
const pageLimit = { ms: 18_000, late: () => fetchFailed('timeout', 'The page took too long.') };
const withBooks = {
  ms: 5_000,
  late: () => new Failure('overloaded', 'The accounts do not answer in time.'),
};
const promptly = { ms: 1_000, late: () => new Failure('overloaded', 'The service does not answer in time.') };

/** The whole interface. */
export function routesOf(parts: RouteParts): Route[] {
  const forPrograms = [...pricedRoutes(parts), ...accountRoutes(parts), ...operatorRoutes(parts)];
  return [...forPrograms, ...siteRoutes(parts), ...describingRoutes(forPrograms, parts.serviceUrl)];
}

function pricedRoutes({ search, contents, similar, read, verify }: RouteParts): Route[] {
  return [
    {
      method: 'POST',
      paths: ['/v1/search', '/search', '/shapeA/search'],
      callers: 'payer',
      limit: searchLimit,
      prepare: searchFace(search),
    },
    {
      method: 'POST',
      paths: ['/v1/contents', '/contents', '/shapeA/contents'],
      callers: 'payer',
      limit: pageLimit,
      prepare: contentsFace(contents),
    },
    {
      method: 'POST',
      paths: ['/v1/findSimilar', '/findSimilar', '/shapeA/findSimilar'],
      callers: 'payer',
      limit: similarLimit,
      prepare: similarFace(similar),
    },
    { method: 'GET', paths: [READER_PATH], callers: 'payer', limit: pageLimit, prepare: readerFace(read) },
    {
      method: 'POST',
      paths: ['/v1/verify'],
      callers: 'payer',
      limit: pageLimit,
      prepare: verifyFace(verify),
    },
  ];
}

function accountRoutes(parts: RouteParts): Route[] {
  return [
    {
      method: 'GET',
      paths: ['/v1/balance'],
      callers: 'key',
      limit: withBooks,
      handle: balanceFace(parts.balanceOf),
    },
    {
      method: 'POST',
      paths: ['/v1/billing/auto-reload'],
      callers: 'key',
      limit: withBooks,
      handle: autoReloadFace(parts),
    },
    {
      method: 'POST',
      paths: ['/webhooks/stripe'],
      callers: 'anybody',
      limit: withBooks,
      handle: stripeWebhookFace(parts),
    },
    {
      method: 'POST',
      paths: ['/v1/keys/free'],
      callers: 'anybody',
      limit: withBooks,
      handle: freeKeyFace(parts.keys),
    },
  ];
}

function operatorRoutes(parts: RouteParts): Route[] {
  return [
    {
      method: 'GET',
      paths: ['/v1/sources'],
      callers: 'anybody',
      limit: promptly,
      handle: sourcesFace(parts.sourceReadings),
    },
    {
      method: 'GET',
      paths: ['/metrics'],
      callers: 'operator',
      limit: promptly,
      handle: metricsFace(parts.metrics),
    },
    { method: 'GET', paths: ['/healthz'], callers: 'anybody', limit: promptly, handle: healthz },
    { method: 'GET', paths: ['/readyz'], callers: 'anybody', limit: promptly, handle: readyz(parts) },
  ];
}
