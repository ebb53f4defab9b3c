import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mixScores } from './mix-scores.ts';

test('the model can swap two results', () => {
  const results = [
    { id: 'a', score: 0.6 },
    { id: 'b', score: 0.5 },
    { id: 'c', score: 0.4 },
  ];
  assert.deepEqual(
    mixScores(results, [0, 1]).map(({ id }) => id),
    ['b', 'a', 'c'],
  );
});

test('scores descend within 0 and 1, nothing is lost, and without a judgement nothing changes', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(share, { maxLength: 12 }), fc.array(share, { maxLength: 8 }), (scores, judged) => {
      const results = scores.toSorted((left, right) => right - left).map((score, id) => ({ id, score }));
      const mixed = mixScores(results, judged.slice(0, results.length));
      const after = mixed.map(({ score }) => score);
      assert.deepEqual(
        after,
        after.toSorted((left, right) => right - left),
      );
      assert.ok(after.every((score) => score >= 0 && score <= 1));
      assert.deepEqual(
        mixed.map(({ id }) => id).sort((left, right) => left - right),
        results.map(({ id }) => id),
      );
      assert.deepEqual(mixScores(results, []), results);
    }),
  );
});
