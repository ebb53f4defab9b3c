import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { IndexedPage } from '../../local-index-types.ts';
import { packHead, packPage, packRanked, unpackHead, unpackPage, unpackRanked } from './packed-page.ts';

const PAGE: IndexedPage = {
  url: 'https://docs.example/a',
  title: 'Waders — かな',
  headings: ['Knots'],
  markdown: '# Knots\n\nかな',
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: 20,
  fetchedAt: 1,
};

test('a page comes back as it was packed, or as the layout before kept it', () => {
  assert.deepEqual(unpackPage({ found: true, fields: { whole: [packPage(PAGE)] } }), PAGE);
  assert.deepEqual(unpackPage({ found: true, _source: { page: PAGE } }), PAGE);
  assert.equal(unpackPage({ found: false }), null);
  assert.equal(unpackPage({ found: true }), null);
});

test('what a candidate is known by comes back', () => {
  const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
  const head = { id: digest('page'), revision: digest('words').slice(0, 16), packedBytes: 70_000 };
  assert.deepEqual(unpackHead(packHead(head)), head);
});

test('what a page is ranked by comes back, with vectors or without', () => {
  const named = { url: PAGE.url, title: PAGE.title, language: 'en', model: 'one' };
  for (const vectors of [new Uint8Array(0), Uint8Array.of(9, 8, 7)]) {
    const parts = { ...named, words: Uint8Array.of(1, 2, 3), sketch: Uint8Array.of(5, 6), vectors };
    const opened = unpackRanked(packRanked(parts).toString('base64'));
    assert.deepEqual(
      { ...opened, words: [...opened.words], vectors: opened.vectors && [...opened.vectors] },
      {
        ...named,
        words: [1, 2, 3],
        sketch: Uint32Array.of(5 * 256, 11 * 256),
        vectors: vectors.length === 0 ? null : [9, 8, 7],
      },
    );
  }
});
