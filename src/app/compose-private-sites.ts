import { createNetworkMatcher } from '../billing/ledger/address-prefixes.ts';
import type { LocalIndex } from '../index/local-index-types.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { Log } from '../platform/log.ts';
import type { GuardedFetch } from '../platform/net/fetch-types.ts';
import { createSealing } from '../platform/sealing.ts';
import {
  openPrivateSiteStore,
  PRIVATE_SITES_FILE,
  type PrivateSiteStore,
} from '../platform/store/private-sites/open-private-site-store.ts';
import { createCollections } from '../sites/collections.ts';
import { createPrivateSites, type PrivateSites } from '../sites/private-sites.ts';
import { resolveAppSecret } from './compose-payments.ts';
import type { Config } from './config.ts';
import { openTables } from './open-tables.ts';
import type { Teardown } from './teardown.ts';

type CallerConfig = Pick<Config, 'privateSites' | 'metering' | 'unmeteredNetworks'>;

/** Opens the store of sign-in profiles and collections; null if the operator has not switched them on. */
export async function openPrivateTables(
  config: Pick<Config, 'privateSites' | 'dataDir' | 'databaseUrl'>,
  { log, teardown }: { log: Log; teardown: Teardown },
): Promise<PrivateSiteStore | null> {
  if (config.privateSites === 'off') return null;
  const what = { what: 'private sites', file: PRIVATE_SITES_FILE, open: openPrivateSiteStore };
  const store = await openTables(config, what, log);
  teardown.add(() => store.close());
  return store;
}

export function composePrivateSites(
  config: CallerConfig & Pick<Config, 'dataDir' | 'appSecret'>,
  parts: {
    store: PrivateSiteStore;
    index: LocalIndex;
    fetch: GuardedFetch;
    clock: Clock;
    background: Background;
  },
): PrivateSites {
  return createPrivateSites({
    ...parts,
    sealing: createSealing(resolveAppSecret(config)),
    collections: createCollections(parts),
    findOwner: createOwnerFinder(config),
  });
}

const OPERATOR = 'operator';

/** Callers who are not metered use the server as their own; each key is an owner of its own, if the operator lets keys be owners. */
function createOwnerFinder({
  privateSites,
  metering,
  unmeteredNetworks,
}: CallerConfig): (tenant: Tenant) => string | null {
  const isUnmetered = createNetworkMatcher(unmeteredNetworks);
  return (tenant = '') => {
    if (tenant.startsWith('key ')) return privateSites === 'keys' ? tenant : null;
    const [, address] = /^network ([^/]+)/.exec(tenant) ?? [];
    return address !== undefined && (!metering || isUnmetered(address)) ? OPERATOR : null;
  };
}
