/*
 * The packed form of vectors: 4 bits per value, two values per byte, the first in the lower half. The range between the largest
 * magnitude of a vector and its opposite is divided into sixteen steps; a value stands for the middle of its step, so its sign is kept.
 */
const LEVELS = 8;
const BITS = 4;
const MASK = 15;

/** Distinguishes vectors in this format from others of the same model. */
export const PACKED_AS = '4-bit';

/** Packs the directions of vectors one after the other; the number of dimensions must be even. */
export function packVectors(vectors: readonly Float32Array[]): Uint8Array {
  const dimensions = vectors[0]?.length ?? 0;
  const bytes = new Uint8Array((vectors.length * dimensions) / 2);
  let place = 0;
  for (const vector of vectors) {
    let largest = 0;
    for (let at = 0; at < dimensions; at += 1) largest = Math.max(largest, Math.abs(vector[at] as number));
    const scale = LEVELS / (largest || 1);
    for (let at = 0; at < dimensions; at += 2)
      bytes[place++] =
        computeLevel(vector[at] as number, scale) | (computeLevel(vector[at + 1] as number, scale) << BITS);
  }
  return bytes;
}

const computeLevel = (value: number, scale: number): number =>
  Math.min(MASK, Math.max(0, Math.floor(value * scale) + LEVELS));

/** Unpacks the values, from -15 to 15; they are odd, because each is the middle of its step. */
export function unpackVectors(bytes: Uint8Array): Int8Array {
  const values = new Int8Array(bytes.length * 2);
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    values[at * 2] = (byte & MASK) * 2 - MASK;
    values[at * 2 + 1] = (byte >>> BITS) * 2 - MASK;
  }
  return values;
}
