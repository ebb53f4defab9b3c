import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { REMAINING_HEADER } from '../calls/charged-call.ts';
import type { Arrival } from '../calls/run-route.ts';
import { hasBegunSending } from './request-log.ts';

/** The number of proxies whose `X-Forwarded-For` is trusted. */
type Proxies = { trustProxy: number };

/** Builds the call that a request carries. */
export function buildArrival(request: FastifyRequest, reply: FastifyReply, proxies: Proxies): Arrival {
  return {
    ...buildConnection(request, reply, proxies),
    requestId: request.id,
    target: request.originalUrl,
    // The router returns path parameters as strings.
    params: request.params as Record<string, string>,
    query: parseQuery(request.originalUrl),
    bytes: (request.body as Uint8Array | undefined) ?? new Uint8Array(),
    // A block body on purpose: a reply is thenable, so returning it would await it.
    setRemaining(credits) {
      if (credits !== null) reply.header(REMAINING_HEADER, String(credits));
    },
  };
}

/** Shared by requests without a query, because creating one costs more than checking for a query. Never modified. */
const NO_QUERY = new URLSearchParams();

function parseQuery(target: string): URLSearchParams {
  const mark = target.indexOf('?');
  return mark === -1 ? NO_QUERY : new URLSearchParams(target.slice(mark + 1));
}

/** Builds the part of a call that depends on the connection: address, hang-up signal and memory accounting. */
export function buildConnection(
  request: FastifyRequest,
  reply: Pick<FastifyReply, 'raw'>,
  proxies: Proxies,
): Pick<Arrival, 'headers' | 'address' | 'hungUp' | 'hasBegun' | 'assignLoad'> {
  return {
    headers: request.headers,
    address: findCallerAddress(request, proxies),
    hungUp: request.watched.hungUp,
    hasBegun: () => hasBegunSending(reply),
    assignLoad: (tenant) => request.load.assignTo(tenant),
  };
}

/** Returns the caller's network address, seen through the trusted proxies. */
export function findCallerAddress(
  { headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>,
  { trustProxy }: Proxies,
): string {
  return resolveCallerAddress({
    // The socket of a caller that hung up no longer has an address.
    socketAddress: socket.remoteAddress ?? '0.0.0.0',
    forwardedFor: headers['x-forwarded-for'],
    hops: trustProxy,
  });
}

/**
 * Returns the socket's address or, behind `hops` trusted proxies, the entry that the outermost one added to `X-Forwarded-For`. Each proxy
 * appends its client's address, so entries further left are unverified claims and are ignored. With fewer entries than proxies the leftmost
 * is used; entries that are not addresses are skipped.
 */
export function resolveCallerAddress(request: {
  socketAddress: string;
  forwardedFor: string | string[] | undefined;
  hops: number;
}): string {
  const { socketAddress, forwardedFor, hops } = request;
  if (hops === 0) return socketAddress;
  const claimed = [forwardedFor ?? []].flat().join(',').split(',').map(stripPort);
  const trusted = claimed.slice(Math.max(0, claimed.length - hops)).filter((address) => isIP(address) !== 0);
  return trusted[0] ?? socketAddress;
}

/** `203.0.113.9:4711`, `[2001:db8::1]:4711`, `"203.0.113.9"` -> the address alone. */
function stripPort(text: string): string {
  const bare = text.trim().replace(/^"|"$/g, '');
  const bracketed = /^\[([^\]]*)\]/.exec(bare)?.[1];
  return bracketed ?? bare.replace(/^(\d{1,3}(?:\.\d{1,3}){3}):\d+$/, '$1');
}
