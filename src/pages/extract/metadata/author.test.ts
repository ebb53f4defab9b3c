import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../parse/build-tree.ts';
import { findAuthor } from './author.ts';
import { collectPageFacts } from './page-facts.ts';

const CASES: [byline: string, author: string | null][] = [
  ['By Ada Marsh', 'Ada Marsh'],
  ['Post by ada » Sat Feb 24, 2024', 'ada'],
  ['Written by Ada Marsh · Tide News', 'Ada Marsh'],
  ['Ada Marsh, Senior Tides Editor', 'Ada Marsh'],
  ['Ada Marsh Founder & Lead Reviewer', 'Ada Marsh'],
  ['Ada Marsh 4 August', 'Ada Marsh'],
  ['Ada Martin', 'Ada Martin'],
  ['June Mayer', 'June Mayer'],
  ['December 15', null],
  ['StarredSkies Posts: 116 Threads: 23', 'StarredSkies'],
];

for (const [byline, author] of CASES)
  test(`a byline "${byline}" names ${author}`, () =>
    assert.equal(findAuthor(collectPageFacts(parseTree(`<p class="byline">${byline}</p>`)), null), author));

test('the site counts as author only where no other is shown', () => {
  const declared = '<meta name="author" content="Tide News">';
  const facts = (html: string) => collectPageFacts(parseTree(`${declared}${html}`));
  assert.equal(findAuthor(facts('<p class="byline">By Ada Marsh</p>'), 'Tide News'), 'Ada Marsh');
  assert.equal(findAuthor(facts(''), 'Tide News'), 'Tide News');
  assert.equal(findAuthor(facts('<p class="byline">By Ada Marsh</p>'), 'Another'), 'Tide News');
});
