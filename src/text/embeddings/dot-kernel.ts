/**
 * A WebAssembly module with one function: the dot products of a vector of 16-bit integers with rows of bytes, sixteen values at a time
 * (128-bit SIMD). It is written here instruction by instruction, so that its source is what runs and nothing has to be compiled first.
 * Numbers: WebAssembly core specification 2.0, chapter 5 (binary format).
 */
const [I32, V128, FUNCTION, NOTHING] = [0x7f, 0x7b, 0x60, 0x40];
const SHARED_WITH_MAXIMUM = 0x03;
const PAGES_MAX = 65_536;

/** Unsigned LEB128. */
function number(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)];
}
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
/** The value is below 64. */
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
 * Imports the memory `in.memory`, which has to be shared; exports `dots(rows, dimensions, vector, ids, idsEnd, out)`: addresses of rows,
 * vector, ids and sums, 32 bits for each id and sum. Dimensions are a multiple of 16.
 */
export const DOT_KERNEL = Uint8Array.from([
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
