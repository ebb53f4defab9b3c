import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packVectors, unpackVectors } from './packed-vectors.ts';

const DIMENSIONS = 256;

/** Values that spread as those of real vectors do: a sum of waves. */
const vector = (seed: number): Float32Array =>
  Float32Array.from(
    { length: DIMENSIONS },
    (_, at) => Math.sin(seed * 12.9 + at * 78.2) + Math.sin(seed * 3.1 + at * at * 0.7),
  );

function cosine(left: ArrayLike<number>, right: ArrayLike<number>): number {
  let [dot, ofLeft, ofRight] = [0, 0, 0];
  for (let at = 0; at < left.length; at += 1) {
    dot += (left[at] ?? 0) * (right[at] ?? 0);
    ofLeft += (left[at] ?? 0) ** 2;
    ofRight += (right[at] ?? 0) ** 2;
  }
  return dot / Math.sqrt(ofLeft * ofRight);
}

test('packed vectors keep their direction, every sign and half a byte a value', () => {
  const vectors = [1, 2, 3].map(vector);
  const bytes = packVectors(vectors);
  assert.equal(bytes.length, (3 * DIMENSIONS) / 2);
  const opened = unpackVectors(bytes);
  for (const [place, original] of vectors.entries()) {
    const kept = opened.subarray(place * DIMENSIONS, (place + 1) * DIMENSIONS);
    assert.ok(cosine(original, kept) > 0.99);
    assert.deepEqual(
      Array.from(kept, (value) => value > 0),
      Array.from(original, (value) => value >= 0),
    );
  }
  for (const other of [2, 3].map(vector)) {
    const one = vectors[0] ?? new Float32Array(0);
    const between = cosine(opened.subarray(0, DIMENSIONS), unpackVectors(packVectors([other])));
    assert.ok(Math.abs(between - cosine(one, other)) < 0.02);
  }
});
