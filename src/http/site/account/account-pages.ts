import type { Keys } from '../../../billing/keys/keys.ts';
import type { FreeRoute } from '../../calls/call.ts';
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

/** A page, or what a form on one does. */
export type AccountHandler =
  | 'overview'
  | 'enter'
  | 'leave'
  | 'usage'
  | 'keys'
  | 'addKey'
  | 'key'
  | 'changeKey'
  | 'rotateKey'
  | 'endOldSecret'
  | 'revokeKey'
  | 'billing'
  | 'autoReload'
  | 'removeCard'
  | 'receipt'
  | 'askForProof'
  | 'recover';

/** Handlers of all pages of an account and of their forms, behind one door. */
export function accountPages(deps: AccountDeps): Record<AccountHandler, FreeRoute['handle']> {
  const door = createAccountDoor(deps);
  const keys = keysPages({ ...deps, door });
  const billing = billingPages({ ...deps, door });
  return {
    overview: door.page(overview(deps)),
    enter: door.enter,
    leave: door.leave,
    usage: door.page(usagePage(deps)),
    keys: keys.list,
    addKey: keys.add,
    key: keys.show,
    changeKey: keys.change,
    rotateKey: keys.rotate,
    endOldSecret: keys.endOld,
    revokeKey: keys.revoke,
    billing: billing.show,
    autoReload: billing.autoReload,
    removeCard: billing.removeCard,
    receipt: billing.receipt,
    askForProof: askForProof(deps),
    recover: recoverAccount({ ...deps, door }),
  };
}
