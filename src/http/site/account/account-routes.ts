import type { FreeRoute } from '../../calls/call.ts';
import { LIMITS } from '../../calls/route-limits.ts';
import { laterHandlers } from '../later-handlers.ts';
import type { AccountDeps, AccountHandler } from './account-pages.ts';

/** The pages of an account, for owners who sign in with a key; the first request for one loads them. */
export function accountRoutes(deps: AccountDeps): FreeRoute[] {
  const pages = laterHandlers(async () => (await import('./account-pages.ts')).accountPages(deps));
  const page = (name: AccountHandler): FreeRoute['handle'] => pages((made) => made[name]);
  return [
    get('/account', page('overview')),
    post('/account', page('enter')),
    post('/account/sign-out', page('leave')),
    get('/account/usage', page('usage')),
    get('/account/keys', page('keys')),
    post('/account/keys', page('addKey')),
    get('/account/keys/:id', page('key')),
    post('/account/keys/:id/change', page('changeKey')),
    post('/account/keys/:id/rotate', page('rotateKey')),
    post('/account/keys/:id/end-old', page('endOldSecret')),
    post('/account/keys/:id/revoke', page('revokeKey')),
    get('/account/billing', page('billing')),
    post('/account/billing/auto-reload', page('autoReload')),
    { ...post('/account/billing/remove-card', page('removeCard')), limit: LIMITS.payment },
    { ...get('/account/receipt/:id', page('receipt')), limit: LIMITS.payment, noHead: true },
    ...(deps.site.terms?.sells ? recoveryRoutes(page('askForProof'), page('recover')) : []),
  ];
}

function recoveryRoutes(ask: FreeRoute['handle'], recover: FreeRoute['handle']): FreeRoute[] {
  const path = '/account/recover';
  return [get(path, ask), { ...post(path, recover), limit: LIMITS.payment }];
}

function get(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths: [path], callers: 'anybody', limit: LIMITS.ledger, pages: 'always', handle };
}

function post(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { ...get(path, handle), method: 'POST' };
}
