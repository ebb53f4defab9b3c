import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../contract/errors.ts';
import { REQUEST_BYTES_MAX } from '../../contract/limits.ts';
import { HungUp } from '../calls/call.ts';
import { REMAINING_HEADER } from '../calls/charged-call.ts';
import { createValidationFailure } from '../calls/json-body.ts';
import type { Arrival } from '../calls/run-route.ts';
import { hasBegunSending } from './request-log.ts';

/** Maximum pieces that a body may arrive in: each costs an event-loop turn, however small. */
const PIECES_MAX = 10_000;
/** Maximum bytes read of a rejected body, so that its sender gets to read the response. */
const DISCARDED_BYTES_MAX = 16_777_216;
const DISCARD_MS = 3_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Maximum bytes of the body; absent: those of a JSON object. */
    bodyBytesMax?: number | undefined;
  }
}

/** The number of proxies whose `X-Forwarded-For` is trusted. */
export type Proxies = { trustProxy: number };

/** Builds the call that a request carries. */
export function buildArrival(request: FastifyRequest, reply: FastifyReply, proxies: Proxies): Arrival {
  return {
    ...buildConnection(request, reply, proxies),
    contentType: readSentType(request.raw.rawHeaders),
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

/** Returns the content type as it was sent: `readBodies` has replaced the header. */
function readSentType(rawHeaders: readonly string[]): string {
  const at = rawHeaders.findIndex((name, place) => place % 2 === 0 && name.toLowerCase() === 'content-type');
  return at === -1 ? '' : (rawHeaders[at + 1] ?? '');
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

/**
 * Returns the caller's network address: the socket's or, behind `trustProxy` proxies, the entry that the outermost one added to
 * `X-Forwarded-For`. Each proxy appends its client's address, so entries further left are unverified claims and are ignored. With fewer
 * entries than proxies the leftmost is used; entries that are not addresses are skipped.
 */
export function findCallerAddress(
  { headers, socket }: { headers: IncomingHttpHeaders; socket: Pick<Socket, 'remoteAddress'> },
  { trustProxy }: Proxies,
): string {
  // The socket of a caller that hung up no longer has an address.
  const socketAddress = socket.remoteAddress ?? '0.0.0.0';
  if (trustProxy === 0) return socketAddress;
  const claimed = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').map(stripPort);
  const trusted = claimed
    .slice(Math.max(0, claimed.length - trustProxy))
    .filter((address) => isIP(address) !== 0);
  return trusted[0] ?? socketAddress;
}

/** `203.0.113.9:4711`, `[2001:db8::1]:4711`, `"203.0.113.9"` -> the address alone. */
function stripPort(text: string): string {
  const bare = text.trim().replace(/^"|"$/g, '');
  const bracketed = /^\[([^\]]*)\]/.exec(bare)?.[1];
  return bracketed ?? bare.replace(/^(\d{1,3}(?:\.\d{1,3}){3}):\d+$/, '$1');
}

/** Reads every body as bytes, whatever its content type, and drains the rest of a body after an early response. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', readBody);
  app.addHook('onRequest', (request, _reply, done) => {
    // Treat the body as JSON, whatever the content type.
    request.headers['content-type'] = 'application/json';
    done();
  });
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (raw.complete) return done();
    // Closing a connection while its client is still sending resets it and loses the response.
    void discardRest(raw).then(() => {
      if (!raw.complete) reply.header('Connection', 'close');
      done();
    });
  });
}

type BodyCallback = (error: Error | null, body?: Buffer) => void;

function readBody(request: FastifyRequest, payload: IncomingMessage, done: BodyCallback): void {
  const { bodyBytesMax = REQUEST_BYTES_MAX } = request.routeOptions.config;
  if (Number(request.headers['content-length']) > bodyBytesMax) {
    done(createTooLargeFailure(bodyBytesMax));
    return;
  }
  const decoder = createDecoder(request.headers['content-encoding']);
  if (decoder instanceof Failure) {
    done(decoder);
    return;
  }
  const pieces: Buffer[] = [];
  let size = 0;
  let arrived = 0;
  let hasEnded = false;
  const body = decoder === null ? payload : payload.pipe(decoder);
  const end = (error: Error | null, bytes?: Buffer): void => {
    if (hasEnded) return;
    hasEnded = true;
    payload.off('data', countPiece);
    body.off('data', take);
    if (decoder !== null) {
      payload.unpipe(decoder);
      decoder.destroy();
    }
    done(error, bytes);
  };
  const countPiece = (): void => {
    arrived += 1;
    if (arrived > PIECES_MAX)
      end(new Failure('request_too_large', 'The body arrived in too many pieces; send larger ones.'));
  };
  const take = (piece: Buffer): void => {
    size += piece.length;
    pieces.push(piece);
    try {
      request.load.addArriving(piece.length);
      if (size > bodyBytesMax) throw createTooLargeFailure(bodyBytesMax);
    } catch (error) {
      end(error as Error);
    }
  };
  payload.on('data', countPiece).on('error', () => end(new HungUp()));
  // A compressed body that breaks off never ends its decoder.
  payload.on('close', () => payload.complete || end(new HungUp()));
  decoder?.on('error', () => end(createEncodingFailure()));
  // A body that arrived in one piece is used as it is.
  body
    .on('data', take)
    .on('end', () => end(null, pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, size)));
}

/** Creates the decoder of a `Content-Encoding`; null if the body is not encoded, a failure for unsupported encodings. */
function createDecoder(encoding: string | undefined): Transform | Failure | null {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return new Failure(
        'unsupported_media_type',
        'This Content-Encoding is not read; send gzip, deflate, br or no encoding.',
      );
  }
}

function createEncodingFailure(): Failure {
  return createValidationFailure([{ field: 'body', message: 'is not encoded as its Content-Encoding says' }]);
}

function createTooLargeFailure(bytesMax: number): Failure {
  const size = `${bytesMax >> 20} MB`;
  return new Failure('request_too_large', `The body is larger than ${size}, before or after it is decoded.`);
}

/** Reads and discards the rest of a body, up to `DISCARDED_BYTES_MAX` and `DISCARD_MS`. */
async function discardRest(request: IncomingMessage): Promise<void> {
  if (request.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  const count = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes > DISCARDED_BYTES_MAX) resolve();
  };
  const timer = setTimeout(resolve, DISCARD_MS);
  const finish = (): void => resolve();
  request.on('data', count).once('end', finish).once('close', finish);
  await promise;
  clearTimeout(timer);
  request.off('data', count).off('end', finish).off('close', finish);
}
