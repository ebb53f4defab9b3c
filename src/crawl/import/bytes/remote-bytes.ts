import type { FetchedResponse, GuardedFetch } from '../../../platform/net/fetch-types.ts';
import { retryAfterMs } from '../../../platform/net/retry-after.ts';
import type { ByteSource } from './byte-source.ts';

export type RemoteDeps = {
  fetch: GuardedFetch;
  /** Waits; tests do not. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
};

/** One answer: the wanted columns of a group of rows at most. */
const RANGE_BYTES_MAX = 512 << 20;
/** A file on a server that gives no ranges is read at once, up to here. */
const WHOLE_BYTES_MAX = 64 << 20;
const REQUEST_MS = 300_000;
const TRIES_MAX = 6;
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 60_000;

/** Opens a file on the web: each read is one request for a range. Throws an error that says why it cannot be read. */
export async function openRemoteBytes(
  url: string,
  deps: RemoteDeps,
): Promise<ByteSource & { stamp: string }> {
  const first = await request({ url, headers: { range: 'bytes=0-0' }, bytesMax: WHOLE_BYTES_MAX }, deps);
  const size = Number(/\/(\d+)$/.exec(first.headers['content-range'] ?? '')?.[1] ?? Number.NaN);
  const stamp = first.headers.etag ?? first.headers['last-modified'] ?? '';
  if (first.status === 200) return { ...heldBytes(url, first.body), stamp };
  if (first.status !== 206 || !Number.isSafeInteger(size))
    throw new Error(`${url} answered ${first.status} to a request for a range`);
  return { ...rangesOf(url, size, deps), stamp: `${size}-${stamp}` };
}

/** Reads a part of a file on the web, whose place is known, with one request. */
export async function readRemotePart(
  url: string,
  { offset, length }: { offset: number; length: number },
  deps: RemoteDeps,
): Promise<ByteSource> {
  const whole = rangesOf(url, offset + length, deps);
  return heldBytes(url, new Uint8Array(await whole.read(offset, offset + length)));
}

function rangesOf(url: string, size: number, deps: RemoteDeps): ByteSource {
  return {
    name: url,
    size,
    async read(start, end) {
      const last = Math.min(end, size);
      if (last <= start) return Buffer.alloc(0);
      const headers = { range: `bytes=${start}-${last - 1}` };
      const { status, body } = await request({ url, headers, bytesMax: RANGE_BYTES_MAX }, deps);
      if (status !== 206 || body.length !== last - start)
        throw new Error(
          `${url} answered ${status} with ${body.length} bytes to a request for ${last - start}`,
        );
      return Buffer.from(body.buffer, body.byteOffset, body.length);
    },
    close: async () => {},
  };
}

function heldBytes(url: string, bytes: Uint8Array<ArrayBuffer>): ByteSource {
  return {
    name: url,
    size: bytes.length,
    read: async (start, end) => Buffer.from(bytes.subarray(start, end)),
    close: async () => {},
  };
}

type RangeRequest = { url: string; headers?: Record<string, string>; bytesMax: number };

/** Asks once more where a server is busy or a connection breaks, later each time; a final answer other than 200 and 206 is an error. */
export async function request(
  asked: RangeRequest,
  { fetch: guardedFetch, pause, signal }: RemoteDeps,
): Promise<FetchedResponse> {
  for (let tried = 1; ; tried += 1) {
    const outcome = await guardedFetch({ ...asked, signal, timeoutMs: REQUEST_MS }).catch(
      (error: Error) => error,
    );
    signal.throwIfAborted();
    const isPassing = outcome instanceof Error || outcome.status === 429 || outcome.status >= 500;
    if (!isPassing && (outcome.status === 200 || outcome.status === 206)) return outcome;
    if (!isPassing || tried >= TRIES_MAX) {
      if (outcome instanceof Error) throw outcome;
      throw new Error(`${asked.url} answered ${outcome.status}`);
    }
    const asksFor =
      outcome instanceof Error ? null : retryAfterMs(outcome.headers['retry-after'], Date.now());
    await pause(Math.min(PAUSE_MS_MAX, asksFor ?? PAUSE_MS_MIN * 2 ** (tried - 1)), signal);
  }
}
