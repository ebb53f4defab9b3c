import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { IndexedPage } from '../../local-index-types.ts';
import { createPreparation } from './changes.ts';
import { buildPageId } from './page-document.ts';

const page = (number: number): IndexedPage => ({
  url: `https://example.org/${number}`,
  title: `Page ${number}`,
  headings: [],
  markdown: `Turnstones turn stones ${number}.`,
  publishedDay: null,
  language: 'en',
  site: null,
  author: null,
  rawChars: 40,
  fetchedAt: 0,
});
const pages = (count: number, from = 0) => Array.from({ length: count }, (_, place) => page(from + place));

describe('pages become documents', () => {
  test('all of them, in their order', async () => {
    const made = await createPreparation()(pages(100), 5);
    assert.deepEqual(
      made.map(({ document, at }) => [document.id, at]),
      pages(100).map(({ url }) => [buildPageId(url), 5]),
    );
  });

  test('one put after another, and other work has its turn meanwhile', async () => {
    const prepare = createPreparation();
    const seen: string[] = [];
    const puts = ['first', 'second'].map((name, place) =>
      prepare(pages(100, place * 100), 0).then(() => seen.push(name)),
    );
    await turn();
    assert.deepEqual(seen, [], 'the turn came before the first was ready');
    await puts[0];
    assert.deepEqual(seen, ['first']);
    await puts[1];
  });

  test('also after one that cannot be', async () => {
    const prepare = createPreparation();
    const broken = prepare([{ ...page(1), url: 'nowhere' }], 0);
    const next = prepare(pages(1), 0);
    await assert.rejects(broken, TypeError);
    assert.equal((await next).length, 1);
  });
});
