import type { Keys } from '../../../billing/keys/keys.ts';
import type { FreeRoute } from '../../calls/call.ts';
import { LIMITS } from '../../calls/route-limits.ts';
import { createAccountDoor, type DoorDeps } from './account-door.ts';
import { type BillingPageDeps, billingPages } from './billing-page.ts';
import { type KeysPagesDeps, keysPages } from './keys-pages.ts';
import { type OverviewDeps, overview } from './overview.ts';
import { askForProof, type RecoverDeps, recoverAccount } from './recover-page.ts';
import { type UsagePageDeps, usagePage } from './usage-page.ts';

/** What the pages of an account need. */
export type AccountDeps = DoorDeps &
  OverviewDeps &
  Omit<UsagePageDeps, 'keys'> &
  Omit<KeysPagesDeps, 'door' | 'keys'> &
  Omit<BillingPageDeps, 'door'> &
  Omit<RecoverDeps, 'door'> & { keys: Keys };

/** The pages of an account, for owners who sign in with a key. */
export function accountRoutes(deps: AccountDeps): FreeRoute[] {
  const door = createAccountDoor(deps);
  const keys = keysPages({ ...deps, door });
  const billing = billingPages({ ...deps, door });
  return [
    get('/account', door.page(overview(deps))),
    post('/account', door.enter),
    post('/account/sign-out', door.leave),
    get('/account/usage', door.page(usagePage(deps))),
    get('/account/keys', keys.list),
    post('/account/keys', keys.add),
    get('/account/keys/:id', keys.show),
    post('/account/keys/:id/change', keys.change),
    post('/account/keys/:id/rotate', keys.rotate),
    post('/account/keys/:id/end-old', keys.endOld),
    post('/account/keys/:id/revoke', keys.revoke),
    get('/account/billing', billing.show),
    post('/account/billing/auto-reload', billing.autoReload),
    { ...post('/account/billing/remove-card', billing.removeCard), limit: LIMITS.payment },
    { ...get('/account/receipt/:id', billing.receipt), limit: LIMITS.payment, noHead: true },
    ...(deps.site.terms?.sells ? recoveryRoutes({ ...deps, door }) : []),
  ];
}

function recoveryRoutes(deps: RecoverDeps): FreeRoute[] {
  const path = '/account/recover';
  return [get(path, askForProof(deps)), { ...post(path, recoverAccount(deps)), limit: LIMITS.payment }];
}

function get(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { method: 'GET', paths: [path], callers: 'anybody', limit: LIMITS.ledger, pages: 'always', handle };
}

function post(path: string, handle: FreeRoute['handle']): FreeRoute {
  return { ...get(path, handle), method: 'POST' };
}
