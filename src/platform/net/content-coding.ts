import type { Duplex } from 'node:stream';
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

/**
 * Creates the stream that decodes the coding named by `content-encoding`; null if there is none. `head` is the first two bytes of the body.
 * More than one coding, or one that was not offered, is a 'protocol' failure: only decompression bombs use chains of codings.
 */
export function createDecoder(contentEncoding: string, head: Uint8Array): Duplex | null {
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
