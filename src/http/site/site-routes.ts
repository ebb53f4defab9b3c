import type { Checkouts } from '../../billing/payments/checkout-types.ts';
import type { SandboxPage } from '../../billing/payments/providers/sandbox-types.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FreeRoute, Route } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';
import { type AccountDeps, accountRoutes } from './account/account-routes.ts';
import type { Asset } from './assets.ts';
import { type BuyDeps, buyHandler, closedBuyHandler } from './payments/buy.ts';
import { createOpenings } from './payments/openings.ts';
import { type PricingDeps, pricing } from './payments/pricing.ts';
import { sandboxAct, sandboxPay } from './payments/sandbox-pay.ts';
import { success, successReload } from './payments/success.ts';
import { type ReadPageDeps, readPage } from './reading/read-page.ts';
import { freeKeyPage } from './start/free-key.ts';
import { type HomeDeps, home } from './start/home.ts';

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

/** The routes of the web pages and of the links to buy. */
export function siteRoutes(deps: SiteRouteDeps): Route[] {
  return [
    { ...get('/', home(deps)), limit: LIMITS.play, pages: 'for browsers', compress: true },
    { ...get('/read', readPage(deps)), limit: LIMITS.play, compress: true, noHead: true },
    ...(deps.site.terms === null ? [] : moneyRoutes(deps)),
    ...[deps.site.style, deps.site.icon].map(assetRoute),
  ];
}

function moneyRoutes(deps: SiteRouteDeps): Route[] {
  return [
    get('/pricing', pricing(deps)),
    ...(deps.site.terms?.sells ? salesRoutes(deps) : [buyRoute(closedBuyHandler(deps))]),
    ...(deps.site.terms?.freeKeys ? [post('/free-key', freeKeyPage(deps))] : []),
    ...accountRoutes(deps),
  ];
}

function salesRoutes(deps: SiteRouteDeps): Route[] {
  const openings = createOpenings(deps.clock);
  return [
    buyRoute(buyHandler({ ...deps, openings })),
    { ...get('/success', success(deps)), limit: LIMITS.payment, noHead: true },
    { ...post('/success', successReload(deps)), limit: LIMITS.payment },
    ...sandboxRoutes(deps),
  ];
}

function buyRoute(handle: FreeRoute['handle']): FreeRoute {
  return { ...get('/buy/:pack', handle), limit: LIMITS.payment, pages: 'for browsers', noHead: true };
}

function sandboxRoutes({ sandboxPage: sandbox, site }: SiteRouteDeps): Route[] {
  if (sandbox === null) return [];
  const path = '/sandbox/pay/:id';
  return [{ ...get(path, sandboxPay(sandbox, site)), limit: LIMITS.ledger }, post(path, sandboxAct(sandbox))];
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
