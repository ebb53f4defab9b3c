/**
 * Computes dot products of a vector with rows of bytes by a small WebAssembly module with one function: a vector of 16-bit integers
 * with rows of bytes, sixteen values at a time (128-bit SIMD). The module is written here instruction by instruction, so that the
 * source is what runs and nothing has to be compiled first. Numbers: WebAssembly core specification 2.0, chapter 5 (binary format).
 */
const [I32, V128, FUNCTION, NOTHING] = [0x7f, 0x7b, 0x60, 0x40];

const SHARED_WITH_MAXIMUM = 0x03;

const PAGES_MAX = 65_536;

const encodeList = (entries: number[][]): number[] => [...encodeNumber(entries.length), ...entries.flat()];

const encodeSized = (bytes: number[]): number[] => [...encodeNumber(bytes.length), ...bytes];

const encodeName = (text: string): number[] => encodeSized([...new TextEncoder().encode(text)]);

const encodeSection = (id: number, content: number[]): number[] => [id, ...encodeSized(content)];

const emitGet = (local: number): number[] => [0x20, local];

const emitSet = (local: number): number[] => [0x21, local];

const block = [0x02, NOTHING];

const loop = [0x03, NOTHING];

const end = [0x0b];

const emitBranch = (depth: number): number[] => [0x0c, depth];

const emitBranchIf = (depth: number): number[] => [0x0d, depth];

/** `value` must be below 64. */
const emitConstant = (value: number): number[] => [0x41, value];

const load = [0x28, 2, 0];

const store = [0x36, 2, 0];

const lessThan = [0x49];

const notLessThan = [0x4f];

const add = [0x6a];

const multiply = [0x6c];

const emitSimd = (instruction: number): number[] => [0xfd, ...encodeNumber(instruction)];

const emitLoad16Bytes = (offset: number): number[] => [...emitSimd(0x00), 0, offset];

const zeros = [...emitSimd(0x0c), ...new Array<number>(16).fill(0)];

const emitExtractLane = (lane: number): number[] => [...emitSimd(0x1b), lane];

const firstEightAsShorts = emitSimd(0x87);

const lastEightAsShorts = emitSimd(0x88);

const addFours = emitSimd(0xae);

const productsOfShorts = emitSimd(0xba);

const [rows, dimensions, vector, ids, idsEnd, out, row, rowEnd, part, sum, values] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
] as const;

const emitAdvance = (local: number, by: number): number[] => [
  ...[...emitGet(local), ...emitConstant(by)],
  ...[...add, ...emitSet(local)],
];

const emitAddProducts = (half: number[], offset: number): number[] => [
  ...[...emitGet(values), ...half, ...emitGet(part), ...emitLoad16Bytes(offset)],
  ...[...productsOfShorts, ...emitGet(sum), ...addFours, ...emitSet(sum)],
];

const emitGetLane = (place: number): number[] => [...emitGet(sum), ...emitExtractLane(place)];

const body = [
  ...[...block, ...loop],
  ...[...emitGet(ids), ...emitGet(idsEnd), ...notLessThan, ...emitBranchIf(1)],
  ...[
    ...emitGet(rows),
    ...emitGet(ids),
    ...load,
    ...emitGet(dimensions),
    ...multiply,
    ...add,
    ...emitSet(row),
  ],
  ...[...emitGet(row), ...emitGet(dimensions), ...add, ...emitSet(rowEnd)],
  ...[...emitGet(vector), ...emitSet(part), ...zeros, ...emitSet(sum)],
  ...loop,
  ...[...emitGet(row), ...emitLoad16Bytes(0), ...emitSet(values)],
  ...[...emitAddProducts(firstEightAsShorts, 0), ...emitAddProducts(lastEightAsShorts, 16)],
  ...[...emitAdvance(part, 32), ...emitAdvance(row, 16)],
  ...[...emitGet(row), ...emitGet(rowEnd), ...lessThan, ...emitBranchIf(0)],
  ...end,
  ...[
    ...emitGet(out),
    ...emitGetLane(0),
    ...emitGetLane(1),
    ...add,
    ...emitGetLane(2),
    ...add,
    ...emitGetLane(3),
    ...add,
    ...store,
  ],
  ...[...emitAdvance(ids, 4), ...emitAdvance(out, 4), ...emitBranch(0)],
  ...[...end, ...end, ...end],
];

/**
 * Imports the shared memory `in.memory` and exports `dots(rows, dimensions, vector, ids, idsEnd, out)`: addresses of rows, vector,
 * ids and sums, 32 bits for each id and sum. Dimensions must be a multiple of 16.
 */
const DOT_KERNEL = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...encodeSection(1, encodeList([[FUNCTION, ...encodeList(new Array(6).fill([I32])), 0]])),
  ...encodeSection(
    2,
    encodeList([
      [...encodeName('in'), ...encodeName('memory'), 2, SHARED_WITH_MAXIMUM, 1, ...encodeNumber(PAGES_MAX)],
    ]),
  ),
  ...encodeSection(3, encodeList([[0]])),
  ...encodeSection(7, encodeList([[...encodeName('dots'), 0, 0]])),
  ...encodeSection(
    10,
    encodeList([
      encodeSized([
        ...encodeList([
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
export function createRowProducts({ rows, dimensions, memory }: Rows): RowProducts {
  if (dimensions > DIMENSIONS_MAX) throw new RangeError(`more than ${DIMENSIONS_MAX} dimensions`);
  const quick =
    memory === null || dimensions % BLOCK !== 0 ? null : createQuickSums({ rows, dimensions, memory });
  const sums = quick ?? createSlowSums({ rows, dimensions });
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
function createQuickSums({ rows, dimensions, memory }: Rows & { memory: SharedMemory }): Sums | null {
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

function createSlowSums({ rows, dimensions }: Omit<Rows, 'memory'>): Sums {
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
function encodeNumber(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...encodeNumber(value >>> 7)];
}
