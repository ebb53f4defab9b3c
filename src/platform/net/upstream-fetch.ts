import { lookup } from 'node:dns/promises';
import type { Agent as HttpAgent } from 'node:http';
import type { Duplex } from 'node:stream';
import { createFetchFailure } from '../../contract/errors.ts';
import { createResolver, type ResolveName } from './connector.ts';
import type { EgressSettings } from './egress/egress.ts';
import type { GuardedFetch } from './fetch-types.ts';
import { createGuard, FETCH_LIMITS, type FetchLimits } from './guard.ts';
import { createGuardedFetch, type GuardedNetwork } from './guarded-fetch.ts';

const ALL_ADDRESSES = ['0.0.0.0/0', '::/0'];
/** Resolves with the system's lookup: the operator's hosts may exist only in the hosts file, and these few names cannot block it. */
const resolveWithSystem: ResolveName = async (name) => {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (cause) {
    throw createFetchFailure('dns', 'the host name of the source was not found', { cause });
  }
};

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
  egress: EgressSettings | null;
}): UpstreamFetch {
  const { dnsServers, egress } = options;
  const common = { limits: LIMITS, staysOnOrigin: true, egress };
  // The second try takes twice as long as the first.
  const resolver = createResolver({ servers: dnsServers, tryMs: LOOK_UP_MS / 3, tries: 2 });
  const standard = createGuardedFetch({ ...common, resolve: limitLookupTime(resolver.resolve) });
  const named = createNamedFetch({ dnsServers, egress, limits: LIMITS });
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

/**
 * Fetches from addresses that the operator named, private ones too. A redirect never leaves the requested origin. `egress` null: every
 * host is reached directly.
 */
export function createNamedFetch(options: {
  dnsServers: readonly string[];
  egress: EgressSettings | null;
  limits: Partial<FetchLimits>;
}): Pick<GuardedNetwork, 'fetch' | 'close'> {
  const { dnsServers, egress, limits } = options;
  // The second try takes twice as long as the first.
  const resolver = createResolver({ servers: dnsServers, tryMs: LOOK_UP_MS / 3, tries: 2 });
  const named = createGuardedFetch({
    limits,
    egress,
    staysOnOrigin: true,
    allowPrivate: ALL_ADDRESSES,
    resolve: limitLookupTime(dnsServers.length === 0 ? resolveWithSystem : resolver.resolve),
  });
  return {
    fetch: named.fetch,
    async close() {
      resolver.close();
      await named.close();
    },
  };
}

/**
 * Creates an agent of Node's own client for a library that makes its requests itself, so that it takes the operator's way to its service.
 * Undefined: nothing is set, and the library's own agent will do.
 */
export async function createNamedAgent({
  url,
  egress,
  connectMs,
}: {
  url: string;
  egress: EgressSettings | null;
  connectMs: number;
}): Promise<HttpAgent | undefined> {
  if (egress === null) return undefined;
  const { protocol } = new URL(url);
  const [{ Agent }, { connector }] = await Promise.all([
    protocol === 'https:' ? import('node:https') : import('node:http'),
    createGuard(
      { allowPrivate: ALL_ADDRESSES, resolve: resolveWithSystem, egress },
      { ...FETCH_LIMITS, connectMs },
    ),
  ]);
  const agent = new Agent({ keepAlive: true });
  agent.createConnection = ({ host, port }, settle) => {
    const hostname = host ?? '';
    const target = { protocol, hostname, host: hostname, port: String(port ?? '') };
    // Requests are written for the host itself, so no proxy may forward them.
    connector.open({ ...target, isTunnel: true }).then(
      (socket) => settle?.(null, socket),
      (error) => settle?.(error, NO_SOCKET),
    );
    return undefined;
  };
  return agent;
}

/** Node's types ask for a socket beside an error; its code does not. */
const NO_SOCKET = undefined as unknown as Duplex;

/** Limits the time of a lookup, so that without a network everything fails before its deadline. */
function limitLookupTime(resolve: ResolveName): ResolveName {
  return async (name) => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const failure = createFetchFailure('dns', 'the name servers did not answer in time');
    const timer = setTimeout(() => reject(failure), LOOK_UP_MS);
    try {
      return await Promise.race([resolve(name), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
