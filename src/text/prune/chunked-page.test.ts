import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuery } from '../query/read-query.ts';
import { preparePage, scorePrepared } from './chunked-page.ts';
import { buildPageParts, buildPreparedParts } from './page-parts.ts';

const MARKDOWN = Array.from(
  { length: 30 },
  (_, place) => `## Part ${place}\n\n${`Sentence ${place} says what the part is about. `.repeat(12)}`,
).join('\n\n');
const WANTED = {
  text: { charsMax: 100 },
  highlights: { query: null, perUrl: 3, charsMax: null },
  pruned: { query: null },
};

test('a prepared page gives the same parts for each question as the page itself', () => {
  const page = { markdown: MARKDOWN, language: 'en' };
  const prepared = preparePage(page);
  for (const query of ['part 7', 'sentence 12', null])
    assert.deepEqual(buildPreparedParts(prepared, WANTED, query), buildPageParts(page, WANTED, query));
});

test('a page without a declared language is read in the one that it shows', () => {
  const prepared = preparePage({ markdown: MARKDOWN, language: null });
  assert.equal(prepared.language, 'en');
  const [first] = scorePrepared(prepared, readQuery('part 3')).sort((a, b) => b.score - a.score);
  assert.match(first?.markdown ?? '', /## Part 3\n/);
});
