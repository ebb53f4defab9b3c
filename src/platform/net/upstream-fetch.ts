import type { GuardedFetch } from './fetch-types.ts';
import type { FetchLimits } from './guard.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { createNamedFetch, limitLookupTime } from './named-fetch.ts';
import { createResolver } from './resolver.ts';

type UpstreamFetch = { fetch: GuardedFetch; close(): Promise<void> };

/** Time limit of a lookup; short, so that without a network all sources fail before a search's deadline. */
const LOOK_UP_MS = 1_500;
const LIMITS: Partial<FetchLimits> = {
  connectMs: 1_500,
  headersMs: 5_000,
  idleMs: 2_500,
  perHostMax: 16,
  redirectsMax: 2,
};

/**
 * Fetches from upstream search APIs. A redirect never leaves the requested origin.
 * Private addresses are allowed only on the origins that the operator named (`namedOrigins`).
 */
export function createUpstreamFetch(options: {
  namedOrigins: readonly string[];
  dnsServers: readonly string[];
}): UpstreamFetch {
  const { dnsServers } = options;
  const common = { limits: LIMITS, staysOnOrigin: true };
  // The second try takes twice as long as the first.
  const resolver = createResolver({ servers: dnsServers, tryMs: LOOK_UP_MS / 3, tries: 2 });
  const standard = createGuardedFetch({ ...common, resolve: limitLookupTime(resolver.resolve) });
  const named = createNamedFetch({ dnsServers, limits: LIMITS });
  const origins = new Set(options.namedOrigins.map((origin) => new URL(origin).origin));
  return {
    fetch: (request) => (origins.has(toOrigin(request.url)) ? named : standard).fetch(request),
    async close() {
      resolver.close();
      await Promise.all([standard.close(), named.close()]);
    },
  };
}

const toOrigin = (url: string): string => URL.parse(url)?.origin ?? '';
