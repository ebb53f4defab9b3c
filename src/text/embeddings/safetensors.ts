/** A tensor of a `safetensors` file, its values in floating point. */
export type Tensor = { shape: number[]; values: Float32Array };

const LENGTH_BYTES = 8;
const HEADER_BYTES_MAX = 1_000_000;
const VALUES_MAX = 250_000_000;

type Entry = { dtype: string; shape: number[]; data_offsets: [number, number] };

/** Reads each value of a type. */
const READERS: Readonly<Record<string, { bytes: number; read(view: DataView, at: number): number }>> = {
  F64: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  F32: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  F16: { bytes: 2, read: (view, at) => halfFloat(view.getUint16(at, true)) },
  BF16: { bytes: 2, read: bfloat },
  I64: { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
  I32: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  I8: { bytes: 1, read: (view, at) => view.getInt8(at) },
};

/**
 * The names of the tensors of a file, and a tensor by its name (https://github.com/huggingface/safetensors). Throws with one line
 * when the file is not whole.
 */
export function openSafetensors(bytes: Uint8Array): { names: string[]; tensor(name: string): Tensor } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < LENGTH_BYTES) throw new Error('not a safetensors file');
  const headerBytes = Number(view.getBigUint64(0, true));
  if (headerBytes > HEADER_BYTES_MAX || LENGTH_BYTES + headerBytes > bytes.length)
    throw new Error('not a safetensors file');
  const start = LENGTH_BYTES + headerBytes;
  const entries = entriesOf(bytes.subarray(LENGTH_BYTES, start));
  return {
    names: [...entries.keys()],
    tensor(name) {
      const entry = entries.get(name);
      if (entry === undefined) throw new Error(`the safetensors file has no tensor ${name}`);
      const data = new DataView(bytes.buffer, bytes.byteOffset + start, bytes.length - start);
      return readTensor(name, entry, data);
    },
  };
}

function entriesOf(header: Uint8Array): Map<string, Entry> {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(header));
    const named = Object.entries(parsed ?? {}).filter(([name]) => name !== '__metadata__');
    return new Map(named.filter((pair): pair is [string, Entry] => isEntry(pair[1])));
  } catch (cause) {
    throw new Error('the header of the safetensors file is not JSON', { cause });
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { dtype, shape, data_offsets: offsets } = value as Partial<Entry>;
  const areCounts = (list: unknown): boolean => Array.isArray(list) && list.every(Number.isSafeInteger);
  return typeof dtype === 'string' && areCounts(shape) && areCounts(offsets);
}

function readTensor(name: string, { dtype, shape, data_offsets: [from, to] }: Entry, data: DataView): Tensor {
  const reader = READERS[dtype];
  if (reader === undefined) throw new Error(`the tensor ${name} has the type ${dtype}, which is not read`);
  const count = shape.reduce((product, size) => product * size, 1);
  if (count < 0 || count > VALUES_MAX) throw new Error(`the tensor ${name} is too large`);
  if (from < 0 || to - from !== count * reader.bytes || to > data.byteLength)
    throw new Error(`the tensor ${name} is cut off`);
  const values = new Float32Array(count);
  for (let at = 0; at < count; at += 1) values[at] = reader.read(data, from + at * reader.bytes);
  return { shape, values };
}

/** IEEE 754 binary16. */
function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The upper half of a binary32. */
function bfloat(view: DataView, at: number): number {
  const upper = new DataView(new ArrayBuffer(4));
  upper.setUint16(0, view.getUint16(at, true));
  return upper.getFloat32(0);
}
