import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cpuMsOf } from '../../../../test/fixtures/cpu-time.ts';
import { readMarkdown } from './read-markdown.ts';

const URL_ = 'https://raw.githubusercontent.com/owner/wader/main/docs/README.md';
const read = (text: string, url = URL_) => readMarkdown(text, url);

describe('the title', () => {
  const cases: [name: string, text: string, title: string][] = [
    [
      'without badges',
      '# Binary Trees [![Build Status](https://travis-ci.org/a/b.svg)](https://travis-ci.org/a/b)',
      'Binary Trees',
    ],
    [
      'without badges by reference',
      '# Trees <sup>[![V][v]][p]</sup>\n\n[v]: https://versionbadg.es/a.svg\n[p]: https://npmjs.org/a',
      'Trees',
    ],
    ['underlined', 'Trees\n=====\n\nText', 'Trees'],
    [
      'in HTML',
      '<h1 align="center">\n  <img src="logo.svg" width="80"><br>\n  Trees &amp; more\n</h1>\n\n## Install',
      'Trees & more',
    ],
    ['below sections of lower levels', '## Contents\n\n# Trees', 'Trees'],
    [
      'the first of any level at the top',
      '<p align="center"><img src="a.png"></p>\n\n## Trees\n\nText',
      'Trees',
    ],
    ['never a heading within the text', 'A long text.\n\n### Factory\n\nMore', 'wader'],
    ['never a comment in code', '```sh\n# no\n```\n\n# Trees', 'Trees'],
    [
      'from YAML',
      '---\ntitle: "The trees" # ours\nauthor:\n  - Ada\n  - Ben\ndate: 2024-05-06\nlang: en-GB\n---\n# Other',
      'The trees',
    ],
    ['from TOML', "+++\ntitle = 'The trees'\ndate = 2024-05-06T10:00:00Z\n+++\n# Other", 'The trees'],
    ['without its own anchor', '# Trees {#trees}', 'Trees'],
  ];
  for (const [name, text, title] of cases) test(name, () => assert.equal(read(text).title, title));

  test('a rule at the start is no front matter', () =>
    assert.equal(read('---\n\n# Trees\n\n---\n').title, 'Trees'));

  test('what front matter says of the page', () => {
    const { author, published, language, markdown } = read(
      '---\ntitle: T\nauthors: [Ada, "Ben"]\ndate: 6 May 2024\nlang: en-GB\n---\nText',
    );
    assert.deepEqual([author, published?.day, language, markdown], ['Ada, Ben', '2024-05-06', 'en', 'Text']);
  });
});

describe('HTML within Markdown', () => {
  const cases: [name: string, text: string, markdown: string][] = [
    [
      'a table',
      '<table>\n<tr><th>A</th><th>B</th></tr>\n\n<tr><td>1</td><td>x<br>y</td></tr>\n</table>\n\nText',
      '| A | B |\n| --- | --- |\n| 1 | x y |\n\nText',
    ],
    [
      'details',
      '<details>\n<summary>More</summary>\n\n- *one*\n\n```js\na  <b>\n```\n\n</details>\n\nText',
      '**More**\n\n- *one*\n\n```js\na  <b>\n```\n\nText',
    ],
    [
      'a centred block around Markdown',
      '<div align="center">\n\n# Wader\n\n**A bird**\n\n</div>',
      '# Wader\n\n**A bird**',
    ],
    [
      'pictures',
      'See <img src="a b.png" alt="A bird" width="9"> here',
      'See ![A bird](https://raw.githubusercontent.com/owner/wader/main/docs/a%20b.png) here',
    ],
    [
      'keys, emphasis, figures',
      'Press <kbd>Ctrl</kbd>, <b>H<sub>2</sub>O</b> and x<sup>2</sup>, <i>so</i>',
      'Press `Ctrl`, **H₂O** and x², *so*',
    ],
    [
      'line breaks',
      'one<br>two<br/>\nthree\n\n| a<br>b | c |\n| --- | --- |',
      'one\\\ntwo\\\nthree\n\n| a b | c |\n| --- | --- |',
    ],
    [
      'anchors and comments',
      '<a name="x"></a>\n## Use <a id="y" href="#y">it</a><!-- no -->\n\n<!--\n\nhidden\n\n-->\nText',
      '## Use [it](#y)\n\nText',
    ],
    [
      'what is no tag',
      'a < b, `Promise<b>x</b>`, List<T> and \\<b>',
      'a < b, `Promise<b>x</b>`, List<T> and \\<b>',
    ],
  ];
  for (const [name, text, markdown] of cases) test(name, () => assert.equal(read(text).markdown, markdown));
});

describe('links', () => {
  const at = 'https://raw.githubusercontent.com/owner/wader/main/docs';
  const cases: [name: string, text: string, markdown: string][] = [
    [
      'of every form of reference',
      '[a][One], [two][], [three] and [`four`][]\n\n[one]: a.md\n[two]: <b c.md> "T"\n[three]:\n  #three\n[`four`]: /d',
      `[a](${at}/a.md), [two](${at}/b%20c.md), [three](#three) and [\`four\`](https://raw.githubusercontent.com/d)`,
    ],
    [
      'with brackets',
      '[a [b] c](x_(y).md "t") [d]( <e f> )',
      `[a [b] c](${at}/x_%28y%29.md "t") [d](${at}/e%20f)`,
    ],
    ['around pictures', '[![alt](p.png)](q.md)', `[![alt](${at}/p.png)](${at}/q.md)`],
    [
      'that are none',
      '- [ ] to do\n- [x] done [^1] a[0](1)\n\n[^1]: A note',
      `- [ ] to do\n- [x] done [^1] a[0](${at}/1)\n\n[^1]: A note`,
    ],
    [
      'badges go, with their line',
      '# W\n[![CI](https://github.com/o/r/actions/workflows/ci.yml/badge.svg)](https://github.com/o/r)\n![npm](https://img.shields.io/npm/v/w)\n\nText',
      '# W\n\nText',
    ],
  ];
  for (const [name, text, markdown] of cases) test(name, () => assert.equal(read(text).markdown, markdown));
});

test('hostile pages are read in bounded time', () => {
  const many = 40_000;
  const pages = [
    '[',
    '![',
    '[a](',
    '<b>',
    '<a href="x">',
    '`',
    '``` `',
    '\\',
    '<!--',
    '> ',
    '- ',
    '<table>\n\n',
    '[a]:\n',
    '\u0000',
    '[![a](b)](',
    '<details>\n\n',
    '(',
    '"',
  ];
  for (const piece of pages) {
    const ms = cpuMsOf(() => void read(piece.repeat(many)));
    assert.ok(ms < 2_000, `${JSON.stringify(piece)}: ${ms} ms`);
  }
});
