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
import { createFetchFailure } from '../../contract/errors.ts';

/** Content codings that can be decoded. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd';
/** RFC 9659: browsers accept a window of at most 8 MB. */
const ZSTD_WINDOW_LOG_MAX = 23;

type Chunks = AsyncIterable<Uint8Array>;

/** Bytes needed to distinguish the two kinds of deflate. */
const HEAD_BYTES = 2;

/**
 * Reads and decodes a whole body. `bytesMax` limits both the bytes on the wire and the decoded bytes; they are counted while
 * streaming, so a bomb costs at most one chunk more. Always ends the stream.
 * Throws `Failure('fetch_failed')` with 'too_large' or 'protocol', or what the stream throws.
 */
export async function readBody(
  answer: { headers: Record<string, string>; body: Readable },
  bounds: { bytesMax: number; signal: AbortSignal },
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
      for await (const chunk of limitBytes(source, bounds.bytesMax)) chunks.push(chunk);
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
