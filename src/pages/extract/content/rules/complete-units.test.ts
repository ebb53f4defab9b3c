import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml } from '../../extract-html.ts';
import { parseTree } from '../../parse/build-tree.ts';
import { cutBlocks } from '../regions.ts';
import { completeUnits, keepDataTables } from './complete-units.ts';

/** Each block is kept when its text ends in "+"; returns the choice after evening out, as + and -. */
function evened(html: string): string {
  const { regions, blocks } = cutBlocks(parseTree(html));
  const kept = blocks.map(({ texts }) => texts.at(-1)?.text.endsWith('+') ?? false);
  completeUnits(regions, blocks, kept);
  return kept.map((each) => (each ? '+' : '-')).join('');
}

const cells = (texts: string[]): string => `<tr>${texts.map((text) => `<td>${text}</td>`).join('')}</tr>`;

function withTables(html: string): string {
  const { regions, blocks } = cutBlocks(parseTree(html));
  const kept = blocks.map(({ texts }) => texts.at(-1)?.text.endsWith('+') ?? false);
  keepDataTables(regions, kept);
  return kept.map((each) => (each ? '+' : '-')).join('');
}

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

describe('keepDataTables', () => {
  const head = '<tr><th>Ferry</th><th>Port</th></tr>';
  const names = `${head}${cells(['Otter', 'Oban'])}${cells(['Heron', 'Mull'])}`;
  const numbers = [1901, 1913, 1925].map((year) => cells(['Otter', `${year}`])).join('');

  test('keeps one that names its columns, and one with labels and numbers, beside kept text', () => {
    assert.equal(withTables(`<p>text+</p><table>${names}</table>`), '+'.repeat(7));
    assert.equal(withTables(`<h2>Years+</h2><table>${numbers}</table>`), '+'.repeat(7));
  });

  test('leaves it where nothing beside it is kept, in a margin, and below a name against it', () => {
    assert.equal(withTables(`<div><table>${names}</table></div>`), '-'.repeat(6));
    for (const box of ['<aside>', '<div class="related">', '<div class="comments">'])
      assert.equal(withTables(`<p>text+</p>${box}<p>x+</p><table>${names}</table>`), `++${'-'.repeat(6)}`);
  });

  test('leaves calendars, numbered lists and lists of links', () => {
    const days = [1, 8, 15].map((day) => cells([`${day}`, `${day + 1}`])).join('');
    const list = [1, 2, 3].map((place) => cells([`${place}.`, 'a title'])).join('');
    const links = [1, 2, 3]
      .map((year) => cells([`<a href="/x">a story</a>`, `<a href="/y">${year}</a>`]))
      .join('');
    for (const rows of [days, list, links])
      assert.equal(withTables(`<p>text+</p><table>${rows}</table>`), `+${'-'.repeat(6)}`);
  });

  test('keeps one that names its columns between kept texts, whatever stands beside it', () => {
    const box = `<div><b>Fleet</b><table>${names}</table></div>`;
    assert.equal(withTables(`<p>text+</p>${box}<p>more+</p>`), `+-${'+'.repeat(6)}+`);
    assert.equal(withTables(`<p>text+</p>${box}`), `+-${'-'.repeat(6)}`);
    const unnamed = `<div><b>Years</b><table>${numbers}</table></div>`;
    assert.equal(withTables(`<p>text+</p>${unnamed}<p>more+</p>`), `+-${'-'.repeat(6)}+`);
  });

  test('keeps a table of links that names its columns', () => {
    const links = cells(['<a href="/x">Otter</a>', '<a href="/y">Oban</a>']);
    assert.equal(withTables(`<p>text+</p><table>${head}${links.repeat(2)}</table>`), '+'.repeat(7));
  });

  const sentence = '<p>The ferries of the western isles have sailed from the same port since the war.</p>';
  const section = `${sentence.repeat(4)}<h2>Ferries</h2><div class="table-wrap"><table class="sortable">${names}${cells(['Seal', 'Iona'])}</table></div>
    <h2>Passengers</h2><table>${cells(['Year', 'Passengers'])}${numbers}</table>`;
  const menu = '<nav><ul><li><a href="/a">Home</a><li><a href="/b">Travel</a></ul></nav>';
  const frames: Record<string, string> = {
    'a bare fragment': section,
    'a plain frame': `<title>Ferries</title><body>${menu}<div id="main"><h1>Ferries</h1>${section}</div></body>`,
    'a present-day frame': `<title>Ferries | Isles</title><body><div id="app"><div class="shell"><header class="site-header">${menu}</header><div class="grid"><aside class="sidebar"><h3>Most read</h3><p><a href="/c">Storm</a></p></aside><div class="col"><div class="card"><h1>Ferries</h1><div class="rich-text">${section}</div></div></div></div><footer>© Isles</footer></div></div></body>`,
  };
  for (const [name, html] of Object.entries(frames))
    test(`all cells of a page's tables are read in ${name}`, () => {
      const { markdown } = extractHtml(html, 'https://isles.example/ferries');
      for (const row of ['| Otter | Oban |', '| Heron | Mull |', '| Seal | Iona |', '| Year | Passengers |'])
        assert.ok(markdown.includes(row), `${row} in ${markdown}`);
      for (const year of [1901, 1913, 1925]) assert.ok(markdown.includes(`| Otter | ${year} |`), markdown);
    });
});
