/**
 * Computes dot products of a vector with rows of bytes by a small WebAssembly module with one function: a vector of 16-bit integers
 * with rows of bytes, sixteen values at a time (128-bit SIMD). The module is written here instruction by instruction, so that the
 * source is what runs and nothing has to be compiled first. Numbers: WebAssembly core specification 2.0, chapter 5 (binary format).
 */
const [I32, V128, FUNCTION, NOTHING] = [0x7f, 0x7b, 0x60, 0x40];

const SHARED_WITH_MAXIMUM = 0x03;

const PAGES_MAX = 65_536;

const list = (entries: number[][]): number[] => [...number(entries.length), ...entries.flat()];

const sized = (bytes: number[]): number[] => [...number(bytes.length), ...bytes];

const name = (text: string): number[] => sized([...new TextEncoder().encode(text)]);

const section = (id: number, content: number[]): number[] => [id, ...sized(content)];

const get = (local: number): number[] => [0x20, local];

const set = (local: number): number[] => [0x21, local];

const block = [0x02, NOTHING];

const loop = [0x03, NOTHING];

const end = [0x0b];

const branch = (depth: number): number[] => [0x0c, depth];

const branchIf = (depth: number): number[] => [0x0d, depth];

/** `value` must be below 64. */
const constant = (value: number): number[] => [0x41, value];

const load = [0x28, 2, 0];

const store = [0x36, 2, 0];

const lessThan = [0x49];

const notLessThan = [0x4f];

const add = [0x6a];

const multiply = [0x6c];

const simd = (instruction: number): number[] => [0xfd, ...number(instruction)];

const load16Bytes = (offset: number): number[] => [...simd(0x00), 0, offset];

const zeros = [...simd(0x0c), ...new Array<number>(16).fill(0)];

const laneOf4 = (lane: number): number[] => [...simd(0x1b), lane];

const firstEightAsShorts = simd(0x87);

const lastEightAsShorts = simd(0x88);

const addFours = simd(0xae);

const productsOfShorts = simd(0xba);

const [rows, dimensions, vector, ids, idsEnd, out, row, rowEnd, part, sum, values] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
] as const;

const advance = (local: number, by: number): number[] => [
  ...[...get(local), ...constant(by)],
  ...[...add, ...set(local)],
];

const addProducts = (half: number[], offset: number): number[] => [
  ...[...get(values), ...half, ...get(part), ...load16Bytes(offset)],
  ...[...productsOfShorts, ...get(sum), ...addFours, ...set(sum)],
];

const lane = (place: number): number[] => [...get(sum), ...laneOf4(place)];

const body = [
  ...[...block, ...loop],
  ...[...get(ids), ...get(idsEnd), ...notLessThan, ...branchIf(1)],
  ...[...get(rows), ...get(ids), ...load, ...get(dimensions), ...multiply, ...add, ...set(row)],
  ...[...get(row), ...get(dimensions), ...add, ...set(rowEnd)],
  ...[...get(vector), ...set(part), ...zeros, ...set(sum)],
  ...loop,
  ...[...get(row), ...load16Bytes(0), ...set(values)],
  ...[...addProducts(firstEightAsShorts, 0), ...addProducts(lastEightAsShorts, 16)],
  ...[...advance(part, 32), ...advance(row, 16)],
  ...[...get(row), ...get(rowEnd), ...lessThan, ...branchIf(0)],
  ...end,
  ...[...get(out), ...lane(0), ...lane(1), ...add, ...lane(2), ...add, ...lane(3), ...add, ...store],
  ...[...advance(ids, 4), ...advance(out, 4), ...branch(0)],
  ...[...end, ...end, ...end],
];

/**
 * Imports the shared memory `in.memory` and exports `dots(rows, dimensions, vector, ids, idsEnd, out)`: addresses of rows, vector,
 * ids and sums, 32 bits for each id and sum. Dimensions must be a multiple of 16.
 */
const DOT_KERNEL = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, list([[FUNCTION, ...list(new Array(6).fill([I32])), 0]])),
  ...section(2, list([[...name('in'), ...name('memory'), 2, SHARED_WITH_MAXIMUM, 1, ...number(PAGES_MAX)]])),
  ...section(3, list([[0]])),
  ...section(7, list([[...name('dots'), 0, 0]])),
  ...section(
    10,
    list([
      sized([
        ...list([
          [3, I32],
          [2, V128],
        ]),
        ...body,
      ]),
    ]),
  ),
]);

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
/** Node's types declare it only together with those of browsers, which the project does without. */
const { WebAssembly } = globalThis as unknown as { WebAssembly: Wasm };

const PAGE_BYTES = 65_536;
/** Maximum threads that compute in one memory, counted until the process ends; each takes a page for its vector, ids and sums. */
const THREADS_MAX = 256;
const BLOCK = 16;
/** Maximum rows multiplied in one call. */
const ROWS_MAX = 4_096;
/** Maximum vector value, so that a sum of 1,024 products with bytes fits into 32 bits. */
const LARGEST = 16_383;
export const DIMENSIONS_MAX = 1_024;

/** Rows of bytes, each `dimensions` long, in `memory`, or anywhere (null). */
type Rows = { rows: Int8Array; dimensions: number; memory: SharedMemory | null };
/** Computes the dot products of a vector with rows, given by index. The vector is rounded to 15 bits per value. */
export type RowProducts = (vector: Float32Array, ids: Int32Array) => Float64Array;

/** Reserves memory for `bytes` bytes and for the threads that compute in it. */
export function reserveMemory(bytes: number): SharedMemory {
  const initial = Math.max(1, Math.ceil(bytes / PAGE_BYTES));
  return new WebAssembly.Memory({ initial, maximum: initial + THREADS_MAX, shared: true });
}

/**
 * Creates this thread's function for dot products with the rows: by WebAssembly if the rows are in its memory, else one value at a
 * time; the sums are the same.
 */
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

/** Returns sums for at most `ROWS_MAX` ids, valid until the next call. */
type Sums = (vector: Int16Array, ids: Int32Array) => Int32Array;

/** Returns null when the processor lacks the instructions or too many threads have started. */
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
        // With an odd number of dimensions the last value has no partner.
        if (at + 1 < dimensions) odd += (rows[from + at + 1] as number) * (vector[at + 1] as number);
      }
      out[place] = even + odd;
    }
    return out;
  };
}

/** Encodes a number as unsigned LEB128. */
function number(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)];
}
