import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import { createFetchFailure, Failure } from '../../contract/errors.ts';
import type { AddressPolicy } from './address.ts';
import { createNotAllowedError } from './check-url.ts';

const NAMES_MAX = 5_000;
const FRESH_MS_MAX = 60_000;
const FAILED_MS = 10_000;
/** Error codes that mean that the name does not exist; any other error is a failure of the name server. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** Opens a socket (with TLS for https) to one of `addresses`, which have been checked; makes no lookup of its own. */
export type OpenSocket = (
  target: buildConnector.Options,
  addresses: readonly string[],
  connectMs: number,
) => Promise<Socket>;

export type GuardedConnector = {
  connect: buildConnector.connector;
  /** The number of connections opened to an origin so far; undefined if there was none (or long ago). */
  opened(origin: string): number | undefined;
};

/** Maximum addresses of a host that are tried. */
const ADDRESSES_TRIED_MAX = 8;
/** Time after which the next address is tried in parallel; Node's default of 250 ms fails for distant but healthy hosts. */
const NEXT_ADDRESS_MS = 1_000;
const ORIGINS_REMEMBERED_MAX = 2_048;
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * The choke point: every connection to a page is opened here. The host's addresses are checked and the socket connects to one
 * of exactly these, so it does not matter if the name resolves differently a moment later. Address literals pass through here
 * too; a guard in the lookup would never see them.
 */
export function createGuardedConnector(options: {
  policy: AddressPolicy;
  resolve: ResolveName;
  connectMs: number;
  open?: OpenSocket;
}): GuardedConnector {
  const open = options.open ?? openSocket;
  const opened = new LRUCache<string, number>({ max: ORIGINS_REMEMBERED_MAX });

  const connect = async (target: buildConnector.Options): Promise<Socket> => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const addresses = await resolvePermitted(host, options);
    const socket = await open(target, addresses, options.connectMs).catch((error: unknown) => {
      throw toConnectFailure(error);
    });
    if (!options.policy.permits(socket.remoteAddress ?? '')) {
      socket.on('error', () => {}).destroy();
      throw createNotPublicError();
    }
    const origin = buildOrigin(target);
    opened.set(origin, (opened.get(origin) ?? 0) + 1);
    return socket;
  };

  return {
    connect: (target, callback) => {
      connect(target).then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      );
    },
    opened: (origin) => opened.get(origin),
  };
}

/** Returns the addresses of a host. Throws `url_not_allowed` if any is not permitted: an honest site has no such address. */
async function resolvePermitted(
  host: string,
  { policy, resolve }: { policy: AddressPolicy; resolve: ResolveName },
): Promise<readonly string[]> {
  if (isIP(host) !== 0) {
    if (!policy.permits(host)) throw createNotPublicError();
    return [host];
  }
  if (host === 'localhost' || host.endsWith('.localhost')) {
    // RFC 6761: resolved here, never by a name server. The operator may have allowed only one address family.
    const permitted = LOOPBACK.filter((address) => policy.permits(address));
    if (permitted.length === 0) throw createNotPublicError();
    return permitted;
  }
  const addresses = await resolve(host);
  if (!addresses.every((address) => policy.permits(address))) throw createNotPublicError();
  return addresses.slice(0, ADDRESSES_TRIED_MAX);
}

function createNotPublicError(): Failure {
  return createNotAllowedError('its host is not on the public network', { afterLookup: true });
}

function buildOrigin({ protocol, host, hostname, port }: buildConnector.Options): string {
  return `${protocol}//${host ?? `${hostname}:${port}`}`;
}

/** TLS sessions are not reused: the socket pool already saves most handshakes. */
const openSocket: OpenSocket = async (target, addresses, connectMs) => {
  const { buildConnector } = await import('undici');
  return new Promise((resolve, reject) => {
    const connect = buildConnector({
      timeout: connectMs,
      allowH2: false,
      maxCachedSessions: 0,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      lookup: createFixedLookup(addresses),
    });
    connect(target, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });
};

/** Creates a lookup with a fixed answer. */
function createFixedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    const [first] = answers;
    if (options.all) callback(null, answers);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** Node's error messages contain the address that was tried; ours must not. */
function toConnectFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = String((error as { code?: unknown })?.code ?? '');
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return createFetchFailure('timeout', 'the server did not accept a connection in time', { cause: error });
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/.test(code))
    return createFetchFailure('connect', 'no secure connection to the server could be made', {
      cause: error,
    });
  return createFetchFailure('connect', 'no connection to the server could be made', { cause: error });
}

/** Resolves a host name to all its IPv4 and IPv6 addresses, unchecked. Throws `Failure('fetch_failed')` with reason 'dns'. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export type NameResolver = { resolve: ResolveName; close(): void };

type LookUpResult = { addresses: readonly string[] } | { failure: Failure };

/**
 * Queries name servers directly (c-ares) instead of using the system's lookup, which reads the hosts file and whose four
 * threads a few slow names would block. Answers are cached for their time to live, at most a minute; failures for 10 s.
 */
export function createResolver(options: {
  /** `host:port`; empty: the system's name servers. */
  servers: readonly string[];
  tryMs: number;
  tries: number;
  now?: () => number;
}): NameResolver {
  let asker = createDnsClient(options);
  const known = new LRUCache<string, LookUpResult>({
    max: NAMES_MAX,
    ttlResolution: 0,
    perf: { now: options.now ?? (() => performance.now()) },
  });
  const asking = new Map<string, Promise<LookUpResult>>();

  const lookUpAndCache = async (name: string): Promise<LookUpResult> => {
    const { answer, freshMs, serversFailed } = await lookUp(asker, name);
    // The cache treats a time to live of 0 as "forever".
    if (freshMs > 0) known.set(name, answer, { ttl: freshMs });
    // The system's servers may have changed since the start, for example because a laptop changed networks.
    if (serversFailed && options.servers.length === 0) asker = createDnsClient(options);
    return answer;
  };

  return {
    async resolve(name) {
      let answer: LookUpResult | Promise<LookUpResult> | undefined = known.get(name) ?? asking.get(name);
      if (answer === undefined) {
        answer = lookUpAndCache(name).finally(() => asking.delete(name));
        asking.set(name, answer);
      }
      const result = await answer;
      if ('failure' in result) throw result.failure;
      return result.addresses;
    },
    close: () => asker.cancel(),
  };
}

function createDnsClient(options: { servers: readonly string[]; tryMs: number; tries: number }): Resolver {
  const asker = new Resolver({ timeout: options.tryMs, tries: options.tries });
  if (options.servers.length > 0) asker.setServers([...options.servers]);
  return asker;
}

async function lookUp(
  asker: Resolver,
  name: string,
): Promise<{ answer: LookUpResult; freshMs: number; serversFailed: boolean }> {
  const outcomes = await Promise.allSettled([
    asker.resolve4(name, { ttl: true }),
    asker.resolve6(name, { ttl: true }),
  ]);
  const records = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  if (records.length > 0) {
    const freshMs = Math.min(FRESH_MS_MAX, ...records.map(({ ttl }) => ttl * 1000));
    const addresses = [...new Set(records.map(({ address }) => address))];
    return { answer: { addresses }, freshMs, serversFailed: false };
  }
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  const serversFailed = errors.some((error) => !ABSENT.has(error.code));
  const message = serversFailed
    ? `the name servers did not answer for ${name}`
    : `the host ${name} does not exist`;
  return {
    answer: { failure: createFetchFailure('dns', message, { cause: errors[0] }) },
    freshMs: FAILED_MS,
    serversFailed,
  };
}
