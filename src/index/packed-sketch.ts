/*
 * The packed form of a sketch (text/near-duplicates): the high 24 bits of each of its ascending numbers, delta-encoded as varints.
 * Two texts without a common run still share a number in about one of some hundred pairs, which changes no result.
 */
const DROPPED_BITS = 8;
const BYTES_PER_NUMBER = 4;

export function packSketch(sketch: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(sketch.length * BYTES_PER_NUMBER);
  let length = 0;
  let last = 0;
  for (const number of sketch) {
    const kept = number >>> DROPPED_BITS;
    let rest = kept - last;
    last = kept;
    while (rest > 0x7f) {
      bytes[length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[length++] = rest;
  }
  return bytes.slice(0, length);
}

export function unpackSketch(bytes: Uint8Array): Uint32Array {
  const numbers: number[] = [];
  let last = 0;
  for (let at = 0; at < bytes.length; ) {
    let step = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      step |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    last += step;
    numbers.push(last * 2 ** DROPPED_BITS);
  }
  return Uint32Array.from(numbers);
}
