import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTree } from '../parse/build-tree.ts';
import { cutBlocks } from './regions.ts';
import { keepFigures } from './rules/fill-holes.ts';

function chosen(html: string, kept: boolean[]): boolean[] {
  const { regions, blocks } = cutBlocks(parseTree(html));
  keepFigures(regions, blocks, kept);
  return kept;
}

const FIGURE = '<figure><img src="a.png"><figcaption>What it shows</figcaption></figure>';

describe('keepFigures', () => {
  test('a caption between kept texts is kept', () => {
    assert.deepEqual(chosen(`<p>a</p>${FIGURE}<p>b</p>`, [true, false, true]), [true, true, true]);
  });

  test('a caption beside left-out text is not', () => {
    assert.deepEqual(chosen(`<p>a</p>${FIGURE}<p>b</p>`, [true, false, false]), [true, false, false]);
  });

  test('a caption at the edge of the page is not kept', () => {
    assert.deepEqual(chosen(`<p>a</p>${FIGURE}`, [true, false]), [true, false]);
  });
});
