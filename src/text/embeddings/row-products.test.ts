import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRowProducts } from './token-table.ts';

/** Rows of pseudo-random bytes, the extremes among them (Park and Miller 1988). */
function someRows(count: number, dimensions: number, into: Int8Array): Int8Array {
  let state = 7;
  for (let at = 0; at < count * dimensions; at += 1) {
    state = (state * 48_271) % 2_147_483_647;
    into[at] = (state % 256) - 128;
  }
  into.fill(-128, 0, dimensions).fill(127, dimensions, 2 * dimensions);
  return into;
}

const exact = (vector: Float32Array, row: Int8Array): number =>
  vector.reduce((sum, value, at) => sum + value * (row[at] ?? 0), 0);

for (const dimensions of [16, 64, 256, 1_024])
  test(`${dimensions} values: the sums are exact but for rounding`, () => {
    const count = 300;
    const offset = 13;
    const memory = new SharedArrayBuffer(offset + count * dimensions);
    const rows = someRows(count, dimensions, new Int8Array(memory, offset, count * dimensions));
    const vector = Float32Array.from({ length: dimensions }, (_, at) => Math.sin(at * at + 1));
    const ids = Int32Array.from({ length: 10_000 }, (_, at) => (at * 37) % count);
    const sums = createRowProducts({ rows, dimensions })(vector, ids);
    for (const [place, id] of ids.subarray(0, count).entries()) {
      const row = rows.subarray(id * dimensions, (id + 1) * dimensions);
      const error = Math.abs((sums[place] ?? 0) - exact(vector, row));
      assert.ok(error < 1e-4 * Math.hypot(...vector) * Math.hypot(...row), String(error));
    }
    for (const value of [-1, 1]) {
      const ends = createRowProducts({ rows, dimensions })(vector.fill(value), Int32Array.of(0, 1));
      const expected = [-128 * value * dimensions, 127 * value * dimensions];
      for (const [at, sum] of ends.entries()) assert.ok(Math.abs(sum - (expected[at] ?? 0)) < 0.01);
    }
  });

test('any number of dimensions, no rows, a vector of zeros', () => {
  const rows = someRows(3, 5, new Int8Array(15));
  const products = createRowProducts({ rows, dimensions: 5 });
  assert.deepEqual([...products(new Float32Array(5), Int32Array.of(0, 1))], [0, 0]);
  assert.deepEqual([...products(new Float32Array(5).fill(1), new Int32Array())], []);
  const [sum = 0] = products(Float32Array.of(1, 0.5, 0, 0, 0.25), Int32Array.of(1));
  assert.ok(Math.abs(sum - 127 * 1.75) < 0.05, String(sum));
});
