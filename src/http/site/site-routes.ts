import type { Checkouts } from '../../billing/payments/checkout-types.ts';
import type { SandboxPage } from '../../billing/payments/providers/sandbox-types.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FreeRoute, Route } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';
import type { AccountDeps } from './account/account-pages.ts';
import { accountRoutes } from './account/account-routes.ts';
import type { Asset } from './assets.ts';
import { laterHandler, laterHandlers } from './later-handlers.ts';
import type { BuyDeps } from './payments/buy.ts';
import { createOpenings } from './payments/openings.ts';
import type { PricingDeps } from './payments/pricing.ts';
import type { ReadPageDeps } from './reading/read-page.ts';
import type { HomeDeps } from './start/home.ts';

/** What the pages need. */
export type SiteRouteDeps = HomeDeps &
  ReadPageDeps &
  PricingDeps &
  AccountDeps &
  Pick<BuyDeps, 'readTopUp'> & {
    checkouts: Checkouts;
    /** Null if a real provider takes the payments. */
    sandboxPage: SandboxPage | null;
    clock: Clock;
  };

/** The routes of the web pages and of the links to buy; the first request for a page loads what makes it. */
export function siteRoutes(deps: SiteRouteDeps): Route[] {
  const home = laterHandler(async () => (await import('./start/home.ts')).home(deps));
  const read = laterHandler(async () => (await import('./reading/read-page.ts')).readPage(deps));
  return [
    { ...get('/', home), limit: LIMITS.play, pages: 'for browsers', compress: true },
    { ...get('/read', read), limit: LIMITS.play, compress: true, noHead: true },
    ...(deps.site.terms === null ? [] : moneyRoutes(deps)),
    ...[deps.site.style, deps.site.icon].map(assetRoute),
  ];
}

function moneyRoutes(deps: SiteRouteDeps): Route[] {
  const pricing = laterHandler(async () => (await import('./payments/pricing.ts')).pricing(deps));
  const closedBuy = laterHandler(async () => (await import('./payments/buy.ts')).closedBuyHandler(deps));
  const freeKey = laterHandler(async () => (await import('./start/free-key.ts')).freeKeyPage(deps));
  return [
    get('/pricing', pricing),
    ...(deps.site.terms?.sells ? salesRoutes(deps) : [buyRoute(closedBuy)]),
    ...(deps.site.terms?.freeKeys ? [post('/free-key', freeKey)] : []),
    ...accountRoutes(deps),
  ];
}

function salesRoutes(deps: SiteRouteDeps): Route[] {
  const openings = createOpenings(deps.clock);
  const buy = laterHandler(async () => (await import('./payments/buy.ts')).buyHandler({ ...deps, openings }));
  const page = laterHandlers(() => import('./payments/success.ts'));
  return [
    buyRoute(buy),
    {
      ...get(
        '/success',
        page((made) => made.success(deps)),
      ),
      limit: LIMITS.payment,
      noHead: true,
    },
    {
      ...post(
        '/success',
        page((made) => made.successReload(deps)),
      ),
      limit: LIMITS.payment,
    },
    ...sandboxRoutes(deps),
  ];
}

function buyRoute(handle: FreeRoute['handle']): FreeRoute {
  return { ...get('/buy/:pack', handle), limit: LIMITS.payment, pages: 'for browsers', noHead: true };
}

function sandboxRoutes({ sandboxPage: sandbox, site }: SiteRouteDeps): Route[] {
  if (sandbox === null) return [];
  const path = '/sandbox/pay/:id';
  const page = laterHandlers(() => import('./payments/sandbox-pay.ts'));
  return [
    {
      ...get(
        path,
        page((made) => made.sandboxPay(sandbox, site)),
      ),
      limit: LIMITS.ledger,
    },
    post(
      path,
      page((made) => made.sandboxAct(sandbox)),
    ),
  ];
}

function assetRoute({ path, answer }: Asset): FreeRoute {
  return { ...get(path, answer), compress: true };
}

function get(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths: [path], callers: 'anybody', limit: LIMITS.prompt, pages: 'always', handle };
}

function post(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { ...get(path, handle), method: 'POST', limit: LIMITS.ledger };
}
