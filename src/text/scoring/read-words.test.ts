import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashTerm } from '../words/hashed/hash-terms.ts';
import { parseTerms } from '../words/words.ts';
import { openWords, packWords } from './packed-words.ts';
import { readPageTerms } from './page-terms.ts';
import { readWords } from './read-words.ts';
import { HEADING_STRIDE, type PageTexts } from './score-page.ts';

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

/** The terms of a page and where they stand, read one field after the other. */
function naively({ title, headings, address, body, language }: PageTexts) {
  const found = new Map<string, Record<string, number[]>>();
  const add = (field: string, text: string, placed = (place: number) => place): void => {
    for (const term of parseTerms(text, language))
      for (const said of /^\p{Script=Han}{2}$/u.test(term.text) ? [term.text, ...term.text] : [term.text]) {
        const places = found.get(said) ?? {};
        places[field] = [...(places[field] ?? []), placed(term.place)];
        found.set(said, places);
      }
  };
  add('title', title);
  add('address', address);
  for (const [number, heading] of headings.entries())
    add('headings', heading, (place) => number * HEADING_STRIDE + place);
  add('body', body);
  return found;
}

test('a page has its terms at their places, read at once or packed', () => {
  for (const page of PAGES) {
    const terms = readPageTerms(page);
    const [read, packed] = [readWords(page), openWords(packWords(terms))];
    assert.deepEqual(read.lengths, terms.lengths);
    assert.deepEqual(packed.lengths, terms.lengths);
    const expected = naively(page);
    assert.deepEqual(
      [...terms.hashes],
      [...expected.keys()].map(hashTerm).sort((left, right) => left - right),
    );
    assert.deepEqual(
      [...terms.body],
      parseTerms(page.body, page.language).map(({ text }) => hashTerm(text)),
    );
    for (const [term, places] of expected) {
      assert.deepEqual(read.find(hashTerm(term)), packed.find(hashTerm(term)), term);
      for (const [field, { count, places: found }] of Object.entries(packed.find(hashTerm(term)) ?? {})) {
        assert.equal(count, places[field]?.length ?? 0, `${term} in ${field}`);
        assert.deepEqual(found, (places[field] ?? []).slice(0, 32), `${term} in ${field}`);
      }
    }
    assert.equal(read.find(hashTerm('turnstone')), null);
    assert.equal(packed.find(hashTerm('turnstone')), null);
  }
});
