/** Computes dot products of a vector with rows of bytes, in integers, so that each thread and machine gets the same sums. */

/** Maximum vector value, so that a sum of 1,024 products with bytes fits into 32 bits. */
const LARGEST = 16_383;
export const DIMENSIONS_MAX = 1_024;

/** Rows of bytes, each `dimensions` long. */
type Rows = { rows: Int8Array; dimensions: number };
/** Computes the dot products of a vector with rows, given by index. The vector is rounded to 15 bits per value. */
export type RowProducts = (vector: Float32Array, ids: Int32Array) => Float64Array;

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
