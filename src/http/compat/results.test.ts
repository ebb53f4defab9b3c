import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildBudgetedPassageRequest, selectPassagesWithin } from './results.ts';

const result = (...highlights: string[]) => ({
  url: 'https://example.org/',
  title: 'T',
  score: 1,
  publishedDay: null,
  highlights,
});

test('passages end where the budget ends, for this page and all that follow', () => {
  const results = [result('a'.repeat(8), 'b'.repeat(8)), result('c'.repeat(4), 'd'.repeat(4)), result('e')];
  const kept = (tokens: number): string =>
    selectPassagesWithin(results, tokens)
      .map((passages) => passages.map((passage) => passage[0]).join(''))
      .join('|');
  assert.equal(kept(6), 'ab|cd|');
  assert.equal(kept(5), 'ab|c|');
  assert.equal(kept(2), 'a||');
  assert.equal(kept(1), '||');
  assert.equal(kept(1_000), 'ab|cd|e');
});

test('tokens of a page become its passages', () => {
  const asked = (tokensPerPage: number, perPage?: number) =>
    buildBudgetedPassageRequest({ tokensPerPage, ...(perPage === undefined ? {} : { perPage }) }).contents
      ?.highlights;
  assert.deepEqual(asked(1), { query: null, perUrl: 1, charsMax: 4 });
  assert.deepEqual(asked(525), { query: null, perUrl: 3, charsMax: 2_100 });
  assert.deepEqual(asked(525, 2), { query: null, perUrl: 2, charsMax: 2_100 });
  assert.equal(asked(1_000_000)?.perUrl, 20);
});
