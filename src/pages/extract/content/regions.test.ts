import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTree } from '../parse/build-tree.ts';
import { BLOCKS_MAX, cutBlocks } from './regions.ts';

function blocksOf(html: string): string[] {
  return cutBlocks(parseTree(html)).blocks.map(({ texts }) => texts.map(({ text }) => text).join('|'));
}

describe('cutBlocks', () => {
  test('inline elements stay in the block around them', () => {
    assert.deepEqual(blocksOf('<p>one <b>two <i>three</i></b> four</p>'), ['one |two |three| four']);
  });

  test('a block element ends the text before it, and the text after it is a block of its own', () => {
    assert.deepEqual(blocksOf('<div>before<p>inside</p>after</div>'), ['before', 'inside', 'after']);
  });

  test('one line break stays within a block, two end it', () => {
    assert.deepEqual(blocksOf('<div>a<br>b</div>'), ['a|b']);
    assert.deepEqual(blocksOf('<div>a<br> <br>b</div>'), ['a', 'b']);
  });

  test('white space alone makes no block', () => {
    assert.deepEqual(blocksOf('<div> \n <p> </p>\t</div>'), []);
  });

  test('words and words in links are counted, and summed up the tree', () => {
    const { regions, blocks } = cutBlocks(
      parseTree('<div><p>one two <a href="/x">three</a></p><p>four</p></div>'),
    );
    assert.equal(blocks[0]?.tally.words, 3);
    assert.equal(blocks[0]?.tally.linkWords, 1);
    const [root] = regions;
    assert.equal(root?.sum.words, 4);
    assert.equal(root?.sum.linkWords, 1);
    assert.equal(root?.to, 2);
  });

  test('two ideographs count as a word', () => {
    const { blocks } = cutBlocks(parseTree('<p>検索検索、検索。</p>'));
    assert.equal(blocks[0]?.tally.words, 3);
    assert.equal(blocks[0]?.tally.stops, 1);
  });

  test('a page of more blocks than the bound loses no text', () => {
    const { blocks } = cutBlocks(parseTree('<p>x</p>'.repeat(BLOCKS_MAX + 500)));
    assert.equal(blocks.length, BLOCKS_MAX);
    assert.equal(blocks.at(-1)?.texts.length, 501);
  });
});
