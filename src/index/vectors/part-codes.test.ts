import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { packVectors } from './packed-vectors.ts';
import { createPartCodes } from './part-codes.ts';

const DIMENSIONS = 32;
/** Vectors whose first `ones` values are positive, as they are kept. */
const bytes = (...ones: number[]): Uint8Array => packVectors(ones.map(asked));
const asked = (ones: number): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, (_, at) => (at < ones ? 1 : -1));
const all = { admits: () => true, limit: 10 };

describe('the codes of parts', () => {
  test('rank pages by their closest part, and by id where parts are equally close', () => {
    const codes = createPartCodes(DIMENSIONS);
    codes.put(3, bytes(0, 16));
    codes.put(1, bytes(12));
    codes.put(2, bytes(12));
    assert.deepEqual(codes.closest(asked(17), all), [3, 1, 2]);
    assert.deepEqual(codes.closest(asked(17), { admits: (id) => id !== 3, limit: 1 }), [1]);
  });

  test('a page that is put again has its new parts alone', () => {
    const codes = createPartCodes(DIMENSIONS);
    codes.put(1, bytes(0));
    codes.put(2, bytes(8));
    codes.put(1, bytes(32));
    assert.deepEqual(codes.closest(asked(0), all), [2, 1]);
    codes.put(2, bytes());
    assert.deepEqual(codes.closest(asked(0), all), [1]);
    assert.equal(codes.pages(), 1);
  });

  test('stay right while pages change thousands of times', () => {
    const codes = createPartCodes(DIMENSIONS);
    const last = new Map<number, number>();
    for (let change = 0; change < 6_000; change += 1) {
      const id = (change * 7) % 50;
      const ones = (change * 11) % (DIMENSIONS + 1);
      codes.put(id, bytes(ones));
      last.set(id, ones);
    }
    const expected = [...last]
      .sort(([leftId, left], [rightId, right]) => left - right || leftId - rightId)
      .map(([id]) => id);
    assert.deepEqual(codes.closest(asked(0), { admits: () => true, limit: 100 }), expected);
  });
});
