import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createFetchFailure } from '../../contract/errors.ts';
import { createDecoder } from './content-coding.ts';

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
