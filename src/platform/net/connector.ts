import { isIP, type LookupFunction, type Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import { createFetchFailure, Failure } from '../../contract/errors.ts';
import type { AddressPolicy } from './address.ts';
import { createNotAllowedError } from './network.ts';
import type { ResolveName } from './resolver.ts';

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
