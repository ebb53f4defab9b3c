import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { unpackSketch } from '../../index-tokens.ts';
import type { IndexedPage } from '../../local-index-types.ts';

/*
 * The parts of a page that the cluster stores as opaque bytes:
 *
 *   whole   stored: zstd of the page's JSON
 *   head    doc value: the id (32 bytes), the revision (12), the number of bytes of `ranked` (u32)
 *   ranked  doc value: the length of a JSON of RankedNames (u32), that JSON, the packed words, the sketch, the vectors
 *
 * Little endian.
 */

/** The fields of a page that it is ranked by. */
export type RankingFields = {
  words: Uint8Array;
  sketch: Uint32Array;
  vectors: Uint8Array | null;
  model: string;
  url: string;
  title: string;
  language: string | null;
};

/** A page that a query has found. */
export type PageHead = { id: string; revision: string; packedBytes: number };

type RankedNames = Pick<RankingFields, 'url' | 'title' | 'language' | 'model'> & {
  sizes: [words: number, sketch: number];
};

const ID_BYTES = 32;
const REVISION_BYTES = 12;
const U32_BYTES = 4;
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export const packPage = (page: IndexedPage): string =>
  zstdCompressSync(JSON.stringify(page), COMPRESSION).toString('base64');

/** A page as the cluster returns it. */
export type StoredPage = { found?: boolean; fields?: { whole?: string[] }; _source?: { page?: IndexedPage } };

/** Unpacks a page; null if there is none. The previous layout stored pages as JSON. */
export function unpackPage({ found, fields, _source: source }: StoredPage): IndexedPage | null {
  if (found !== true) return null;
  const [stored] = fields?.whole ?? [];
  return stored === undefined
    ? (source?.page ?? null)
    : JSON.parse(zstdDecompressSync(Buffer.from(stored, 'base64')).toString());
}

/** `id` and `revision`: base64url. */
export function packHead({ id, revision, packedBytes }: PageHead): string {
  const bytes = Buffer.alloc(ID_BYTES + REVISION_BYTES + U32_BYTES);
  bytes.write(id, 0, ID_BYTES, 'base64url');
  bytes.write(revision, ID_BYTES, REVISION_BYTES, 'base64url');
  bytes.writeUInt32LE(packedBytes, ID_BYTES + REVISION_BYTES);
  return bytes.toString('base64');
}

export function unpackHead(packed: string): PageHead {
  const bytes = Buffer.from(packed, 'base64');
  return {
    id: bytes.toString('base64url', 0, ID_BYTES),
    revision: bytes.toString('base64url', ID_BYTES, ID_BYTES + REVISION_BYTES),
    packedBytes: bytes.readUInt32LE(ID_BYTES + REVISION_BYTES),
  };
}

type RankedParts = Omit<RankingFields, 'sketch' | 'vectors'> & { sketch: Uint8Array; vectors: Uint8Array };

export function packRanked({ words, sketch, vectors, ...named }: RankedParts): Buffer {
  const names: RankedNames = { ...named, sizes: [words.byteLength, sketch.byteLength] };
  const json = Buffer.from(JSON.stringify(names));
  const length = Buffer.alloc(U32_BYTES);
  length.writeUInt32LE(json.byteLength);
  return Buffer.concat([length, json, words, sketch, vectors]);
}

export function unpackRanked(packed: string): RankingFields {
  const bytes = new Uint8Array(Buffer.from(packed, 'base64'));
  const start = U32_BYTES + new DataView(bytes.buffer).getUint32(0, true);
  const { sizes, ...names }: RankedNames = JSON.parse(
    Buffer.from(bytes.buffer, U32_BYTES, start - U32_BYTES).toString(),
  );
  const [words, sketch] = sizes;
  const vectors = bytes.subarray(start + words + sketch);
  return {
    ...names,
    words: bytes.subarray(start, start + words),
    sketch: unpackSketch(bytes.subarray(start + words, start + words + sketch)),
    vectors: vectors.byteLength === 0 ? null : vectors,
  };
}
