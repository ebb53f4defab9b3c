import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TaskCrashed, type TaskPool } from '../platform/threads/task-pool.ts';
import type { Reranker } from '../recall/rerank/reranker.ts';
import { rankTexts } from '../text/passages/score-passages.ts';
import { createRerank } from './rerank.ts';

/** Runs the task at once, in this thread. */
const pool = {
  run: async (_: unknown, [query, texts]: [string, string[]]) => rankTexts(query, texts),
} as unknown as TaskPool;
const { signal } = new AbortController();

/** A model that judges by the number in a text, and is busy after so many calls. */
function modelOf(callsMax = Number.POSITIVE_INFINITY): Reranker & { batches: number[] } {
  const batches: number[] = [];
  return {
    batches,
    async judge(_, passages) {
      if (batches.length >= callsMax) return null;
      batches.push(passages.length);
      return passages.map((text) => Number(/\d+/.exec(text)?.[0] ?? 0) / 1_000);
    },
    compareTokens: async () => null,
    close: async () => {},
  };
}

describe('rerank', () => {
  const documents = Array.from({ length: 100 }, (_, place) => `[grey knot](https://birds.example/${place})`);

  test('without a model: by the built-in scorer', async () => {
    const rerank = createRerank({ pool, reranker: null });
    const { ranked, judged } = await rerank({ query: 'ruff lek', documents: ['a knot', 'a lek'], signal });
    assert.deepEqual([ranked.map(({ index }) => index), judged], [[1, 0], 0]);
  });

  test('a model judges the best 64, eight at a time; the others follow in their order', async () => {
    const model = modelOf();
    const { ranked, judged } = await createRerank({ pool, reranker: model })({
      query: 'grey knot',
      documents,
      signal,
    });
    assert.deepEqual(model.batches, new Array(8).fill(8));
    assert.equal(judged, 64);
    assert.equal(ranked[0]?.index, 63);
    assert.deepEqual(
      ranked.slice(64).map(({ index }) => index),
      Array.from({ length: 36 }, (_, place) => 64 + place),
    );
    const scores = ranked.map(({ score }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((one, other) => other - one),
    );
  });

  test('what a busy model has judged so far is kept; of a model that judged nothing nothing is said', async () => {
    for (const calls of [2, 0]) {
      const rerank = createRerank({ pool, reranker: modelOf(calls) });
      const { ranked, judged } = await rerank({ query: 'grey knot', documents, signal });
      assert.deepEqual([judged, ranked.length], [8 * calls, 100]);
    }
  });

  test('a caller who has hung up keeps no model busy', async () => {
    const model = modelOf();
    const rerank = createRerank({ pool, reranker: model });
    await rerank({ query: 'grey knot', documents, signal: AbortSignal.abort() });
    assert.deepEqual(model.batches, []);
  });

  test('a task that fails is overload', async () => {
    const broken = { run: async () => Promise.reject(new TaskCrashed('gone')) } as unknown as TaskPool;
    const rerank = createRerank({ pool: broken, reranker: null });
    await assert.rejects(rerank({ query: 'q', documents: ['a'], signal }), { code: 'overloaded' });
  });
});
