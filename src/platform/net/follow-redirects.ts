import assert from 'node:assert/strict';
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  constants as zlib,
} from 'node:zlib';
import { createFetchFailure, Failure } from '../../contract/errors.ts';
import { PAGE_BYTES_MAX } from '../../contract/limits.ts';
import { createFairQueue, createShares, type Shares, type Tenant } from '../fairness/fair-queue.ts';
import { createNotAllowedError } from './check-url.ts';
import type { Exchange, ExchangeResponse } from './exchange.ts';
import type { CheckUrl, FetchedResponse, FetchRequest } from './fetch-types.ts';

/** A tenant may take all but about a quarter of a host's few turns. */
const PER_FREE_TURN = 3;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Content codings that can be decoded. */
const ACCEPT_ENCODING = 'gzip, deflate, br, zstd';
/** RFC 9659: browsers accept a window of at most 8 MB. */
const ZSTD_WINDOW_LOG_MAX = 23;
/** Bytes needed to distinguish the two kinds of deflate. */
const HEAD_BYTES = 2;

/** Performs one hop of a fetch that began at `first`: waits for a turn with the host, sends the request, reads the final body. */
type Visit = (
  url: URL,
  context: { first: URL; request: FetchRequest; signal: AbortSignal },
) => Promise<Hop<Omit<FetchedResponse, 'redirects'>>>;

/** Headers sent to every host of a redirect chain; a caller's other headers are sent only to the first host. */
const GENERAL = new Set(['accept', 'accept-language', 'user-agent']);
const FRAMING =
  /^(?:host|connection|keep-alive|transfer-encoding|content-length|upgrade|te|trailer|expect|accept-encoding|proxy-.*)$/;
/** Headers that only `authorization` and `ownHeaders` may set. */
const CREDENTIALS = /^(?:cookie|authorization)$/;

/** Returns whether a header frames messages or belongs to the connection, so that no caller may set it. */
export const isFraming = (name: string): boolean => FRAMING.test(name);
const WITHOUT_BODY = new Set([204, 304]);

/** Maximum size and time of an unused body that is read to its end, so that the connection can be reused. */
const UNREAD_BYTES_MAX = 4_096;
const UNREAD_MS_MAX = 100;

/** `defaults` are headers that callers can override. With `staysOnOrigin` no redirect leaves the first origin. */
export function createVisit(deps: {
  turns: Turns;
  exchange: Exchange;
  checkUrl: CheckUrl;
  staysOnOrigin: boolean;
  defaults: Record<string, string>;
}): Visit {
  return async (url, { first, request, signal }) => {
    const release = await deps.turns.take(url.hostname, { tenant: request.tenant, signal });
    try {
      const headers = { ...deps.defaults, ...buildHeaders(url, first, request) };
      const answer = await deps.exchange(url, { headers, body: request.body, signal });
      if (request.body === undefined && isRedirect(answer)) {
        await discardBody(answer);
        const judge = deps.staysOnOrigin ? restrictToOrigin(first, deps.checkUrl) : deps.checkUrl;
        return { next: resolveRedirect(answer, url, judge), headers: answer.headers };
      }
      const onPiece = answer.status === 200 ? request.onPiece : undefined;
      const bounds = { bytesMax: request.bytesMax ?? PAGE_BYTES_MAX, signal, onPiece };
      const body = await readFinalBody(answer, bounds);
      return { final: { url: url.href, status: answer.status, headers: answer.headers, body } };
    } finally {
      release();
    }
  };
}

function restrictToOrigin(first: URL, checkUrl: CheckUrl): CheckUrl {
  return (text) => {
    const url = checkUrl(text);
    if (url.origin !== first.origin) throw createNotAllowedError('it is on another origin');
    return url;
  };
}

function buildHeaders(url: URL, first: URL, request: FetchRequest): Record<string, string> {
  const headers = Object.entries(request.headers ?? {});
  const { authorization, ownHeaders = {} } = request;
  for (const name of [...Object.keys(ownHeaders), ...headers.map(([name]) => name)])
    assert(!isFraming(name), 'callers of a fetch may not set this header');
  for (const [name] of headers)
    assert.doesNotMatch(name, CREDENTIALS, 'callers of a fetch may not set this header');
  const sent = headers.filter(([name]) => url.hostname === first.hostname || GENERAL.has(name));
  const isOrigin = url.origin === first.origin;
  return {
    ...Object.fromEntries(sent),
    ...(isOrigin ? ownHeaders : {}),
    ...(authorization !== undefined && isOrigin ? { authorization } : {}),
    'accept-encoding': ACCEPT_ENCODING,
  };
}

async function readFinalBody(answer: ExchangeResponse, bounds: BodyBounds): Promise<Uint8Array<ArrayBuffer>> {
  if (!WITHOUT_BODY.has(answer.status)) return readBody(answer, bounds);
  await discardBody(answer);
  return new Uint8Array(0);
}

/** Discards a body. Waits for its end only as long as a healthy server needs, so that a slow body delays nothing. */
async function discardBody({ status, headers, body }: ExchangeResponse): Promise<void> {
  body.on('error', () => {});
  const isSmall = Number(headers['content-length'] ?? Number.NaN) <= UNREAD_BYTES_MAX;
  if (!isSmall && !WITHOUT_BODY.has(status)) {
    body.destroy();
    return;
  }
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => body.destroy(), UNREAD_MS_MAX);
    body.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    body.resume();
  });
}

type Chunks = AsyncIterable<Uint8Array>;
type BodyBounds = { bytesMax: number; signal: AbortSignal; onPiece?: FetchRequest['onPiece'] };

/**
 * Reads and decodes a whole body. `bytesMax` limits both the bytes on the wire and the decoded bytes; they are counted while
 * streaming, so a bomb costs at most one chunk more. Always ends the stream.
 * Throws `Failure('fetch_failed')` with 'too_large' or 'protocol', or what the stream throws.
 */
export async function readBody(
  answer: { headers: Record<string, string>; body: Readable },
  bounds: BodyBounds,
): Promise<Uint8Array<ArrayBuffer>> {
  const { headers, body } = answer;
  // Destroying the stream below may emit an error that is not handled elsewhere.
  body.on('error', () => {});
  try {
    if (Number(headers['content-length'] ?? 0) > bounds.bytesMax) throw createTooLargeError(bounds.bytesMax);
    const { head, whole } = await peek(body);
    if (head.length === 0) return new Uint8Array(0);
    const decoder = createDecoder(headers['content-encoding'] ?? '', head);
    const chunks: Uint8Array[] = [];
    const collect = async (source: Chunks): Promise<void> => {
      for await (const chunk of limitBytes(source, bounds.bytesMax)) {
        chunks.push(chunk);
        bounds.onPiece?.(chunk);
      }
    };
    if (decoder === null) await collect(whole);
    else await pipeline(limitBytes(whole, bounds.bytesMax), decoder, collect, { signal: bounds.signal });
    return join(chunks);
  } catch (error) {
    bounds.signal.throwIfAborted();
    throw error;
  } finally {
    body.destroy();
  }
}

/** Returns the first bytes, and the whole body including them. */
async function peek(body: Readable): Promise<{ head: Uint8Array; whole: Chunks }> {
  const source: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const { value, done } = await source.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  async function* streamWhole(): Chunks {
    yield* first;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  }
  return { head: join(first), whole: streamWhole() };
}

async function* limitBytes(source: Chunks, bytesMax: number): Chunks {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw createTooLargeError(bytesMax);
    yield chunk;
  }
}

/** Joins chunks into new memory: Node's small buffers share memory, which must not be transferred to another thread. */
function join(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function createTooLargeError(bytesMax: number): Error {
  return createFetchFailure('too_large', `the page is larger than ${bytesMax} bytes`);
}

/**
 * Creates the stream that decodes the coding named by `content-encoding`; null if there is none. `head` is the first two bytes of the body.
 * More than one coding, or one that was not offered, is a 'protocol' failure: only decompression bombs use chains of codings.
 */
function createDecoder(contentEncoding: string, head: Uint8Array): Duplex | null {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const [coding] = codings;
  if (coding === undefined) return null;
  if (codings.length > 1) throw createFetchFailure('protocol', 'the page is compressed more than once');
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return hasZlibHeader(head) ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress({ params: { [zlib.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } });
    default:
      throw createFetchFailure('protocol', 'the page is compressed in a way that was not requested');
  }
}

/** Checks for a zlib header (RFC 1950): method 8 in the low half of the first byte, and both bytes together a multiple of 31. */
function hasZlibHeader(head: Uint8Array): boolean {
  const [first = 0, second = 0] = head;
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

/** The outcome of one request: a redirect, or the final response. */
type Hop<T> = { next: URL; headers: Record<string, string> } | { final: T };

/** Follows redirects from the first address to the final response. Throws 'too_many_redirects'. */
export async function followHops<T>(
  first: URL,
  redirectsMax: number,
  visit: (url: URL) => Promise<Hop<T>>,
): Promise<T> {
  let url = first;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const hop = await visit(url);
    if ('final' in hop) return hop.final;
    url = hop.next;
  }
  throw createFetchFailure('too_many_redirects', `the page redirects more than ${redirectsMax} times`);
}

/** Returns whether the response redirects; one without `location` is final. */
function isRedirect({ status, headers }: Pick<ExchangeResponse, 'status' | 'headers'>): boolean {
  return REDIRECTS.has(status) && headers.location !== undefined;
}

/** Resolves the target of a redirect, checked like any address. Throws `url_not_allowed`, or 'protocol' if it is not an address. */
function resolveRedirect(
  { status, headers }: Pick<ExchangeResponse, 'status' | 'headers'>,
  from: URL,
  checkUrl: CheckUrl,
): URL {
  const target = URL.parse(headers.location ?? '', from.href);
  if (target === null)
    throw createFetchFailure('protocol', 'the page redirects to an invalid address', { httpStatus: status });
  try {
    return checkUrl(target.href);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure('url_not_allowed', 'the page redirects to a URL that is not allowed', {
      cause: error,
      fetch: { reason: 'not_allowed', httpStatus: status },
    });
  }
}

/** Hands out turns for requests to a host. */
type Turns = {
  /** Resolves to the function that releases the turn, to be called once. Throws 'overloaded' if too many wait, or the signal's reason. */
  take(host: string, options: { tenant?: Tenant; signal: AbortSignal }): Promise<() => void>;
};

type TurnBounds = { perHostMax: number; totalMax: number; waitingMax: number };

/** Creates fair turns, per host and in total: a slow host does not delay other hosts, nor one tenant another. */
export function createTurns({ perHostMax, totalMax, waitingMax }: TurnBounds): Turns {
  const queue = createFairQueue({
    slots: totalMax,
    waitingMax,
    overloaded: () => createFetchFailure('overloaded', 'too many pages are being fetched, try again shortly'),
  });
  const hosts = new Map<string, { shares: Shares; users: number }>();

  const enter = (host: string): Shares => {
    const known = hosts.get(host) ?? {
      shares: createShares({ slots: perHostMax, perFreeSlot: PER_FREE_TURN }),
      users: 0,
    };
    known.users += 1;
    hosts.set(host, known);
    return known.shares;
  };
  const leave = (host: string): void => {
    const known = hosts.get(host);
    if (known === undefined) return;
    known.users -= 1;
    if (known.users === 0) hosts.delete(host);
  };

  return {
    async take(host, { tenant, signal }) {
      const also = enter(host);
      try {
        const release = await queue.take({ tenant, signal, also });
        return () => {
          release();
          leave(host);
        };
      } catch (error) {
        leave(host);
        throw error;
      }
    },
  };
}
