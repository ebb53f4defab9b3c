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

/** What the pages stand on. */
export type SiteParts = HomeDeps &
  AccountDeps &
  Pick<BuyDeps, 'readTopUp'> & {
    checkouts: Checkouts;
    /** Null where a real provider takes the payments. */
    sandboxPage: SandboxPage | null;
    clock: Clock;
  };

const limitOf = (ms: number, reason: string): Route['limit'] => ({
  ms,
  late: () => new Failure('overloaded', reason),
});
const promptly = limitOf(1_000, 'The service does not answer in time.');
const ledgerLimit = limitOf(5_000, 'The accounts do not answer in time.');
const withProvider = {
  ms: 20_000,
  late: () => new Failure('payment_unavailable', 'The payment provider does not answer in time.'),
};
const searching = limitOf(8_000, 'The search took too long; try again in a moment.');

/** The pages of the site, and the link to buy. */
export function siteRoutes(parts: SiteParts): Route[] {
  const openings = createOpenings(parts.clock);
  return [
    { ...get('/', home(parts)), limit: searching, pages: 'for browsers' },
    get('/pricing', pricing(parts)),
    {
      ...get('/buy/:pack', buyHandler({ ...parts, openings })),
      ...{ limit: withProvider, pages: 'for browsers', noHead: true },
    },
    { ...get('/success', success(parts)), limit: withProvider, noHead: true },
    { ...post('/success', successReload(parts)), limit: withProvider },
    get('/account', askForKey),
    post('/account', account(parts)),
    post('/account/auto-reload', accountReload(parts)),
    ...sandboxRoutes(parts.sandboxPage),
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
