import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf } from '../words/hashed/hash-of.ts';
import { openWords, packWords } from './packed-words.ts';
import { type PageTexts, pageTerms } from './page-words.ts';
import { readWords } from './read-words.ts';

const PAGES: PageTexts[] = [
  {
    title: 'os.path.join — Joining paths',
    headings: ['Joining', 'See os.path', ''],
    address: 'library os path',
    body: `Joins paths as os.path.join(a, b) does. ${'Joins again, 1,000 times. '.repeat(50)}`,
    language: 'en',
  },
  {
    title: '日本語の文書',
    headings: ['漢字'],
    address: 'ja 漢字',
    body: '漢字かな交じり文。漢字漢。',
    language: 'ja',
  },
  { title: '', headings: [], address: '', body: '', language: null },
];

test('a page that is read has the same terms at the same places as one that was packed', () => {
  for (const page of PAGES) {
    const terms = pageTerms(page);
    const [read, packed] = [readWords(page), openWords(packWords(terms))];
    assert.deepEqual(read.lengths, terms.lengths);
    for (const term of terms.terms.keys())
      assert.deepEqual(read.find(hashOf(term)), packed.find(hashOf(term)), term);
    assert.equal(read.find(hashOf('turnstone')), null);
  }
});
