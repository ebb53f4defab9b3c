import type { Checkouts } from '../../billing/payments/checkout-types.ts';
import type { SandboxPage } from '../../billing/payments/providers/sandbox-types.ts';
import { Failure } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FreeRoute, Route } from '../calls/call.ts';
import { type AccountDeps, account, accountReload, askForKey } from './account/account.ts';
import { ICON, STYLE } from './assets.ts';
import { type HomeDeps, home } from './home.ts';
import { type BuyDeps, buyHandler } from './payments/buy.ts';
import { createOpenings } from './payments/openings.ts';
import { pricing } from './payments/pricing.ts';
import { sandboxAct, sandboxPay } from './payments/sandbox-pay.ts';
import { success, successReload } from './payments/success.ts';

/** What the pages need. */
export type SiteRouteDeps = HomeDeps &
  AccountDeps &
  Pick<BuyDeps, 'readTopUp'> & {
    checkouts: Checkouts;
    /** Null if a real provider takes the payments. */
    sandboxPage: SandboxPage | null;
    clock: Clock;
  };

const limitOf = (ms: number, reason: string): Route['limit'] => ({
  ms,
  late: () => new Failure('overloaded', reason),
});
const promptly = limitOf(1_000, 'The service did not answer in time.');
const ledgerLimit = limitOf(5_000, 'The accounts did not answer in time.');
const withProvider = {
  ms: 20_000,
  late: () => new Failure('payment_unavailable', 'The payment provider did not answer in time.'),
};
const searching = limitOf(8_000, 'The search took too long. Try again in a moment.');

/** The routes of the web pages and of the links to buy. */
export function siteRoutes(deps: SiteRouteDeps): Route[] {
  const openings = createOpenings(deps.clock);
  return [
    { ...get('/', home(deps)), limit: searching, pages: 'for browsers' },
    get('/pricing', pricing(deps)),
    {
      ...get('/buy/:pack', buyHandler({ ...deps, openings })),
      ...{ limit: withProvider, pages: 'for browsers', noHead: true },
    },
    { ...get('/success', success(deps)), limit: withProvider, noHead: true },
    { ...post('/success', successReload(deps)), limit: withProvider },
    get('/account', askForKey),
    post('/account', account(deps)),
    post('/account/auto-reload', accountReload(deps)),
    ...sandboxRoutes(deps.sandboxPage),
    get('/site.css', STYLE.answer),
    get('/favicon.svg', ICON.answer),
  ];
}

function sandboxRoutes(sandbox: SandboxPage | null): Route[] {
  if (sandbox === null) return [];
  const path = '/sandbox/pay/:id';
  return [{ ...get(path, sandboxPay(sandbox)), limit: ledgerLimit }, post(path, sandboxAct(sandbox))];
}

function get(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths: [path], callers: 'anybody', limit: promptly, pages: 'always', handle };
}

function post(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { ...get(path, handle), method: 'POST', limit: ledgerLimit };
}
