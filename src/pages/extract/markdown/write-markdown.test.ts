import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { marked } from 'marked';
import { parseTree } from '../parse/build-tree.ts';
import { isElement, type TreeElement } from '../table-shape.ts';
import { findBelow } from './tags.ts';
import { writeMarkdown } from './write-markdown.ts';

const resolve = (href: string): string | null => URL.parse(href, 'https://example.org/')?.href ?? null;
const markdownOf = (html: string): string => writeMarkdown(parseTree(html), resolve).markdown;

describe('text stays text', () => {
  const words = fc.array(
    fc.oneof(
      fc.constantFrom(
        '*',
        '**',
        '_',
        '__',
        '`',
        '``',
        '~',
        '~~',
        '[',
        ']',
        '](',
        '!',
        '![',
        '#',
        '-',
        '+',
        '>',
        '1.',
        '2)',
        '|',
        '\\',
        '&amp;',
        '&',
        '<',
        '=',
        '---',
        '$',
      ),
      fc.constantFrom('word', 'a', 'x1', 'ü', '.', ',', '"'),
      fc.constant(' '),
    ),
    { maxLength: 14 },
  );
  const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const plain = (html: string): string => textOf(parseTree(html).root).replace(/\s+/g, ' ').trim();

  test('whatever characters it contains, when another parser reads the Markdown', () => {
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join('').replace(/\s+/g, ' ').trim();
        // A paragraph of nothing but separators is left out on purpose.
        fc.pre(!/^[/|·•»«›‹>,;–—]{1,3}$/.test(text));
        const back = marked.parse(markdownOf(`<p>${escaped(text)}</p>`), { async: false });
        assert.equal(plain(back), text);
      }),
      { numRuns: 2_000 },
    );
  });

  test('inside emphasis and list items too', () => {
    fc.assert(
      fc.property(words, words, (one, other) => {
        const [a, b] = [one.join('').trim(), other.join('').trim()];
        fc.pre(/\w/.test(a) && /\w/.test(b));
        const back = marked.parse(markdownOf(`<ul><li>${escaped(a)} <b>${escaped(b)}</b></li></ul>`), {
          async: false,
        });
        assert.equal(plain(back), `${a} ${b}`.replace(/\s+/g, ' '));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('one construct at a time', () => {
  const cases: [what: string, html: string, expected: string][] = [
    ['a dropped last item leaves the next paragraph apart', '<ul><li>a</li><li> </li></ul><p>b', '- a\n\nb'],
    ['the first rule is dropped', '<hr><p>a</p><hr><p>b', 'a\n\n***\n\nb'],
    ['a second h1 with the same text is dropped', '<h1>T</h1><p>a</p><h1>T</h1><p>b', '# T\n\na\n\nb'],
    ['code keeps spaces and gets a longer fence', '<pre>a  b\n```</pre>', '````\na  b\n```\n````'],
    [
      'a box behind code does not make its item a task',
      '<ul><li><pre>npm test</pre><input type=checkbox checked> done</ul>',
      '- ```\n  npm test\n  ```\n\n  done',
    ],
    ['touching code spans are one', '<code>a</code><code>b</code>', '`ab`'],
    [
      'a link cannot be within a link',
      '<a href="/a">x <i><a href="/b">y</a></i></a>',
      '[x](https://example.org/a) *[y](https://example.org/b)*',
    ],
    [
      'parentheses of an address that do not pair are encoded',
      '<a href="/a)b">x</a> <a href="/a_(b)">y</a>',
      '[x](https://example.org/a%29b) [y](https://example.org/a_(b))',
    ],
    [
      'a column that only shows a color is dropped, and so is the part of a header above it',
      '<table><tr><th colspan=2>Party<th>Seats<th>Notes</tr><tr><td bgcolor=red>&nbsp;<td>Labour<td>3<td></tr><tr><td bgcolor=blue><td>Liberal<td>2<td></tr></table>',
      '| Party | Seats | Notes |\n| --- | --- | --- |\n| Labour | 3 | |\n| Liberal | 2 | |',
    ],
    [
      'one wide cell above the header is the title of a table',
      '<table><tr><td colspan=2>Districts</tr><tr><th>Name<th>Area</tr><tr><td>Aimin<td>359</tr></table>',
      'Districts\n\n| Name | Area |\n| --- | --- |\n| Aimin | 359 |',
    ],
    ['a raised text that is hidden leaves no tag', '<p>in 1903<sup><span hidden>11</span></sup>', 'in 1903'],
    ['scripts and styles are no text', '<p>a<script>b</script><style>c</style>', 'a'],
    ['hidden text is left out', '<p>a <span hidden>b</span><span style="display: none">c</span>', 'a'],
    ['noncharacters cannot forge marks', '<p>a\uFDD1b\uFDD2 <code>\uFDD0c</code>', 'ab `c`'],
  ];
  for (const [what, html, expected] of cases) test(what, () => assert.equal(markdownOf(html), expected));
});

test('only kept nodes are written', () => {
  const tree = parseTree('<p>a</p><p>b</p>');
  const second = findBelow(
    tree.root,
    ({ tag, children: [text] }) => tag === 'p' && text !== undefined && 'text' in text && text.text === 'b',
  );
  assert.ok(second !== null);
  second.kept = false;
  assert.equal(writeMarkdown(tree, resolve).markdown, 'a');
});

test('white space is written although it is not text that could be chosen', () => {
  const tree = parseTree('<p>a<span> </span>b</p><pre>x<span> </span>y</pre><p>c</p>');
  const waiting = [...tree.root.children];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isElement(node)) continue;
    if (node.tag === 'span') node.kept = false;
    waiting.push(...node.children);
  }
  assert.equal(writeMarkdown(tree, resolve).markdown, 'a b\n\n```\nx y\n```\n\nc');
});

test('a hostile page takes time in proportion to its size', { timeout: 20_000 }, () => {
  const many = 20_000;
  const pages = [
    `<p>${'*'.repeat(500_000)}`,
    `<p>${'<a href=/x>y</a> '.repeat(many)}`,
    `<p>${'<b>a!!!</b>x'.repeat(many)}`,
    `<pre>${'<span class=line>x</span>'.repeat(many)}`,
    `<div>${'<pre>x</pre>'.repeat(many)}`,
    `<p>${'\\( '.repeat(100_000)}`,
    `<code>${'` '.repeat(200_000)}`,
    `<table>${'<tr><td rowspan=65534 colspan=1000>x'.repeat(1_000)}`,
    '<blockquote>'.repeat(10_000),
  ];
  for (const html of pages) markdownOf(html);
});

function textOf(element: TreeElement): string {
  return element.children.map((child) => (isElement(child) ? textOf(child) : child.text)).join('');
}

describe('code in a quote', () => {
  test('alone is only indented, as old pages do; beside text it is quoted', () => {
    assert.equal(
      markdownOf('<p>Trim it:</p><blockquote>\n<pre>trim --all\nlight</pre></blockquote>'),
      'Trim it:\n\n```\ntrim --all\nlight\n```',
    );
    assert.equal(
      markdownOf('<blockquote><p>Trim it:</p><pre>trim</pre></blockquote>'),
      '> Trim it:\n>\n> ```\n> trim\n> ```',
    );
    assert.equal(markdownOf('<blockquote><pre><code>trim</code></pre></blockquote>'), '> ```\n> trim\n> ```');
  });
});
