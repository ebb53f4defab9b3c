import type { AsyncBuffer, FileMetaData } from 'hyparquet';
import { PAGE_BYTES_MAX } from '../../../../contract/limits.ts';
import type { ByteSource } from '../../bytes/byte-source.ts';
import type { FileFormat, SourcePage } from '../format-types.ts';
import { type ColumnMap, resolveColumns } from './column-map.ts';
import { formatAsMarkdown, parseInstant } from './row-values.ts';
import { openTableReader } from './table-reader.ts';

/** Approximate bytes of the slices in which rows are decoded. */
const SLICE_BYTES = 8 << 20;
const SLICE_ROWS = { min: 20, max: 5_000 };
/** Maximum packed bytes of the wanted columns of a row group, which are in memory while it is read. */
const GROUP_BYTES_MAX = 512 << 20;

/** Tables of pages. A place is a row number. */
export const PARQUET: FileFormat = {
  name: 'Parquet',
  files: /\.(?:parquet|parq)$/i,
  async *read(source, { from, columns: wanted, signal }) {
    // Imported on demand: no server reads tables.
    const { parquetMetadataAsync, parquetSchema } = await import('hyparquet');
    const metadata = await wrapErrors(source, () => parquetMetadataAsync(createAsyncBuffer(source)));
    const names = parquetSchema(metadata).children.map(({ element }) => element.name);
    const columns = await wrapErrors(source, async () => resolveColumns(names, wanted));
    const read = [...new Set(Object.values(columns).flat())];
    const reader = await openTableReader({ source, metadata, columns: read });
    const rows = Number(metadata.num_rows);
    try {
      for (const slice of planSlices(metadata, read, from?.[0] ?? 0)) {
        if (signal.aborted) return;
        const decoded = await wrapErrors(source, () => reader.rows(slice));
        for (const [at, row] of decoded.entries()) {
          const number = slice.start + at + 1;
          const found = buildPage(row, columns, `${source.name}: row ${number}`);
          yield { ...found, after: [number], position: Math.round((source.size * number) / rows) };
        }
      }
    } finally {
      await reader.close();
    }
  },
};

async function wrapErrors<T>({ name }: ByteSource, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if ((error as Error).message.startsWith(name)) throw error;
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

function createAsyncBuffer(source: ByteSource): AsyncBuffer {
  return {
    byteLength: source.size,
    async slice(start, end = source.size) {
      if (!(end - start <= GROUP_BYTES_MAX))
        throw new Error(`its metadata takes more than ${GROUP_BYTES_MAX >> 20} MB`);
      const { buffer, byteOffset, length } = await source.read(start, end);
      return length === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + length);
    },
  };
}

type Slice = { start: number; end: number; groupEnd: number; isFirst: boolean };

/** Yields ranges of rows, each within one row group. */
function* planSlices(metadata: FileMetaData, columns: string[], from: number): Generator<Slice> {
  const wanted = new Set(columns);
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    const chunks = group.columns.map(({ meta_data }) => meta_data).filter((chunk) => chunk !== undefined);
    const read = chunks.filter(({ path_in_schema: [name = ''] }) => wanted.has(name));
    const sumSizes = (size: 'total_uncompressed_size' | 'total_compressed_size'): number =>
      read.reduce((sum, chunk) => sum + Number(chunk[size]), 0);
    const unpacked = Math.max(1, sumSizes('total_uncompressed_size'));
    const fitting = Math.round((rows * SLICE_BYTES) / unpacked);
    // Each row has a value in each column, even if it is empty.
    if (!(rows >= 0) || read.some((chunk) => rows > Number(chunk.num_values)))
      throw new Error('a group of rows is smaller than the file says');
    const step = Math.min(SLICE_ROWS.max, Math.max(SLICE_ROWS.min, fitting));
    const end = groupStart + rows;
    const first = Math.max(from, groupStart);
    const packed = sumSizes('total_compressed_size');
    if (first < end && !(packed <= GROUP_BYTES_MAX))
      throw new Error(
        `a group of rows takes ${Math.round(packed / 1e6)} MB, more than ${GROUP_BYTES_MAX >> 20} MB; write the file with smaller groups`,
      );
    for (let start = first; start < end; start += step)
      yield { start, end: Math.min(end, start + step), groupEnd: end, isFirst: start === first };
    groupStart = end;
  }
}

type PageOrProblem = { page: SourcePage } | { where: string; problem: string };

function buildPage(row: Record<string, unknown>, columns: ColumnMap, where: string): PageOrProblem {
  const read = (role: keyof ColumnMap): string =>
    (columns[role] ?? [])
      .map((name) => formatAsMarkdown(row[name]))
      .filter((text) => text !== '')
      .join('\n\n');
  const url = read('url');
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return { where, problem: 'has no address' };
  const [text, html] = [read('text'), read('html')];
  if (text.length + html.length > PAGE_BYTES_MAX) return { where, problem: 'is larger than 5 MB' };
  const fetched = parseInstant((columns.fetched ?? []).map((name) => row[name])[0]);
  const published = parseInstant((columns.date ?? []).map((name) => row[name])[0]);
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
      url,
      body,
      fetchedAt: fetched,
      ...stated,
      ...(published === null ? {} : { publishedDay: new Date(published).toISOString().slice(0, 10) }),
    },
  };
}
