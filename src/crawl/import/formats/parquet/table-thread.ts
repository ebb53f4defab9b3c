import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Compressors, type FileMetaData, parquetReadObjects } from 'hyparquet';
import { serveCalls } from '../../../../platform/threads/serve-calls.ts';
import { UNPACKED_BYTES_MAX } from './page-bounds.ts';

/** Bytes of the file from `start` on. */
export type TablePiece = { start: number; bytes: ArrayBuffer };

/** Calls that the table decoder thread serves. */
export type TableCalls = {
  open(table: { metadata: FileMetaData; columns: string[]; size: number }): void;
  /** Replaces the pieces from which the next rows are read. */
  hold(pieces: TablePiece[]): void;
  rows(range: { start: number; end: number }): Promise<Record<string, unknown>[]>;
};

const createDecompressor =
  (unpack: (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer) =>
  (bytes: Uint8Array): Uint8Array =>
    unpack(bytes, { maxOutputLength: UNPACKED_BYTES_MAX });
/** Decompressors; Snappy is part of the library. */
const COMPRESSORS: Compressors = {
  ZSTD: createDecompressor(zstdDecompressSync),
  GZIP: createDecompressor(gunzipSync),
  BROTLI: createDecompressor(brotliDecompressSync),
};

let table: Parameters<TableCalls['open']>[0] | null = null;
let held: TablePiece[] = [];

serveCalls({
  open(opened) {
    table = opened;
  },
  hold(pieces) {
    held = pieces;
  },
  async rows({ start, end }) {
    if (table === null) throw new Error('no table is open');
    const { metadata, columns, size } = table;
    const file = { byteLength: size, slice: readBytes };
    return parquetReadObjects({
      file,
      metadata,
      columns,
      rowStart: start,
      rowEnd: end,
      compressors: COMPRESSORS,
    });
  },
} satisfies TableCalls);

function readBytes(start: number, end = Number.POSITIVE_INFINITY): ArrayBuffer {
  const piece = held.find((one) => start >= one.start && end <= one.start + one.bytes.byteLength);
  if (piece === undefined) throw new Error('the place of a column is wrong');
  const isWhole = start === piece.start && end === piece.start + piece.bytes.byteLength;
  return isWhole ? piece.bytes : piece.bytes.slice(start - piece.start, end - piece.start);
}
