import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { PAGE_BYTES_MAX } from '../../../contract/limits.ts';
import { joinHeaders } from '../../../platform/net/joined-headers.ts';

/** A recorded response, with headers as `joinHeaders` joins them. */
export type HttpMessage = { status: number; headers: Record<string, string>; body: Buffer };

const OPTIONS = { maxOutputLength: 2 * PAGE_BYTES_MAX };
const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => gunzipSync(bytes, OPTIONS),
  'x-gzip': (bytes) => gunzipSync(bytes, OPTIONS),
  deflate: (bytes) => inflateSync(bytes, OPTIONS),
  br: (bytes) => brotliDecompressSync(bytes, OPTIONS),
  zstd: (bytes) => zstdDecompressSync(bytes, OPTIONS),
};

/** Parses a recorded response and decodes its body; null if the content is not a response. */
export function readHttpMessage(content: Buffer): HttpMessage | null {
  const end = findHeadEnd(content);
  const lines = content.subarray(0, end.at).toString('latin1').split(/\r?\n/);
  const status = /^HTTP\/\d\S*\s+(\d{3})/.exec(lines[0] ?? '')?.[1];
  if (status === undefined) return null;
  const headers = joinHeaders(
    lines.slice(1).flatMap((line) => {
      const colon = line.indexOf(':');
      return colon <= 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const];
    }),
  );
  const body = decodeContent(decodeChunks(content.subarray(end.at + end.length), headers), headers);
  return { status: Number(status), headers, body };
}

function findHeadEnd(content: Buffer): { at: number; length: number } {
  const strict = content.indexOf('\r\n\r\n');
  if (strict !== -1) return { at: strict, length: 4 };
  const loose = content.indexOf('\n\n');
  return loose === -1 ? { at: content.length, length: 0 } : { at: loose, length: 2 };
}

/** Decodes a chunked body. Some archives store it without chunks; then it is returned unchanged. */
function decodeChunks(body: Buffer, headers: Record<string, string>): Buffer {
  if (!/chunked/i.test(headers['transfer-encoding'] ?? '')) return body;
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = lineEnd === -1 ? '' : body.subarray(at, lineEnd).toString('latin1');
    if (!/^[0-9a-f]{1,8}\s{0,9}(?:;|$)/i.test(size))
      return chunks.length === 0 ? body : Buffer.concat(chunks);
    const length = Number.parseInt(size, 16);
    if (length === 0) break;
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
  return Buffer.concat(chunks);
}

/** Decodes the content coding. Some archives store the body decoded under the original headers; then it is returned unchanged. */
function decodeContent(body: Buffer, headers: Record<string, string>): Buffer {
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  const decode = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
  if (decode === undefined) return body;
  try {
    return decode(body);
  } catch {
    return body;
  }
}
