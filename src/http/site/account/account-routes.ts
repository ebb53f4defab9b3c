import type { FreeRoute } from '../../calls/call.ts';
import { LIMITS } from '../../calls/route-limits.ts';
import { createLazyHandlers } from '../later-handlers.ts';
import type { AccountDeps, AccountHandler } from './account-pages.ts';

/** Builds the routes of the account pages, for owners who sign in with a key. The first request for one loads them. */
export function buildAccountPageRoutes(deps: AccountDeps): FreeRoute[] {
  const pages = createLazyHandlers(async () => (await import('./account-pages.ts')).createAccountPages(deps));
  const createPageHandler = (name: AccountHandler): FreeRoute['handle'] => pages((made) => made[name]);
  return [
    buildGetRoute('/account', createPageHandler('overview')),
    buildPostRoute('/account', createPageHandler('enter')),
    buildPostRoute('/account/sign-out', createPageHandler('leave')),
    buildGetRoute('/account/usage', createPageHandler('usage')),
    buildGetRoute('/account/keys', createPageHandler('keys')),
    buildPostRoute('/account/keys', createPageHandler('addKey')),
    buildGetRoute('/account/keys/:id', createPageHandler('key')),
    buildPostRoute('/account/keys/:id/change', createPageHandler('changeKey')),
    buildPostRoute('/account/keys/:id/rotate', createPageHandler('rotateKey')),
    buildPostRoute('/account/keys/:id/end-old', createPageHandler('endOldSecret')),
    buildPostRoute('/account/keys/:id/revoke', createPageHandler('revokeKey')),
    buildGetRoute('/account/apps', createPageHandler('apps')),
    buildPostRoute('/account/apps/end', createPageHandler('endApp')),
    buildGetRoute('/account/billing', createPageHandler('billing')),
    buildPostRoute('/account/billing/auto-reload', createPageHandler('autoReload')),
    {
      ...buildPostRoute('/account/billing/remove-card', createPageHandler('removeCard')),
      limit: LIMITS.payment,
    },
    {
      ...buildGetRoute('/account/receipt/:id', createPageHandler('receipt')),
      limit: LIMITS.payment,
      noHead: true,
    },
    ...(deps.site.terms?.sells
      ? buildRecoveryRoutes(createPageHandler('askForProof'), createPageHandler('recover'))
      : []),
  ];
}

function buildRecoveryRoutes(ask: FreeRoute['handle'], recover: FreeRoute['handle']): FreeRoute[] {
  const path = '/account/recover';
  return [buildGetRoute(path, ask), { ...buildPostRoute(path, recover), limit: LIMITS.payment }];
}

function buildGetRoute(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths: [path], callers: 'anybody', limit: LIMITS.ledger, pages: 'always', handle };
}

function buildPostRoute(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { ...buildGetRoute(path, handle), method: 'POST' };
}
