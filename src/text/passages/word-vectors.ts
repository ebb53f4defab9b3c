import { readFileSync } from 'node:fs';
import { rarityOf } from '../scoring/rarity.ts';

/*
 * The format of the table, little endian:
 *   u32 terms | u32 dimensions | u32 bytes of the words | words, UTF-8, each with a line break | terms x dimensions int8
 * Only the direction of a vector counts, so each row uses the whole range of its bytes.
 */
const HEAD_BYTES = 12;
const BYTE_MAX = 127;

/** Vectors of words; only their directions matter. */
export type WordVectors = {
  dimensions: number;
  rowOf: ReadonlyMap<string, number>;
  /** terms x dimensions, each row of length 1. */
  values: Float32Array;
  /** The weight of each row in the mean of a text: rarer words count more. */
  telling: Float32Array;
};

let english: WordVectors | null = null;

/** The vectors of the commonest English stems, from the table in models/; read once per thread. */
export function englishVectors(): WordVectors {
  english ??= openVectors(
    readFileSync(new URL('../../../models/word-vectors/word-vectors.bin', import.meta.url)),
  );
  return english;
}

/** Terms and their vectors -> the bytes of the table. */
export function packVectors(terms: string[], vectors: number[][]): Uint8Array {
  const words = new TextEncoder().encode(terms.map((term) => `${term}\n`).join(''));
  const dimensions = vectors[0]?.length ?? 0;
  const bytes = new Uint8Array(HEAD_BYTES + words.length + terms.length * dimensions);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, terms.length, true);
  view.setUint32(4, dimensions, true);
  view.setUint32(8, words.length, true);
  bytes.set(words, HEAD_BYTES);
  let at = HEAD_BYTES + words.length;
  for (const vector of vectors) {
    const largest = Math.max(...vector.map(Math.abs)) || 1;
    for (const value of vector) view.setInt8(at++, Math.round((value / largest) * BYTE_MAX));
  }
  return bytes;
}

/** The bytes of the table -> its vectors. */
export function openVectors(bytes: Uint8Array): WordVectors {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [count, dimensions, wordBytes] = [0, 4, 8].map((at) => view.getUint32(at, true));
  const words = new TextDecoder().decode(bytes.subarray(HEAD_BYTES, HEAD_BYTES + (wordBytes ?? 0)));
  const rowOf = new Map(
    words
      .split('\n')
      .slice(0, count)
      .map((word, row) => [word, row]),
  );
  const size = (count ?? 0) * (dimensions ?? 0);
  const start = HEAD_BYTES + (wordBytes ?? 0);
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset + start, size);
  const telling = Float32Array.from(rowOf.keys(), (term) => rarityOf(term) ** 2);
  return { dimensions: dimensions ?? 0, rowOf, values: unitRows(rows, dimensions ?? 0), telling };
}

function unitRows(rows: Int8Array, dimensions: number): Float32Array {
  const values = new Float32Array(rows.length);
  for (let start = 0; start < rows.length; start += dimensions) {
    let squares = 0;
    for (let at = start; at < start + dimensions; at += 1) squares += (rows[at] ?? 0) ** 2;
    const length = Math.sqrt(squares) || 1;
    for (let at = start; at < start + dimensions; at += 1) values[at] = (rows[at] ?? 0) / length;
  }
  return values;
}
