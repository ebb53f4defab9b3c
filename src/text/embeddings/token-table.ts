import { createWordPiece, type Tokenize } from './word-piece.ts';

/*
 * The file format of a table, little endian:
 *   4 bytes "STV1" | u32 tokens | u32 dimensions | u32 bytes of the vocabulary
 *   vocabulary, UTF-8, each token with a line break | tokens x f32 scale | tokens x dimensions int8
 * The vector of a token is its row times its scale; the scale includes the weight of the token in the mean of a text.
 */
const MARK = 'STV1';
const HEAD_BYTES = 16;
const SCALE_BYTES = 4;
const BYTE_MAX = 127;
const UNKNOWN = '[UNK]';

/** A static embedding model: a vector for each token of its vocabulary. */
export type TokenTable = {
  /** The vocabulary, in the order of the rows. */
  tokens: readonly string[];
  tokenize: Tokenize;
  dimensions: number;
  /** tokens x dimensions; a row times its scale is the vector of a token. */
  rows: Int8Array;
  scales: Float32Array;
  /** Computes dot products of a vector with rows, without their scales. */
  products: RowProducts;
};

type TokenVectors = Pick<TokenTable, 'dimensions' | 'rows' | 'scales'>;

/** Quantizes float vectors to rows of one byte per value, each row using the whole range. */
export function quantizeRows(values: ArrayLike<number>, dimensions: number): TokenVectors {
  const count = Math.floor(values.length / dimensions);
  const rows = new Int8Array(count * dimensions);
  const scales = new Float32Array(count);
  for (let row = 0; row < count; row += 1) {
    const start = row * dimensions;
    let largest = 0;
    for (let at = start; at < start + dimensions; at += 1)
      largest = Math.max(largest, Math.abs(values[at] ?? 0));
    const scale = largest / BYTE_MAX;
    scales[row] = scale;
    if (scale === 0) continue;
    for (let at = start; at < start + dimensions; at += 1) rows[at] = Math.round((values[at] ?? 0) / scale);
  }
  return { dimensions, rows, scales };
}

/** Writes the file of a table; the vocabulary is in the order of the rows. */
export function packTable(tokens: readonly string[], { dimensions, rows, scales }: TokenVectors): Uint8Array {
  const vocabulary = new TextEncoder().encode(tokens.map((token) => `${token}\n`).join(''));
  const bytes = new Uint8Array(HEAD_BYTES + vocabulary.length + tokens.length * (SCALE_BYTES + dimensions));
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(MARK));
  view.setUint32(4, tokens.length, true);
  view.setUint32(8, dimensions, true);
  view.setUint32(12, vocabulary.length, true);
  bytes.set(vocabulary, HEAD_BYTES);
  let at = HEAD_BYTES + vocabulary.length;
  for (const scale of scales) {
    view.setFloat32(at, scale, true);
    at += SCALE_BYTES;
  }
  bytes.set(new Uint8Array(rows.buffer, rows.byteOffset, rows.length), at);
  return bytes;
}

/**
 * Opens the bytes of a file as a table, which keeps them. Throws a one-line error when they are not such a file.
 */
export function openTable(bytes: Uint8Array): TokenTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = new TextDecoder();
  if (bytes.length < HEAD_BYTES || text.decode(bytes.subarray(0, 4)) !== MARK)
    throw new Error('not a table of token vectors');
  const count = view.getUint32(4, true);
  const dimensions = view.getUint32(8, true);
  const scalesStart = HEAD_BYTES + view.getUint32(12, true);
  const rowsStart = scalesStart + count * SCALE_BYTES;
  if (rowsStart + count * dimensions !== bytes.length)
    throw new Error('the table of token vectors is cut off');
  const tokens = text.decode(bytes.subarray(HEAD_BYTES, scalesStart)).split('\n', count);
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const scales = new Float32Array(count);
  for (let row = 0; row < count; row += 1)
    scales[row] = view.getFloat32(scalesStart + row * SCALE_BYTES, true);
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset + rowsStart, count * dimensions);
  return {
    tokens,
    tokenize: createWordPiece({ ids, unknown: ids.get(UNKNOWN) ?? 0 }),
    dimensions,
    rows,
    scales,
    products: createRowProducts({ rows, dimensions }),
  };
}

/** Computes dot products of a vector with rows of bytes, in integers, so that each thread and machine gets the same sums. */

/** Maximum vector value, so that a sum of 1,024 products with bytes fits into 32 bits. */
const LARGEST = 16_383;
export const DIMENSIONS_MAX = 1_024;

/** Rows of bytes, each `dimensions` long. */
type Rows = { rows: Int8Array; dimensions: number };
/** Computes the dot products of a vector with rows, given by index. The vector is rounded to 15 bits per value. */
type RowProducts = (vector: Float32Array, ids: Int32Array) => Float64Array;

/** Creates the function for dot products with the rows. */
export function createRowProducts({ rows, dimensions }: Rows): RowProducts {
  if (dimensions > DIMENSIONS_MAX) throw new RangeError(`more than ${DIMENSIONS_MAX} dimensions`);
  const short = new Int16Array(dimensions);
  return (vector, ids) => {
    const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const step = largest / LARGEST || 1;
    for (let at = 0; at < dimensions; at += 1) short[at] = Math.round((vector[at] ?? 0) / step);
    return Float64Array.from(ids, (id) => sumProducts(rows, id * dimensions, short) * step);
  };
}

/** Two sums at a time, which the processor adds side by side. */
function sumProducts(rows: Int8Array, from: number, vector: Int16Array): number {
  let [even, odd] = [0, 0];
  const pairsEnd = vector.length - (vector.length % 2);
  for (let at = 0; at < pairsEnd; at += 2) {
    even += (rows[from + at] as number) * (vector[at] as number);
    odd += (rows[from + at + 1] as number) * (vector[at + 1] as number);
  }
  const last = vector.length % 2 === 0 ? 0 : (rows[from + pairsEnd] as number) * (vector[pairsEnd] as number);
  return even + odd + last;
}
