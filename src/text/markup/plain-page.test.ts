import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPlainPage } from './visible-text.ts';

const cases: [name: string, markdown: string, text: string][] = [
  [
    'headings and emphasis',
    '# The **sanderling**\n\nIt *runs* ~~walks~~.',
    'The sanderling\n\nIt runs walks.',
  ],
  [
    'links and images',
    '[![Map](m.png) of it](https://a.org/x_(y)) and <https://b.org>',
    'Map of it and <https://b.org>',
  ],
  ['escaped signs', '2 \\* 3 \\> 1 and \\[no link\\]', '2 * 3 > 1 and [no link]'],
  ['code spans keep their signs', 'Run `a **b** \\*` or ``c`` *now*', 'Run a **b** \\* or c now'],
  [
    'code is unchanged',
    'Before\n\n```js\n# not a heading\nconst a = b * c * d;\n```\n\nAfter',
    'Before\n\n# not a heading\nconst a = b * c * d;\n\nAfter',
  ],
  ['a longer fence holds a shorter one', '````\n```\nx\n```\n````', '```\nx\n```'],
  [
    'tables have tabs',
    '| Bird | Size |\n| --- | ---: |\n| **Dunlin** | 18 \\| 20 |',
    'Bird\tSize\nDunlin\t18 | 20',
  ],
  ['quotes, lists and rules', '> > said\n\n- one\n  1. two\n\n---\n\nend', 'said\n\n- one\n  1. two\n\nend'],
  ['a fence that is never closed', 'a\n```\n*b*', 'a\n*b*'],
];
for (const [name, markdown, text] of cases) test(name, () => assert.equal(toPlainPage(markdown), text));

test('a page of marks alone takes no time to speak of', () => {
  for (const sign of ['`', '*', '[', '![', '> ', '|', '\\', '~', '# '])
    assert.ok(toPlainPage(sign.repeat(20_000)).length <= 40_000);
});
