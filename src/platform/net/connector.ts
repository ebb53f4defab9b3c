import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import { createFetchFailure, Failure } from '../../contract/errors.ts';
import type { AddressPolicy } from './address.ts';
import { createNotAllowedError } from './check-url.ts';
import { buildProxyAuthorization, type Egress, type ProxyServer } from './egress/egress.ts';
import type { Destination } from './egress/open-tunnel.ts';

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
  /** TLS settings of the operator; absent: the usual ones. */
  secureContext?: SecureContext,
) => Promise<Socket>;

export type GuardedConnector = {
  connect: buildConnector.connector;
  /** As `connect`, which is the form that the client asks for. Throws `Failure`. */
  open(target: ConnectTarget): Promise<Socket>;
  /**
   * Returns what a request for an `http:` address needs where a trusted proxy forwards it: the whole address as its target, and the
   * proxy's header if it has a login. Null: the request goes to the host itself.
   */
  forwarding(url: URL): { path: string; headers: Record<string, string> } | null;
  /** The number of connections opened to an origin so far; undefined if there was none (or long ago). */
  opened(origin: string): number | undefined;
};

/** Maximum addresses of a host that are tried, and that a proxy is asked for. */
const ADDRESSES_TRIED_MAX = 8;
const PROXY_TRIES_MAX = 2;
/** Time after which the next address is tried in parallel; Node's default of 250 ms fails for distant but healthy hosts. */
const NEXT_ADDRESS_MS = 1_000;
const ORIGINS_REMEMBERED_MAX = 2_048;
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * The choke point: every connection to a page is opened here. The host's addresses are checked and the socket connects to one
 * of exactly these, so it does not matter if the name resolves differently a moment later. Address literals pass through here
 * too; a guard in the lookup would never see them. A proxy of the operator is asked for the checked addresses in the same way, and
 * gets a name only where the operator trusts it to judge names, or where nothing is forbidden.
 */
export function createGuardedConnector(options: ConnectorOptions): GuardedConnector {
  const open = options.open ?? openSocket;
  const opened = new LRUCache<string, number>({ max: ORIGINS_REMEMBERED_MAX });

  const connect = async (target: ConnectTarget): Promise<Socket> => {
    const { host, port } = readDestination(target);
    const proxy = options.egress?.findProxy(host, port) ?? null;
    const secureContext =
      target.protocol === 'https:' ? await options.egress?.findSecureContext(host, port) : undefined;
    const socket = await (proxy === null
      ? connectDirectly(target, { ...options, open }, secureContext)
      : connectByProxy(target, { ...options, open, proxy }, secureContext));
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
    open: connect,
    forwarding(url) {
      if (options.egress === null || url.protocol !== 'http:') return null;
      const proxy = options.egress.findProxy(stripBrackets(url.hostname), Number(url.port || 80));
      if (proxy === null || !forwards(proxy, options)) return null;
      const authorization = buildProxyAuthorization(proxy);
      return {
        path: `${url.origin}${url.pathname}${url.search}`,
        headers: authorization === null ? {} : { 'proxy-authorization': authorization },
      };
    },
    opened: (origin) => opened.get(origin),
  };
}

type ConnectorOptions = {
  policy: AddressPolicy;
  resolve: ResolveName;
  connectMs: number;
  /** Null: every host is reached directly. */
  egress: Egress | null;
  open?: OpenSocket;
};

/** `isTunnel`: bytes pass as they are, so no proxy may forward single requests. */
type ConnectTarget = buildConnector.Options & { isTunnel?: boolean };

type OpenParts = ConnectorOptions & { open: OpenSocket };

const stripBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

function readDestination({ hostname, port, protocol }: buildConnector.Options): Destination {
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: stripBrackets(hostname), port: Number(port || usual) };
}

async function connectDirectly(
  target: ConnectTarget,
  { open, policy, resolve, connectMs }: OpenParts,
  secureContext: SecureContext | undefined,
): Promise<Socket> {
  const addresses = await resolvePermitted(stripBrackets(target.hostname), { policy, resolve });
  const socket = await open(target, addresses, connectMs, secureContext).catch((error: unknown) => {
    throw toConnectFailure(error);
  });
  if (policy.permits(socket.remoteAddress ?? '')) return socket;
  socket.on('error', () => {}).destroy();
  throw createNotPublicError();
}

/** Returns whether names go to the proxy as they are. */
function givesNames({ egress, policy }: Pick<ConnectorOptions, 'egress' | 'policy'>): boolean {
  return egress?.proxyJudges === true || policy.permitsAll;
}

/** Returns whether a proxy gets requests for `http:` addresses, instead of a tunnel, which many allow to port 443 only. */
function forwards(proxy: ProxyServer, options: Pick<ConnectorOptions, 'egress' | 'policy'>): boolean {
  return proxy.kind !== 'socks5' && givesNames(options);
}

async function connectByProxy(
  target: ConnectTarget,
  { proxy, ...options }: OpenParts & { proxy: ProxyServer },
  secureContext: SecureContext | undefined,
): Promise<Socket> {
  const { egress, connectMs } = options;
  if (egress === null) throw new RangeError('a proxy without rules');
  const { host, port } = readDestination(target);
  // Literals and the names of this machine are judged in any case.
  const isJudged = !givesNames(options) || isIP(host) !== 0;
  const hosts = isJudged ? await resolvePermitted(host, options) : [host];
  const { openProxySocket, openTunnel } = await import('./egress/open-tunnel.ts');
  if (target.protocol === 'http:' && !target.isTunnel && forwards(proxy, options))
    return openProxySocket(proxy, egress, connectMs);
  const tunnel = await openFirst(hosts.toSorted(putIpv4First).slice(0, PROXY_TRIES_MAX), (one) =>
    openTunnel({ proxy, destination: { host: one, port } }, egress, connectMs),
  );
  if (target.protocol !== 'https:') return tunnel;
  return startTls(tunnel, target, { connectMs, secureContext }).catch((error: unknown) => {
    tunnel.on('error', () => {}).destroy();
    throw toConnectFailure(error);
  });
}

/** Many proxies reach only IPv4. */
const putIpv4First = (one: string, other: string): number =>
  Number(isIP(one) === 6) - Number(isIP(other) === 6);

/** Opens a socket to the first address that can be reached; throws the failure of the first. */
async function openFirst(
  addresses: readonly string[],
  open: (address: string) => Promise<Socket>,
): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await open(address);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

async function startTls(
  httpSocket: Socket,
  target: buildConnector.Options,
  { connectMs, secureContext }: { connectMs: number; secureContext: SecureContext | undefined },
): Promise<Socket> {
  const { buildConnector } = await import('undici');
  const connect = buildConnector({
    timeout: connectMs,
    allowH2: false,
    maxCachedSessions: 0,
    ...(secureContext === undefined ? {} : { secureContext }),
  });
  return new Promise((resolve, reject) => {
    connect({ ...target, httpSocket }, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });
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
const openSocket: OpenSocket = async (target, addresses, connectMs, secureContext) => {
  const { buildConnector } = await import('undici');
  return new Promise((resolve, reject) => {
    const connect = buildConnector({
      timeout: connectMs,
      allowH2: false,
      maxCachedSessions: 0,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      lookup: createFixedLookup(addresses),
      ...(secureContext === undefined ? {} : { secureContext }),
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
