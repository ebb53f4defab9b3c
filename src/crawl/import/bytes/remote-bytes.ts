import { Failure, type FetchReason } from '../../../contract/errors.ts';
import type { FetchedResponse, GuardedFetch } from '../../../platform/net/fetch-types.ts';
import { parseRetryAfter } from '../../../platform/net/fetch-types.ts';
import type { ByteSource } from './byte-reader.ts';

export type RemoteDeps = {
  fetch: GuardedFetch;
  /** Replaced by tests, which do not wait. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
};

/** Maximum bytes of one answer, enough for the wanted columns of a group of rows. */
const RANGE_BYTES_MAX = 512 << 20;
/** Maximum bytes of a file on a server without range support, which is read at once. */
const WHOLE_BYTES_MAX = 64 << 20;
const REQUEST_MS = 300_000;
const TRIES_MAX = 6;
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 60_000;

/** Opens a file on the web; each read is one range request. Throws an error that says why it cannot be read. */
export async function openRemoteBytes(
  url: string,
  deps: RemoteDeps,
): Promise<ByteSource & { stamp: string }> {
  const asked = { url, headers: { range: 'bytes=0-0' }, bytesMax: WHOLE_BYTES_MAX };
  const first = await requestWithRetries(asked, deps).catch((error: Error) => {
    if (!isTooLarge(error)) throw error;
    const message = `${url}: the server gives no ranges of a file that is larger than ${WHOLE_BYTES_MAX >> 20} MB; download it first`;
    throw new Error(message, { cause: error });
  });
  const version = readVersion(first);
  const stamp = version.etag ?? version.modified ?? '';
  if (first.status === 200) return { ...createMemorySource(url, first.body), stamp };
  const { size } = version;
  if (size === null) throw new Error(`${url} answered ${first.status} to a request for a range`);
  return { ...createRangeSource(url, { size, version, deps }), stamp: `${size}-${stamp}` };
}

/** Identifies a version of a file; null: the answer does not say. */
type Version = { size: number | null; etag: string | null; modified: string | null };

function readVersion({ headers }: FetchedResponse): Version {
  const size = Number(/\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? Number.NaN);
  return {
    size: Number.isSafeInteger(size) ? size : null,
    etag: headers.etag ?? null,
    modified: headers['last-modified'] ?? null,
  };
}

/** Returns whether two answers can be of the same version, comparing only what both state. */
function isSameVersion(one: Version, other: Version): boolean {
  const canBeSame = (first: unknown, second: unknown): boolean =>
    first === null || second === null || first === second;
  if (!canBeSame(one.size, other.size)) return false;
  return one.etag !== null && other.etag !== null
    ? one.etag === other.etag
    : canBeSame(one.modified, other.modified);
}

const isTooLarge = (error: Error): boolean => error instanceof Failure && error.fetch?.reason === 'too_large';

/** Reads a known range of a file on the web with one request. */
export async function readRemotePart(
  url: string,
  { offset, length }: { offset: number; length: number },
  deps: RemoteDeps,
): Promise<ByteSource> {
  const whole = createRangeSource(url, { size: offset + length, version: null, deps });
  return createMemorySource(url, new Uint8Array(await whole.read(offset, offset + length)));
}

type RangeSourceOptions = { size: number; version: Version | null; deps: RemoteDeps };

/** `version`: the version of the first answer, which all others must have; null: any. */
function createRangeSource(url: string, { size, version, deps }: RangeSourceOptions): ByteSource {
  const readRange = async (start: number, last: number): Promise<FetchedResponse> => {
    const headers = { range: `bytes=${start}-${last - 1}` };
    const bytesMax = Math.min(last - start, RANGE_BYTES_MAX);
    return requestWithRetries({ url, headers, bytesMax }, deps).catch((error: Error) => {
      if (!isTooLarge(error)) throw error;
      throw new Error(`${url} answered with more than the range that was asked for`, { cause: error });
    });
  };
  return {
    name: url,
    size,
    async read(start, end) {
      const last = Math.min(end, size);
      if (last <= start) return Buffer.alloc(0);
      const response = await readRange(start, last);
      const { status, body } = response;
      if (version !== null && !isSameVersion(version, readVersion(response)))
        throw new Error(
          `${url} has changed while it was read; run the same command again to read it from its beginning`,
        );
      if (status !== 206 || body.length !== last - start)
        throw new Error(
          `${url} answered ${status} with ${body.length} bytes to a request for ${last - start}`,
        );
      return Buffer.from(body.buffer, body.byteOffset, body.length);
    },
    close: async () => {},
  };
}

export function createMemorySource(url: string, bytes: Uint8Array<ArrayBuffer>): ByteSource {
  return {
    name: url,
    size: bytes.length,
    read: async (start, end) => Buffer.from(bytes.subarray(start, end)),
    close: async () => {},
  };
}

type RangeRequest = { url: string; headers?: Record<string, string>; bytesMax: number };

/** Transient failures, after which the same request may succeed. */
const PASSING = new Set<FetchReason>(['timeout', 'connect', 'protocol', 'dns', 'overloaded']);

function isTransient(error: Error): boolean {
  return !(error instanceof Failure) || error.fetch === null || PASSING.has(error.fetch.reason);
}

/** Retries with growing pauses if the server is busy or the connection breaks; a final answer other than 200 and 206 is an error. */
export async function requestWithRetries(
  asked: RangeRequest,
  { fetch: guardedFetch, pause, signal }: RemoteDeps,
): Promise<FetchedResponse> {
  for (let tried = 1; ; tried += 1) {
    const outcome = await guardedFetch({ ...asked, signal, timeoutMs: REQUEST_MS }).catch(
      (error: Error) => error,
    );
    signal.throwIfAborted();
    const isPassing =
      outcome instanceof Error ? isTransient(outcome) : outcome.status === 429 || outcome.status >= 500;
    if (!isPassing && !(outcome instanceof Error) && (outcome.status === 200 || outcome.status === 206))
      return outcome;
    if (!isPassing || tried >= TRIES_MAX) {
      if (outcome instanceof Error) throw outcome;
      throw new Error(`${asked.url} answered ${outcome.status}`);
    }
    const asksFor =
      outcome instanceof Error ? null : parseRetryAfter(outcome.headers['retry-after'], Date.now());
    await pause(Math.min(PAUSE_MS_MAX, asksFor ?? PAUSE_MS_MIN * 2 ** (tried - 1)), signal);
  }
}
