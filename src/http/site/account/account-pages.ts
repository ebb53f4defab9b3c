import type { Keys } from '../../../billing/keys/keys.ts';
import type { FreeRoute } from '../../calls/call.ts';
import { createAccountDoor, type DoorDeps } from './account-door.ts';
import { type BillingPageDeps, createBillingPages } from './billing-page.ts';
import { createKeysPages, type KeysPagesDeps } from './keys-pages.ts';
import { createOverviewHandler, type OverviewDeps } from './overview.ts';
import { createProofFormHandler, createRecoverHandler, type RecoverDeps } from './recover-page.ts';
import { createUsagePageHandler, type UsagePageDeps } from './usage-page.ts';

/** Dependencies of the pages of an account. */
export type AccountDeps = DoorDeps &
  OverviewDeps &
  Omit<UsagePageDeps, 'keys'> &
  Omit<KeysPagesDeps, 'door' | 'keys'> &
  Omit<BillingPageDeps, 'door'> &
  Omit<RecoverDeps, 'door'> & { keys: Keys };

/** The name of a page or of the action of a form. */
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

/** Creates the handlers of all pages of an account and of their forms, behind one sign-in. */
export function createAccountPages(deps: AccountDeps): Record<AccountHandler, FreeRoute['handle']> {
  const door = createAccountDoor(deps);
  const keys = createKeysPages({ ...deps, door });
  const billing = createBillingPages({ ...deps, door });
  return {
    overview: door.page(createOverviewHandler(deps)),
    enter: door.enter,
    leave: door.leave,
    usage: door.page(createUsagePageHandler(deps)),
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
    askForProof: createProofFormHandler(deps),
    recover: createRecoverHandler({ ...deps, door }),
  };
}
