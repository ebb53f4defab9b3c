import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScoredChunk } from '../chunk/chunk-markdown.ts';
import { AMOUNT, computeAmount, selectChunks } from './select-chunks.ts';

const CHUNK_CHARS = 600;
const scored = (scores: number[]): ScoredChunk[] =>
  scores.map((score, at) => ({
    markdown: '',
    headingPath: [],
    score,
    start: at * CHUNK_CHARS,
    end: (at + 1) * CHUNK_CHARS,
  }));
const placesOf = (scores: number[]): number[] =>
  selectChunks(scored(scores)).map(({ start }) => start / CHUNK_CHARS);
const page = (best: number[], length = 100): number[] => [
  ...best,
  ...Array(length - best.length).fill(0.0001),
];

describe('selectChunks', () => {
  test('nothing of a page whose best chunk hardly scores', () => {
    assert.deepEqual(placesOf(page([AMOUNT.relevantMin / 2])), []);
    assert.deepEqual(placesOf([]), []);
  });

  test('the best chunk alone of a page that may be about something else', () => {
    const unsure = (AMOUNT.relevantMin + AMOUNT.unsure) / 2;
    assert.deepEqual(placesOf(page([0.001, unsure, unsure * 0.9, unsure * 0.8])), [1]);
    assert.ok(placesOf(page([AMOUNT.unsure * 1.1, AMOUNT.unsure, AMOUNT.unsure])).length > 1);
  });

  test('few where relevance is concentrated, more where it is spread', () => {
    const concentrated = placesOf(page([0.9, 0.1, 0.1]));
    const spread = placesOf(page(Array(50).fill(0.9)));
    assert.deepEqual(concentrated, [0, 1, 2]);
    assert.equal(spread.length, Math.round(100 * AMOUNT.share));
  });

  test('no more of a very long page than its bound', () => {
    const kept = placesOf(page(Array(500).fill(0.9), 1_000));
    assert.equal(kept.length * CHUNK_CHARS, AMOUNT.charsMax);
  });

  test('less of a page that is hardly relevant to the question', () => {
    assert.ok(placesOf(page(Array(20).fill(0.1))).length < placesOf(page(Array(20).fill(0.9))).length);
  });

  test('the best ones, in page order, none that scores nothing', () => {
    assert.deepEqual(placesOf([0, 0.7, 0, 0.9, 0, 0, 0, 0, 0, 0]), [1, 3]);
  });

  test('none that scores next to nothing beside the best, however much room is left', () => {
    assert.deepEqual(placesOf(page([0.9, (0.9 * AMOUNT.floor) / 2, 0.2])), [0, 2]);
  });

  test('what the score leaves of the budget goes to the chunks that have the words', () => {
    const chunks = scored(page([0.9, 0.001])).map((chunk, place) => ({
      ...chunk,
      words: place === 7 ? 3 : 1,
    }));
    assert.deepEqual(
      selectChunks(chunks).map(({ start }) => start / CHUNK_CHARS),
      [0, 7],
    );
  });

  test('of a page that may be about something else also the chunk that has the words', () => {
    const chunks = scored(page([0, AMOUNT.relevantMin])).map((chunk, place) => ({ ...chunk, words: place }));
    assert.deepEqual(
      selectChunks(chunks).map(({ start }) => start / CHUNK_CHARS),
      [1, 99],
    );
  });

  test('the chunks that tell how to do what is asked, however they score', () => {
    const chunks = scored(page([0.9])).map((chunk, place) => ({ ...chunk, does: place > 90 ? place : 0 }));
    assert.deepEqual(
      selectChunks(chunks).map(({ start }) => start / CHUNK_CHARS),
      [0, 98, 99],
    );
  });

  test('a short page is pruned too', () => {
    assert.equal(placesOf([0.9, 0.8, 0.8, 0.8]).length, 4 * AMOUNT.leastShare);
  });
});

test('a page of which half the amount is wanted keeps about half as much', () => {
  const scored = Array.from({ length: 60 }, (_, place) => ({
    markdown: '',
    headingPath: [],
    start: place * 600,
    end: (place + 1) * 600,
    score: 0.9 - place / 100,
  }));
  const kept = (share: number): number => selectChunks(scored, computeAmount(share, 36_000)).length;
  assert.equal(kept(1), selectChunks(scored).length);
  assert.ok(Math.abs(kept(0.5) - kept(1) / 2) <= 1, `${kept(0.5)} of ${kept(1)}`);
});
