import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScoredChunk } from '../chunk/chunk.ts';
import { AMOUNT, keptChunks } from './kept-chunks.ts';

const scored = (scores: number[]): ScoredChunk[] =>
  scores.map((score, at) => ({ markdown: '', headingPath: [], start: at, end: at + 1, score }));
const placesOf = (scores: number[]): number[] => keptChunks(scored(scores)).map(({ start }) => start);
const page = (best: number[], length = 100): number[] => [
  ...best,
  ...Array(length - best.length).fill(0.0001),
];

describe('keptChunks', () => {
  test('nothing of a page whose best chunk hardly scores', () => {
    assert.deepEqual(placesOf(page([AMOUNT.relevantMin / 2])), []);
    assert.deepEqual(placesOf([]), []);
  });

  test('few where relevance is concentrated, more where it is spread', () => {
    const concentrated = placesOf(page([0.9, 0.1, 0.1]));
    const spread = placesOf(page(Array(50).fill(0.9)));
    assert.ok(concentrated.length <= AMOUNT.sureMin);
    assert.equal(spread.length, Math.floor(100 * AMOUNT.shareMax));
  });

  test('less of a page that is hardly relevant to the question', () => {
    assert.ok(placesOf(page([0.1, 0.09, 0.09, 0.09])).length < placesOf(page([0.9, 0.8, 0.8, 0.8])).length);
  });

  test('the best ones, in page order, none that scores nothing', () => {
    assert.deepEqual(placesOf([0, 0.7, 0, 0.9, 0, 0, 0, 0, 0, 0]), [1, 3]);
  });

  test('a short page is pruned too', () => {
    assert.equal(placesOf([0.9, 0.8, 0.8, 0.8, 0.8]).length, Math.ceil(5 * AMOUNT.leastShare));
  });
});
