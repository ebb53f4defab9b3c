import type { AsyncBuffer, FileMetaData } from 'hyparquet';
import { PAGE_BYTES_MAX } from '../../../../contract/limits.ts';
import { createThread, ThreadEnded } from '../../../../platform/threads/thread.ts';
import { resolveThreadModule } from '../../../../platform/threads/thread-modules.ts';
import type { ByteSource } from '../../bytes/byte-reader.ts';
import type { FileFormat, SourcePage } from '../json-lines.ts';
import { type ColumnMap, resolveColumns } from './column-map.ts';
import { type CheckPages, createPageCheck } from './page-bounds.ts';
import type { TableCalls, TablePiece } from './table-thread.ts';

const HEAP_MEGABYTES_MAX = 512;
/** CPU time limit for one slice of a row group; for nested columns the whole group is decoded. */
const SLICE_CPU_MS_MAX = 10_000;
const LOOK_MS = 500;
/** Maximum growth of the whole process while a slice is decoded; buffers lie outside the thread's heap. */
const GROWTH_MEGABYTES_MAX = 1_024;
const GROWTH_LOOK_MS = 50;
const MEGABYTE = 1_048_576;

/** Maximum levels of nested values that are read. */
const LEVELS_MAX = 12;
const HEADINGS_LEVEL_MAX = 6;
const joinTexts = (texts: string[]): string => texts.filter((text) => text !== '').join('\n\n');
/** Numbers below this are seconds, others milliseconds: the year 2286 in seconds, 1970 in milliseconds. */
const SECONDS_MAX = 1e10;
/** The end of the year 9999; larger numbers are micro- or nanoseconds, or not dates. */
const TIME_MAX = 253_402_300_799_999;
const toValidTime = (time: number): number | null => (time > 0 && time <= TIME_MAX ? Math.round(time) : null);

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
      ...(columns.source === undefined
        ? {}
        : { origin: { source: read('source'), licence: read('licence') || null } }),
    },
  };
}

/**
 * Formats a value of a table as Markdown. Texts are unchanged, lists give their values in order, and objects give their name as a heading,
 * then their value and parts, as Wikipedia's structured dumps nest them. JSON in a text is parsed first.
 */
function formatAsMarkdown(value: unknown, level = 1): string {
  if (value === null || value === undefined || level > LEVELS_MAX) return '';
  if (typeof value === 'string') return formatNested(value, level);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  if (Array.isArray(value)) return joinTexts(value.map((one) => formatAsMarkdown(one, level)));
  if (typeof value !== 'object') return String(value);
  const part = value as Record<string, unknown>;
  if (typeof part.identifier === 'string' && part.value === undefined && part.has_parts === undefined)
    return part.identifier;
  const name = typeof part.name === 'string' ? part.name.trim() : '';
  const parts = joinTexts([
    formatAsMarkdown(part.value, level + 1),
    formatAsMarkdown(part.values, level + 1),
    formatAsMarkdown(part.has_parts, level + 1),
  ]);
  if (name === '' || parts === '') return parts === '' ? name : parts;
  return /^(?:field|list_item)$/.test(String(part.type))
    ? `${name}: ${parts}`
    : `${'#'.repeat(Math.min(level + 1, HEADINGS_LEVEL_MAX))} ${name}\n\n${parts}`;
}

function formatNested(text: string, level: number): string {
  if (!/^\s{0,9}\[\s{0,9}\{/.test(text)) return text;
  try {
    return formatAsMarkdown(JSON.parse(text), level + 1);
  } catch {
    return text;
  }
}

/** Parses a date, a text that holds one, or a number of seconds or milliseconds, to milliseconds since the epoch; else null. */
function parseInstant(value: unknown): number | null {
  if (value instanceof Date) return toValidTime(value.getTime());
  if (typeof value === 'bigint' || typeof value === 'number') {
    const number = Number(value);
    return toValidTime(number < SECONDS_MAX ? number * 1_000 : number);
  }
  if (typeof value !== 'string') return null;
  // 20240506 and 20240506070809, as archives write them.
  const digits = /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2}))?$/.exec(value.trim());
  if (digits === null) return toValidTime(Date.parse(value));
  const [, year, month, day, hours = '00', minutes = '00', seconds = '00'] = digits;
  return toValidTime(Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`));
}

/** Decodes rows of a table in its own thread, because a few bytes can make the decoder use unbounded time or memory. */
type TableReader = {
  /** Resolves to the rows from `start` up to `end`, which are in the same row group as the previous ones unless `isFirst`. */
  rows(slice: {
    start: number;
    end: number;
    groupEnd: number;
    isFirst: boolean;
  }): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
};

type Table = { source: ByteSource; metadata: FileMetaData; columns: string[] };

async function openTableReader(table: Table): Promise<TableReader> {
  const { source, metadata, columns } = table;
  const thread = createThread<TableCalls>(resolveThreadModule('crawl/import/formats/parquet/table-thread'), {
    heapMegabytesMax: HEAP_MEGABYTES_MAX,
  });
  const check = await createPageCheck(metadata, columns);
  await thread.call('open', { metadata, columns, size: source.size });
  /** Runs work, and ends the thread if it exceeds the CPU or memory limit. */
  const runWithinLimits = async <T>(work: () => Promise<T>): Promise<T> => {
    let before: number | null = null;
    let isLate = false;
    let isLarge = false;
    const residentBefore = process.memoryUsage.rss();
    const growth = setInterval(() => {
      if (isLarge || process.memoryUsage.rss() - residentBefore < GROWTH_MEGABYTES_MAX * MEGABYTE) return;
      isLarge = true;
      void thread.end();
    }, GROWTH_LOOK_MS);
    const timer = setInterval(async () => {
      const used = await thread.cpuMs();
      before ??= used;
      if (used - before < SLICE_CPU_MS_MAX || isLate) return;
      isLate = true;
      await thread.end();
    }, LOOK_MS);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error;
      const megabytes = isLarge ? GROWTH_MEGABYTES_MAX : HEAP_MEGABYTES_MAX;
      const why = isLate ? 'takes too long' : `needs more than ${megabytes} MB`;
      throw new Error(`a group of rows ${why} to decode`, { cause: error });
    } finally {
      clearInterval(timer);
      clearInterval(growth);
    }
  };
  return {
    async rows({ start, end, groupEnd, isFirst }) {
      if (isFirst) {
        const pieces = await readPieces(table, { start, end: groupEnd }, check);
        await thread.call('hold', pieces, { transfer: pieces.map(({ bytes }) => bytes) });
      }
      return runWithinLimits(() => thread.call('rows', { start, end }));
    },
    close: () => thread.end(),
  };
}

/** Reads the bytes of the wanted columns for some rows of one row group. */
async function readPieces(
  { source, metadata, columns }: Table,
  rows: { start: number; end: number },
  check: CheckPages,
): Promise<TablePiece[]> {
  const { parquetPlan } = await import('hyparquet/src/plan.js');
  const file = { byteLength: source.size, slice: () => Promise.reject(new Error('only plans')) };
  const { fetches } = parquetPlan({ file, metadata, columns, rowStart: rows.start, rowEnd: rows.end });
  const pieces: TablePiece[] = [];
  for (const { startByte, endByte } of fetches) {
    const read = await source.read(startByte, endByte);
    const { buffer, byteOffset, length } = read;
    const isWhole = length === buffer.byteLength;
    const bytes = isWhole ? buffer : buffer.slice(byteOffset, byteOffset + length);
    check(bytes, startByte);
    pieces.push({ start: startByte, bytes });
  }
  return pieces;
}
