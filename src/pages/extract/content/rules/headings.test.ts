import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTree } from '../../parse/build-tree.ts';
import { cutBlocks } from '../regions.ts';
import { followHeadings } from './headings.ts';

function followed(html: string): string {
  const { blocks } = cutBlocks(parseTree(html));
  const kept = blocks.map(({ texts }) => texts[0]?.text.endsWith('+') ?? false);
  followHeadings(blocks, kept);
  return kept.map((each) => (each ? '+' : '-')).join('');
}

describe('followHeadings', () => {
  test('a heading above kept text is kept', () => {
    assert.equal(followed('<h2>Title</h2><p>text+</p>'), '++');
  });

  test('so is the heading above it', () => {
    assert.equal(followed('<h1>Page</h1><h2>Part</h2><p>some text+</p>'), '+++');
  });

  test('a heading above text that is left out is not', () => {
    assert.equal(followed('<h2>Related</h2><p>another page</p><h2>Part</h2><p>text+</p>'), '--++');
  });

  test('a heading that is all that was kept of a box beside the content is not', () => {
    assert.equal(
      followed('<p>text+</p><div class="share"><h3>Share this+</h3><p>some site</p></div>'),
      '+--',
    );
  });

  test('it stays with text of its box', () => {
    assert.equal(followed('<div class="share"><h3>Shares+</h3><p>rose in May+</p><p>more</p></div>'), '++-');
  });
});
