import type { FileMetaData } from 'hyparquet';
import { createThread, ThreadEnded } from '../../../../platform/threads/thread.ts';
import { resolveThreadModule } from '../../../../platform/threads/thread-modules.ts';
import type { ByteSource } from '../../bytes/byte-source.ts';
import { type CheckPages, createPageCheck } from './page-bounds.ts';
import type { TableCalls, TablePiece } from './table-thread.ts';

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

const HEAP_MEGABYTES_MAX = 512;
/** CPU time limit for one slice of a row group; for nested columns the whole group is decoded. */
const SLICE_CPU_MS_MAX = 10_000;
const LOOK_MS = 500;
/** Maximum growth of the whole process while a slice is decoded; buffers lie outside the thread's heap. */
const GROWTH_MEGABYTES_MAX = 1_024;
const GROWTH_LOOK_MS = 50;
const MEGABYTE = 1_048_576;

export async function openTableReader(table: Table): Promise<TableReader> {
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
