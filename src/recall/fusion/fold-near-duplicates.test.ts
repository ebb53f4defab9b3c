import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FusedPage } from './fuse.ts';
import { foldNearDuplicates } from './fuse.ts';

const page = (url: string, source: string, parts: Pick<FusedPage, 'title' | 'snippet'>): FusedPage => ({
  url,
  sources: [source],
  publishedDay: null,
  fused: 0.5,
  localScore: null,
  isWeak: false,
  ...parts,
});

test('one text at two addresses is one result; two pages with one snippet of few words are two', () => {
  const snippet =
    'The red knot breeds in the far north and winters along coasts of the south, where it eats shellfish of mud flats.';
  const pages = foldNearDuplicates([
    page('https://a.org/knot', 'b', { title: 'The red knot', snippet }),
    page('https://mirror.org/k', 'a', { title: 'The red knot', snippet: `${snippet} More.` }),
    page('https://c.org/1', 'c', { title: 'Knot', snippet: 'Read more' }),
    page('https://c.org/2', 'c', { title: 'Knot', snippet: 'Read more' }),
  ]);
  assert.deepEqual(
    pages.map(({ url, sources }) => [url, sources.join()]),
    [
      ['https://a.org/knot', 'a,b'],
      ['https://c.org/1', 'c'],
      ['https://c.org/2', 'c'],
    ],
  );
});
