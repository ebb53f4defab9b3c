import { DOT_KERNEL } from './dot-kernel.ts';

/** Memory that threads share and WebAssembly computes in. */
export type SharedMemory = { readonly buffer: SharedArrayBuffer; grow(pages: number): number };
type Kernel = (
  rows: number,
  dimensions: number,
  vector: number,
  ids: number,
  idsEnd: number,
  out: number,
) => void;
type Wasm = {
  Memory: new (size: { initial: number; maximum: number; shared: true }) => SharedMemory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: { dots: Kernel } };
  CompileError: new () => Error;
};
/** Node declares its types only together with those of browsers, which the project does without. */
const { WebAssembly } = globalThis as unknown as { WebAssembly: Wasm };

const PAGE_BYTES = 65_536;
/** Threads that may compute in one memory, counted until the process ends; each takes a page for its vector, ids and sums. */
const THREADS_MAX = 256;
const BLOCK = 16;
/** Rows that are multiplied in one call. */
const ROWS_MAX = 4_096;
/** So that a sum of 1,024 products with bytes has room in 32 bits. */
const LARGEST = 16_383;
export const DIMENSIONS_MAX = 1_024;

/** Rows of bytes, each `dimensions` long, in `memory` or (null) anywhere. */
type Rows = { rows: Int8Array; dimensions: number; memory: SharedMemory | null };
/** Dot products of a vector with rows, by their numbers. The vector is rounded to 15 bits a value. */
export type RowProducts = (vector: Float32Array, ids: Int32Array) => Float64Array;

/** Memory for so many bytes, and for the threads that compute in it. */
export function reserveMemory(bytes: number): SharedMemory {
  const initial = Math.max(1, Math.ceil(bytes / PAGE_BYTES));
  return new WebAssembly.Memory({ initial, maximum: initial + THREADS_MAX, shared: true });
}

/** How this thread computes dot products with the rows: by WebAssembly where they lie in its memory, else one value at a time; the sums are the same. */
export function rowProducts({ rows, dimensions, memory }: Rows): RowProducts {
  if (dimensions > DIMENSIONS_MAX) throw new RangeError(`more than ${DIMENSIONS_MAX} dimensions`);
  const quick = memory === null || dimensions % BLOCK !== 0 ? null : quickSums({ rows, dimensions, memory });
  const sums = quick ?? slowSums({ rows, dimensions });
  const short = new Int16Array(dimensions);
  return (vector, ids) => {
    const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const step = largest / LARGEST || 1;
    for (let at = 0; at < dimensions; at += 1) short[at] = Math.round((vector[at] ?? 0) / step);
    const out = new Float64Array(ids.length);
    for (let from = 0; from < ids.length; from += ROWS_MAX) {
      const part = ids.subarray(from, from + ROWS_MAX);
      const found = sums(short, part);
      for (let at = 0; at < part.length; at += 1) out[from + at] = (found[at] as number) * step;
    }
    return out;
  };
}

/** Sums for at most `ROWS_MAX` ids, to be read before the next call. */
type Sums = (vector: Int16Array, ids: Int32Array) => Int32Array;

/** Null where the processor has no such instructions or too many threads have begun. */
function quickSums({ rows, dimensions, memory }: Rows & { memory: SharedMemory }): Sums | null {
  let kernel: Kernel;
  let place: number;
  try {
    const module = new WebAssembly.Module(DOT_KERNEL);
    kernel = new WebAssembly.Instance(module, { in: { memory } }).exports.dots;
    place = memory.grow(1) * PAGE_BYTES;
  } catch (error) {
    if (error instanceof WebAssembly.CompileError || error instanceof RangeError) return null;
    throw error;
  }
  const own = new Int16Array(memory.buffer, place, dimensions);
  const asked = new Int32Array(memory.buffer, place + own.byteLength, ROWS_MAX);
  const out = new Int32Array(memory.buffer, asked.byteOffset + asked.byteLength, ROWS_MAX);
  return (vector, ids) => {
    own.set(vector);
    asked.set(ids);
    const idsEnd = asked.byteOffset + ids.byteLength;
    kernel(rows.byteOffset, dimensions, own.byteOffset, asked.byteOffset, idsEnd, out.byteOffset);
    return out;
  };
}

function slowSums({ rows, dimensions }: Omit<Rows, 'memory'>): Sums {
  const out = new Int32Array(ROWS_MAX);
  return (vector, ids) => {
    for (let place = 0; place < ids.length; place += 1) {
      const from = (ids[place] as number) * dimensions;
      let [even, odd] = [0, 0];
      for (let at = 0; at < dimensions; at += 2) {
        even += (rows[from + at] as number) * (vector[at] as number);
        // Of an odd number of dimensions the last has no other beside it.
        if (at + 1 < dimensions) odd += (rows[from + at + 1] as number) * (vector[at + 1] as number);
      }
      out[place] = even + odd;
    }
    return out;
  };
}
