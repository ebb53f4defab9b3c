import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTree } from '../../parse/build-tree.ts';
import { cutBlocks } from '../regions.ts';
import { completeUnits } from './complete-units.ts';

/** Each block is kept when its text ends in "+"; returns the choice after evening out, as + and -. */
function evened(html: string): string {
  const { regions, blocks } = cutBlocks(parseTree(html));
  const kept = blocks.map(({ texts }) => texts.at(-1)?.text.endsWith('+') ?? false);
  completeUnits(regions, blocks, kept);
  return kept.map((each) => (each ? '+' : '-')).join('');
}

const cells = (texts: string[]): string => `<tr>${texts.map((text) => `<td>${text}</td>`).join('')}</tr>`;

describe('completeUnits', () => {
  test('a table that is mostly kept is kept whole', () => {
    assert.equal(
      evened(`<table>${cells(['long name+', '1'])}${cells(['another name+', '2'])}</table>`),
      '++++',
    );
  });

  test('a table that is mostly dropped is dropped whole', () => {
    assert.equal(
      evened(`<table>${cells(['a long name', 'x+'])}${cells(['another name', 'y'])}</table>`),
      '----',
    );
  });

  test('a table of data that holds most of what is kept is kept whole', () => {
    const head = '<tr><th>Rank</th><th>Book</th></tr>';
    const rows = [1, 2, 3].map((rank) => cells([`${rank}+`, 'a book and more words', 'score and votes+']));
    assert.equal(evened(`<table>${head}${rows.join('')}</table>`), '+'.repeat(11));
    assert.equal(
      evened(`<p>${'word '.repeat(40)}+</p><table>${head}${rows.join('')}</table>`),
      `+${'-'.repeat(11)}`,
    );
  });

  test('a table that lays out the page is judged cell by cell', () => {
    const article = `${'word '.repeat(200)}+`;
    assert.equal(evened(`<table>${cells(['menu', article, 'aside'])}</table>`), '-+-');
  });

  test('a list gets its missing item', () => {
    assert.equal(evened('<ul><li>one two+<li>three four+<li>x<li>five six+<li>seven eight+</ul>'), '+++++');
  });

  test('a lone item of a long list is dropped', () => {
    assert.equal(evened(`<ul>${'<li>a b c</li>'.repeat(14)}<li>d+</li></ul>`), '-'.repeat(15));
  });

  test('a half-kept list stays unchanged', () => {
    assert.equal(evened('<ul><li>one+<li>two<li>three+<li>four</ul>'), '+-+-');
  });
});
