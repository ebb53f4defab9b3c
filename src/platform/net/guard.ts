import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { PAGE_REDIRECTS_MAX, PAGE_TIMEOUT_MS } from '../../contract/limits.ts';
import { type AddressPolicy, createAddressPolicy } from './address.ts';
import { judgeUrl } from './check-url.ts';
import {
  createGuardedConnector,
  createResolver,
  type GuardedConnector,
  type OpenSocket,
  type ResolveName,
} from './connector.ts';
import { createEgress, type EgressSettings } from './egress/egress.ts';
import type { CheckUrl } from './fetch-types.ts';

export const FETCH_LIMITS: FetchLimits = Object.freeze({
  timeoutMs: PAGE_TIMEOUT_MS,
  redirectsMax: PAGE_REDIRECTS_MAX,
  dnsTryMs: 2_000,
  dnsTries: 2,
  connectMs: 5_000,
  // A slow page may use all of its time; only connecting has a shorter limit.
  headersMs: PAGE_TIMEOUT_MS,
  idleMs: PAGE_TIMEOUT_MS,
  headerBytesMax: 16_384,
  perHostMax: 4,
  totalMax: 64,
  waitingMax: 500,
  keepAliveMs: 4_000,
});

/** Checks addresses and opens connections; shared by the guarded fetch and the guarded proxy. */
export type Guard = {
  checkUrl: CheckUrl;
  connector: GuardedConnector;
  /** Resolves to the first address of a host, from the same cache as connections; null: it has none, or the lookup fails. */
  addressOf(host: string): Promise<string | null>;
  close(): void;
};

export type GuardOptions = {
  /** Private CIDRs that may be reached. */
  allowPrivate?: readonly string[];
  /** `host:port` of name servers; empty or absent: the system's name servers. */
  dnsServers?: readonly string[];
  /** The operator's proxies and certificates; null or absent: every host is reached directly. */
  egress?: EgressSettings | null;
  /** Replaces name lookups, sockets and the machine's addresses in tests. */
  resolve?: ResolveName;
  openSocket?: OpenSocket;
  ownAddresses?: () => readonly string[];
};

const HTTPS_PORT = 443;

/** Creates a guard. Throws RangeError for an invalid CIDR, and EgressFileError. */
export function createGuard(options: GuardOptions, limits: FetchLimits): Guard {
  const policy: AddressPolicy = createAddressPolicy({
    allowPrivate: options.allowPrivate ?? [],
    ownAddresses: options.ownAddresses ?? listInterfaceAddresses,
  });
  const resolver = createResolver({
    servers: options.dnsServers ?? [],
    tryMs: limits.dnsTryMs,
    tries: limits.dnsTries,
  });
  const resolve = options.resolve ?? resolver.resolve;
  const egress = options.egress ? createEgress(options.egress) : null;
  const connector = createGuardedConnector({
    policy,
    resolve,
    connectMs: limits.connectMs,
    egress,
    ...(options.openSocket === undefined ? {} : { open: options.openSocket }),
  });
  return {
    checkUrl: (url) => judgeUrl(url, policy),
    connector,
    async addressOf(host) {
      const name = host.replace(/^\[|\]$/g, '');
      if (isIP(name) !== 0) return name;
      // The proxy looks the name up, and perhaps only the proxy can.
      if (egress?.proxyJudges && egress.findProxy(name, HTTPS_PORT) !== null) return null;
      const addresses = await resolve(name).catch(() => []);
      return addresses[0] ?? null;
    },
    close: () => resolver.close(),
  };
}

function listInterfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

/** Limits of fetching, most of which are not promised to callers. Times in milliseconds. */
export type FetchLimits = {
  /** Time limit for waiting, lookup, connects, all hops and the body together. */
  timeoutMs: number;
  redirectsMax: number;
  dnsTryMs: number;
  dnsTries: number;
  connectMs: number;
  headersMs: number;
  /** Time limit between two pieces of the body. */
  idleMs: number;
  headerBytesMax: number;
  /** Maximum concurrent exchanges, with one host and in total. */
  perHostMax: number;
  totalMax: number;
  /** Maximum exchanges that wait for a turn; beyond it, one of the tenant with the most fails. */
  waitingMax: number;
  /** Time for which an idle connection is kept. */
  keepAliveMs: number;
};
