import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnswerPage, QuoteCandidate } from './candidates.ts';
import { chooseQuote, TRUST_FEATURES } from './choose-quote.ts';
import { findQuotables } from './quotable.ts';

const page: AnswerPage = {
  url: 'https://birds.example/',
  title: 'Birds',
  markdown: 'The tern dives. The curlew probes. The snipe drums.',
  language: 'en',
};
const quotables = findQuotables(page.markdown);

/** The sentences `from` to `to` of the page, with one figure for each weight. */
function candidate(from: number, to: number, figure: number): QuoteCandidate {
  const [first, last] = [quotables[from], quotables[to]];
  assert.ok(first !== undefined && last !== undefined);
  return { page, quotables, window: { best: first, first, last }, features: [1, figure] };
}

const WEIGHTS = [0, 1];

function shareOf(candidates: QuoteCandidate[]): number {
  const chosen = chooseQuote(candidates, WEIGHTS);
  return chosen?.figures[TRUST_FEATURES.indexOf('share')] ?? Number.NaN;
}

describe('chooseQuote', () => {
  it('chooses the heaviest, and nothing of nothing', () => {
    const best = candidate(1, 1, 2);
    assert.equal(chooseQuote([candidate(0, 0, 1), best], WEIGHTS)?.candidate, best);
    assert.equal(chooseQuote([], WEIGHTS), null);
  });

  it('knows how much of the odds its place has', () => {
    assert.equal(shareOf([candidate(0, 0, 1)]), 1);
    assert.equal(shareOf([candidate(0, 0, 1), candidate(2, 2, 1)]), 0.5);
    assert.ok(Math.abs(shareOf([candidate(0, 0, 1), candidate(1, 1, 1), candidate(2, 2, 1)]) - 1 / 3) < 1e-9);
  });

  it('counts passages that overlap it as its own', () => {
    assert.equal(shareOf([candidate(0, 1, 1), candidate(1, 1, 1)]), 1);
    assert.ok(shareOf([candidate(0, 1, 1), candidate(1, 1, 1), candidate(2, 2, 1)]) > 0.6);
  });

  it('has a figure for each feature of trust that is not of the passage itself', () => {
    const figures = chooseQuote([candidate(0, 0, 1)], WEIGHTS)?.figures ?? [];
    assert.equal(figures.length, TRUST_FEATURES.indexOf('shareLogit') + 2);
    assert.ok(figures.every(Number.isFinite));
  });
});
