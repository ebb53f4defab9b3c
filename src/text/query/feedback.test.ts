import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { computeFeedbackTerms } from './feedback.ts';

const page = (text: string, score = 1) => ({ title: '', text, language: 'en', score });
const even = (): number => 1;

describe('computeFeedbackTerms', () => {
  test('terms that several pages share weigh more than those of one page', () => {
    const [first] = computeFeedbackTerms(
      [page('otter river'), page('otter meadow'), page('otter stone')],
      even,
    );
    assert.equal(first?.text, 'otter');
  });

  test('the better page counts more', () => {
    const [first] = computeFeedbackTerms([page('river', 0.9), page('meadow', 0.2)], even);
    assert.equal(first?.text, 'river');
  });

  test('stop words, single letters and terms without an idf are left out', () => {
    const terms = computeFeedbackTerms([page('the x river and meadow')], (term) =>
      term === 'river' ? 1 : 0,
    );
    assert.deepEqual(terms, [{ text: 'river', weight: 1 }]);
  });

  test('weights sum to 1 and descend', () => {
    const word = fc.constantFrom('otter', 'river', 'stone', 'meadow', 'heron', 'reed', 'mill');
    const texts = fc.array(fc.array(word, { minLength: 1 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(texts, (pages) => {
        const terms = computeFeedbackTerms(
          pages.map((words) => page(words.join(' '))),
          even,
        );
        const weights = terms.map(({ weight }) => weight);
        assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-9);
        assert.deepEqual(
          weights,
          [...weights].sort((left, right) => right - left),
        );
      }),
    );
  });

  test('no pages, no terms', () => assert.deepEqual(computeFeedbackTerms([], even), []));
});
