/**
 * The website: start page, reader, libraries, pricing, account, payments and assets. Pages are plain HTML that works without scripts, rendered from
 * `html` templates that escape every value. The modules of a page are loaded by the first request for it.
 */
import type { Checkouts } from '../../billing/payments/checkouts.ts';
import type { SandboxPage } from '../../billing/payments/providers/sandbox-objects.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FreeRoute, Route } from '../calls/call.ts';
import { LIMITS } from '../calls/route-limits.ts';
import type { AccountDeps } from './account/account-pages.ts';
import { buildAccountPageRoutes } from './account/account-routes.ts';
import type { Asset } from './assets.ts';
import { createLazyHandler, createLazyHandlers } from './later-handlers.ts';
import type { LibrariesPageDeps } from './libraries/libraries-page.ts';
import type { BuyDeps } from './payments/buy.ts';
import { createCheckoutLimit } from './payments/checkout-limit.ts';
import type { PricingDeps } from './payments/pricing.ts';
import type { ReadPageDeps } from './reading/read-page.ts';
import type { HomeDeps } from './start/home.ts';

/** Dependencies of the pages. */
export type SiteRouteDeps = HomeDeps &
  ReadPageDeps &
  LibrariesPageDeps &
  PricingDeps &
  AccountDeps &
  Pick<BuyDeps, 'readTopUp'> & {
    checkouts: Checkouts;
    /** Null if a real provider takes the payments. */
    sandboxPage: SandboxPage | null;
    clock: Clock;
  };

/** Builds the routes of the web pages and of the links to buy. The first request for a page loads its modules. */
export function buildSiteRoutes(deps: SiteRouteDeps): Route[] {
  const home = createLazyHandler(async () => (await import('./start/home.ts')).createHomeHandler(deps));
  const read = createLazyHandler(async () =>
    (await import('./reading/read-page.ts')).createReadPageHandler(deps),
  );
  const libraries = createLazyHandler(async () =>
    (await import('./libraries/libraries-page.ts')).createLibrariesPageHandler(deps),
  );
  return [
    { ...buildGetRoute('/', home), limit: LIMITS.play, pages: 'for browsers', compress: true },
    { ...buildGetRoute('/read', read), limit: LIMITS.play, compress: true, noHead: true },
    {
      ...buildGetRoute('/libraries', libraries),
      callers: 'caller',
      limit: LIMITS.play,
      compress: true,
      noHead: true,
    },
    ...(deps.site.terms === null ? [] : buildMoneyRoutes(deps)),
    ...[deps.site.style, deps.site.icon].map(buildAssetRoute),
  ];
}

function buildMoneyRoutes(deps: SiteRouteDeps): Route[] {
  const pricing = createLazyHandler(async () =>
    (await import('./payments/pricing.ts')).createPricingHandler(deps),
  );
  const closedBuy = createLazyHandler(async () =>
    (await import('./payments/buy.ts')).createClosedBuyHandler(deps),
  );
  const freeKey = createLazyHandler(async () =>
    (await import('./start/free-key.ts')).createFreeKeyPageHandler(deps),
  );
  return [
    buildGetRoute('/pricing', pricing),
    ...(deps.site.terms?.sells ? buildSalesRoutes(deps) : [buildBuyRoute(closedBuy)]),
    ...(deps.site.terms?.freeKeys ? [buildPostRoute('/free-key', freeKey)] : []),
    ...buildAccountPageRoutes(deps),
  ];
}

function buildSalesRoutes(deps: SiteRouteDeps): Route[] {
  const openings = createCheckoutLimit(deps.clock);
  const buy = createLazyHandler(async () =>
    (await import('./payments/buy.ts')).createBuyHandler({ ...deps, openings }),
  );
  const page = createLazyHandlers(() => import('./payments/success.ts'));
  return [
    buildBuyRoute(buy),
    {
      ...buildGetRoute(
        '/success',
        page((made) => made.createSuccessHandler(deps)),
      ),
      limit: LIMITS.payment,
      noHead: true,
    },
    {
      ...buildPostRoute(
        '/success',
        page((made) => made.createSuccessReloadHandler(deps)),
      ),
      limit: LIMITS.payment,
    },
    ...buildSandboxRoutes(deps),
  ];
}

function buildBuyRoute(handle: FreeRoute['handle']): FreeRoute {
  return {
    ...buildGetRoute('/buy/:pack', handle),
    limit: LIMITS.payment,
    pages: 'for browsers',
    noHead: true,
  };
}

function buildSandboxRoutes({ sandboxPage: sandbox, site }: SiteRouteDeps): Route[] {
  if (sandbox === null) return [];
  const path = '/sandbox/pay/:id';
  const page = createLazyHandlers(() => import('./payments/sandbox-pay.ts'));
  return [
    {
      ...buildGetRoute(
        path,
        page((made) => made.createSandboxPayHandler(sandbox, site)),
      ),
      limit: LIMITS.ledger,
    },
    buildPostRoute(
      path,
      page((made) => made.createSandboxActHandler(sandbox)),
    ),
  ];
}

function buildAssetRoute({ path, answer }: Asset): FreeRoute {
  return { ...buildGetRoute(path, answer), compress: true };
}

function buildGetRoute(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths: [path], callers: 'anybody', limit: LIMITS.prompt, pages: 'always', handle };
}

function buildPostRoute(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { ...buildGetRoute(path, handle), method: 'POST', limit: LIMITS.ledger };
}
