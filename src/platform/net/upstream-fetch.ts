import { lookup } from 'node:dns/promises';
import { fetchFailed } from '../../contract/errors.ts';
import type { FetchLimits } from './fetch-limits.ts';
import type { GuardedFetch } from './fetch-types.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { createResolver, type ResolveName } from './resolver.ts';

type UpstreamFetch = { fetch: GuardedFetch; close(): Promise<void> };

/** Short, so that without a network all sources fail before a search's deadline. */
const LOOK_UP_MS = 1_500;
const LIMITS: Partial<FetchLimits> = {
  connectMs: 1_500,
  headersMs: 5_000,
  idleMs: 2_500,
  perHostMax: 16,
  redirectsMax: 2,
};
const ALL_ADDRESSES = ['0.0.0.0/0', '::/0'];

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
  const standard = createGuardedFetch({ ...common, resolve: inTime(resolver.resolve) });
  const named = createGuardedFetch({
    ...common,
    allowPrivate: ALL_ADDRESSES,
    resolve: inTime(dnsServers.length === 0 ? resolveOwn : resolver.resolve),
  });
  const origins = new Set(options.namedOrigins.map((origin) => new URL(origin).origin));
  return {
    fetch: (request) => (origins.has(originOf(request.url)) ? named : standard).fetch(request),
    async close() {
      resolver.close();
      await Promise.all([standard.close(), named.close()]);
    },
  };
}

/** Uses the system's lookup: a host that the operator named may exist only in the hosts file, and these few names cannot block it. */
const resolveOwn: ResolveName = async (name) => {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (cause) {
    throw fetchFailed('dns', 'the host name of the source was not found', { cause });
  }
};

function inTime(resolve: ResolveName): ResolveName {
  return async (name) => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const failure = fetchFailed('dns', 'the name servers did not answer in time');
    const timer = setTimeout(() => reject(failure), LOOK_UP_MS);
    try {
      return await Promise.race([resolve(name), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

const originOf = (url: string): string => URL.parse(url)?.origin ?? '';
