import { isIP, type LookupFunction, type Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { buildConnector } from 'undici';
import { Failure, fetchFailed } from '../../contract/errors.ts';
import type { AddressPolicy } from './address.ts';
import { notAllowed } from './network.ts';
import type { ResolveName } from './resolver.ts';

/** Opens a socket (with TLS for https) to one of `addresses`, all judged before; makes no look-up of its own. */
export type OpenSocket = (
  target: buildConnector.Options,
  addresses: readonly string[],
  connectMs: number,
) => Promise<Socket>;

export type GuardedConnector = {
  connect: buildConnector.connector;
  /** Grows with every connection opened to an origin; undefined when there was none (or long ago). */
  opened(origin: string): number | undefined;
};

/** A host with hundreds of addresses is tried at this many. */
const ADDRESSES_TRIED_MAX = 8;
/** Before the next address is tried beside the first; Node's own 250 ms fails on far but healthy hosts. */
const NEXT_ADDRESS_MS = 1_000;
const ORIGINS_REMEMBERED_MAX = 2_048;
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * The choke point: no connection leaves this process for a page but through here. The addresses of the host are
 * judged and the socket goes to one of those very addresses, so a name that answers differently a moment later
 * changes nothing. Address literals come through here too (a guard in the look-up alone would never see them).
 */
export function guardedConnector(options: {
  policy: AddressPolicy;
  resolve: ResolveName;
  connectMs: number;
  open?: OpenSocket;
}): GuardedConnector {
  const open = options.open ?? openSocket;
  const opened = new LRUCache<string, number>({ max: ORIGINS_REMEMBERED_MAX });

  const connect = async (target: buildConnector.Options): Promise<Socket> => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const addresses = await permittedAddresses(host, options);
    const socket = await open(target, addresses, options.connectMs).catch((error: unknown) => {
      throw connectFailure(error);
    });
    if (!options.policy.permits(socket.remoteAddress ?? '')) {
      socket.on('error', () => {}).destroy();
      throw notPublic();
    }
    const origin = originOf(target);
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

/** All addresses of a host, or `url_not_allowed` if a single one is not permitted: an honest site has no such address. */
async function permittedAddresses(
  host: string,
  { policy, resolve }: { policy: AddressPolicy; resolve: ResolveName },
): Promise<readonly string[]> {
  if (isIP(host) !== 0) {
    if (!policy.permits(host)) throw notPublic();
    return [host];
  }
  if (host === 'localhost' || host.endsWith('.localhost')) {
    // RFC 6761: answered here, never asked of a name server. The operator may have allowed one family only.
    const permitted = LOOPBACK.filter((address) => policy.permits(address));
    if (permitted.length === 0) throw notPublic();
    return permitted;
  }
  const addresses = await resolve(host);
  if (!addresses.every((address) => policy.permits(address))) throw notPublic();
  return addresses.slice(0, ADDRESSES_TRIED_MAX);
}

function notPublic(): Failure {
  return notAllowed('its host is not in the public network', { afterLookup: true });
}

function originOf({ protocol, host, hostname, port }: buildConnector.Options): string {
  return `${protocol}//${host ?? `${hostname}:${port}`}`;
}

/** No TLS session is kept between connections: the socket pool already saves most handshakes. */
const openSocket: OpenSocket = (target, addresses, connectMs) =>
  new Promise((resolve, reject) => {
    const connect = buildConnector({
      timeout: connectMs,
      allowH2: false,
      maxCachedSessions: 0,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      lookup: pinned(addresses),
    });
    connect(target, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });

/** A look-up that knows one answer. */
function pinned(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    const [first] = answers;
    if (options.all) callback(null, answers);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** The texts of Node's errors name the address that was tried; ours must not. */
function connectFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = String((error as { code?: unknown })?.code ?? '');
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return fetchFailed('timeout', 'the server did not accept a connection in time', { cause: error });
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/.test(code))
    return fetchFailed('connect', 'no secure connection to the server could be made', { cause: error });
  return fetchFailed('connect', 'no connection to the server could be made', { cause: error });
}
