import type { FileMetaData } from 'hyparquet';

/** Maximum unpacked bytes of one page of a column. */
export const UNPACKED_BYTES_MAX = 256 << 20;
/** Maximum values of a page, and of a column in one row group: a few bytes can claim billions. */
const PAGE_VALUES_MAX = 1 << 23;
const CHUNK_VALUES_MAX = 1 << 25;

/** Checks the pages in bytes read from `start` on before they are decoded. Throws if they would not fit into memory. */
export type CheckPages = (bytes: ArrayBuffer, start: number) => void;

/** Creates the check for the columns to read. */
export async function createPageCheck(metadata: FileMetaData, columns: string[]): Promise<CheckPages> {
  const { parquetHeader } = await import('hyparquet/src/column.js');
  const wanted = new Set(columns);
  const chunks = metadata.row_groups
    .flatMap((group) => group.columns)
    .flatMap(({ meta_data: chunk }) =>
      chunk === undefined || !wanted.has(chunk.path_in_schema[0] ?? '') ? [] : [chunk],
    )
    .map((chunk) => {
      const from = Number(chunk.dictionary_page_offset || chunk.data_page_offset);
      return { from, to: from + Number(chunk.total_compressed_size), values: Number(chunk.num_values) };
    })
    .toSorted((one, other) => one.from - other.from);
  return (bytes, start) => {
    const end = start + bytes.byteLength;
    for (const { from, to, values } of chunks.slice(findFirstFrom(chunks, start))) {
      if (from >= end) return;
      if (to > end) continue;
      const reader = { view: new DataView(bytes, from - start, to - from), offset: 0 };
      if (countValues(reader, parquetHeader) !== values)
        throw new Error('a column holds fewer or more values than the file says');
    }
  };
}

/** Finds the first chunk that begins at or after a place. */
function findFirstFrom(chunks: { from: number }[], place: number): number {
  let [low, high] = [0, chunks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chunks[middle]?.from ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Reader = { view: DataView; offset: number };
type ReadHeader = typeof import('hyparquet/src/column.js').parquetHeader;

/** Counts the values in the pages of a column, as stated by the page headers. */
function countValues(reader: Reader, readHeader: ReadHeader): number {
  let values = 0;
  while (reader.offset < reader.view.byteLength - 1) {
    const header = readHeader(reader);
    const { uncompressed_page_size: unpacked, compressed_page_size: packed } = header;
    const { num_values: known = 0 } = header.dictionary_page_header ?? {};
    const { num_values: held = 0 } = header.data_page_header ?? header.data_page_header_v2 ?? {};
    values += held;
    if (!(packed >= 0 && unpacked >= 0 && held >= 0 && known >= 0))
      throw new Error('a page of a column has no sensible size');
    if (unpacked > UNPACKED_BYTES_MAX)
      throw new Error(`a page of a column unpacks to more than ${UNPACKED_BYTES_MAX >> 20} MB`);
    if (Math.max(known, held) > PAGE_VALUES_MAX || values > CHUNK_VALUES_MAX)
      throw new Error(
        'a column has too many values in one group of rows; write the file with smaller groups',
      );
    reader.offset += packed;
  }
  return values;
}
