import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { AsyncBuffer, Compressors, FileMetaData } from 'hyparquet';
import { PAGE_BYTES_MAX } from '../../../../contract/limits.ts';
import type { ByteSource } from '../../bytes/byte-source.ts';
import type { FileFormat, SourcePage } from '../format-types.ts';
import { type ColumnMap, columnsOf } from './column-map.ts';
import { dateOf, textOf } from './row-values.ts';

/** Rows are decoded in slices of about so many bytes. */
const SLICE_BYTES = 8 << 20;
const SLICE_ROWS = { min: 20, max: 5_000 };
/** The wanted columns of a group of rows are in memory while it is read, packed. */
const GROUP_BYTES_MAX = 512 << 20;
const UNPACKED_BYTES_MAX = 256 << 20;

const unpackedBy =
  (unpack: (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer) =>
  (bytes: Uint8Array): Uint8Array =>
    unpack(bytes, { maxOutputLength: UNPACKED_BYTES_MAX });
/** Snappy is a part of the library. */
const COMPRESSORS: Compressors = {
  ZSTD: unpackedBy(zstdDecompressSync),
  GZIP: unpackedBy(gunzipSync),
  BROTLI: unpackedBy(brotliDecompressSync),
};

/** Tables of pages; a place is a row. */
export const PARQUET: FileFormat = {
  name: 'Parquet',
  files: /\.(?:parquet|parq)$/i,
  async *read(source, { from, columns: wanted, signal }) {
    // Imported on demand: no server reads tables.
    const { parquetMetadataAsync, parquetSchema } = await import('hyparquet');
    const file = asyncBufferOf(source);
    const metadata = await parquetMetadataAsync(file);
    const names = parquetSchema(metadata).children.map(({ element }) => element.name);
    const columns = namingFile(source, () => columnsOf(names, wanted));
    const rows = Number(metadata.num_rows);
    for (const slice of slicesOf(metadata, columns, from?.[0] ?? 0)) {
      if (signal.aborted) return;
      for (const [at, row] of (await readRows({ file, metadata, columns }, slice)).entries()) {
        const number = slice.start + at + 1;
        const found = pageOfRow(row, columns, `${source.name}: row ${number}`);
        yield { ...found, after: [number], position: Math.round((source.size * number) / rows) };
      }
    }
  },
};

function namingFile<T>({ name }: ByteSource, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Remembers what was read last: the slices of one group of rows lie in the same bytes. */
function asyncBufferOf(source: ByteSource): AsyncBuffer & { forget(): void } {
  const held = new Map<string, Promise<ArrayBuffer>>();
  return {
    byteLength: source.size,
    slice(start, end = source.size) {
      const key = `${start}-${end}`;
      const known = held.get(key);
      if (known !== undefined) return known;
      const read = source
        .read(start, end)
        .then(({ buffer, byteOffset, length }) =>
          length === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + length),
        );
      held.set(key, read);
      return read;
    },
    forget: () => held.clear(),
  };
}

type Slice = { start: number; end: number; isFirst: boolean; bytes: number };
type Table = { file: ReturnType<typeof asyncBufferOf>; metadata: FileMetaData; columns: ColumnMap };

/** Ranges of rows, each within one group. */
function* slicesOf(metadata: FileMetaData, columns: ColumnMap, from: number): Generator<Slice> {
  const wanted = new Set(Object.values(columns).flat());
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    const chunks = group.columns.map(({ meta_data }) => meta_data).filter((chunk) => chunk !== undefined);
    const read = chunks.filter(({ path_in_schema: [name = ''] }) => wanted.has(name));
    const sizes = (size: 'total_uncompressed_size' | 'total_compressed_size'): number =>
      read.reduce((sum, chunk) => sum + Number(chunk[size]), 0);
    const unpacked = Math.max(1, sizes('total_uncompressed_size'));
    const fitting = Math.round((rows * SLICE_BYTES) / unpacked);
    const step = Math.min(SLICE_ROWS.max, Math.max(SLICE_ROWS.min, fitting));
    const end = groupStart + rows;
    const first = Math.max(from, groupStart);
    for (let start = first; start < end; start += step)
      yield {
        ...{ start, end: Math.min(end, start + step), isFirst: start === first },
        bytes: sizes('total_compressed_size'),
      };
    groupStart = end;
  }
}

async function readRows(
  { file, metadata, columns }: Table,
  { start, end, isFirst, bytes }: Slice,
): Promise<Record<string, unknown>[]> {
  if (bytes > GROUP_BYTES_MAX)
    throw new Error(
      `a group of rows takes ${Math.round(bytes / 1e6)} MB, more than ${GROUP_BYTES_MAX >> 20} MB; write the file with smaller groups`,
    );
  if (isFirst) file.forget();
  const { parquetReadObjects } = await import('hyparquet');
  return parquetReadObjects({
    ...{ file, metadata, rowStart: start, rowEnd: end, compressors: COMPRESSORS },
    columns: [...new Set(Object.values(columns).flat())],
  });
}

type FoundInRow = { page: SourcePage } | { where: string; problem: string };

function pageOfRow(row: Record<string, unknown>, columns: ColumnMap, where: string): FoundInRow {
  const read = (role: keyof ColumnMap): string =>
    (columns[role] ?? [])
      .map((name) => textOf(row[name]))
      .filter((text) => text !== '')
      .join('\n\n');
  const url = read('url');
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return { where, problem: 'has no address' };
  const [text, html] = [read('text'), read('html')];
  if (text.length + html.length > PAGE_BYTES_MAX) return { where, problem: 'is larger than 5 MB' };
  const fetched = dateOf((columns.fetched ?? []).map((name) => row[name])[0]);
  const published = dateOf((columns.date ?? []).map((name) => row[name])[0]);
  const body =
    text === '' && html !== ''
      ? { bytes: new TextEncoder().encode(html), contentType: 'text/html; charset=utf-8' }
      : { markdown: text };
  const stated = Object.fromEntries(
    (['title', 'language', 'site', 'author'] as const)
      .map((role) => [role, read(role)] as const)
      .filter(([, value]) => value !== ''),
  );
  return {
    page: {
      ...{ url, body, fetchedAt: fetched, ...stated },
      ...(published === null ? {} : { publishedDay: new Date(published).toISOString().slice(0, 10) }),
    },
  };
}
