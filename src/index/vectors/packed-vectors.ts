/*
 * Vectors as the index keeps them: 4 bits a value, two values a byte, the first in the lower half. A value is a step of sixteen
 * between the largest magnitude of its vector and its opposite, and stands for the middle of the step, so that its sign is kept.
 */
const LEVELS = 8;
const BITS = 4;
const MASK = 15;

/** Tells vectors that are kept so from others of the same model. */
export const PACKED_AS = '4-bit';

/** The directions of vectors of an even number of dimensions, one after the other. */
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
        levelOf(vector[at] as number, scale) | (levelOf(vector[at + 1] as number, scale) << BITS);
  }
  return bytes;
}

const levelOf = (value: number, scale: number): number =>
  Math.min(MASK, Math.max(0, Math.floor(value * scale) + LEVELS));

/** The values again, from -15 to 15: odd, because each is the middle of its step. */
export function openVectors(bytes: Uint8Array): Int8Array {
  const values = new Int8Array(bytes.length * 2);
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    values[at * 2] = (byte & MASK) * 2 - MASK;
    values[at * 2 + 1] = (byte >>> BITS) * 2 - MASK;
  }
  return values;
}
