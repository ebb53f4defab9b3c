import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { chunkMarkdown } from '../chunk/chunk-markdown.ts';
import { cutMarkdown } from '../prune/prune-markdown.ts';
import { restyleMarkdown } from '../restyle/restyle-markdown.ts';
import { findCodeSpans } from './code-spans.ts';
import { parseMarkdownBlocks } from './markdown-blocks.ts';
import { classifyLines } from './scan-lines.ts';
import { toPlainPage, toVisibleText } from './visible-text.ts';

/** Each line of a text with its kind: t(ext), b(lank), f(ence), c(ode), i(ndented code), h(tml). */
const kindsOf = (markdown: string, readsHtml = false): string =>
  classifyLines(markdown.split('\n'), { readsHtml })
    .map(([initial]) => initial)
    .join('');

describe('the lines of a text', () => {
  const cases: [name: string, markdown: string, kinds: string][] = [
    ['a shorter fence inside a longer one is code', '````\n```\nx\n```\n````\ny', 'fcccft'],
    ['an indented fence inside a fence is code', '```text\n    ```\n    x\n    ```\ny\n```\nz', 'fccccft'],
    ['another mark does not close', '~~~\n```\n~~~\nx', 'fcft'],
    ['a fence with a language does not close', '```\n```js\n```\nx', 'fcft'],
    ['a quoted fence inside a fence is code', '```\n> ```\nx\n```\ny', 'fccft'],
    ['a fence ends with its quote', '> ```\n> x\ny', 'fct'],
    ['a fence in a list item is closed at its own column', '- a\n\n  ```\n  x\n  ```\n- b', 'tbfcft'],
    ['a fence on the line of a marker', '- ```js\n  x\n  ```\nb', 'fcft'],
    ['code in a list may be indented less than its fence', '1. a\n   ```\nx\n   ```\nb', 'tfcft'],
    ['four spaces make code', 'a\n\n    x\n\n    ```\nb', 'tbibit'],
    ['but not below a paragraph or in an item', 'a\n    b\n\n- c\n\n    d', 'ttbtbt'],
    ['backticks in its language make a code span', '```a`b``` c', 't'],
    ['a fence in our text may lie deep in a list', '- a\n  - b\n\n    ```\n    x\n    ```', 'ttbfcf'],
  ];
  for (const [name, markdown, kinds] of cases) test(name, () => assert.equal(kindsOf(markdown), kinds));

  test('blocks of HTML are read where the text may hold them', () => {
    assert.equal(kindsOf('<div>\n*a*\n\nb', true), 'hhbt');
    assert.equal(kindsOf('<div>\n*a*\n\nb'), 'ttbt');
    assert.equal(kindsOf('<!-- a\n\nb -->\nc', true), 'hhht');
  });
});

/** Where this reader leaves CommonMark, and why. */
const OTHERWISE = new Map([
  ['-\t\tfoo\n', 'a tab behind a marker is its gap'],
  [
    '1.     indented code\n\n   paragraph\n\n       more code\n',
    'code on the line of a marker reads as its text',
  ],
  ['1.      indented code\n\n   paragraph\n\n       more code\n', 'the same'],
  ['-\n  foo\n-\n  ```\n  bar\n  ```\n-\n      baz\n', 'the same below an empty marker'],
  [
    '<![CDATA[\nfunction matchwo(a,b)\n{\n  if (a < b && a < 0) then {\n    return 1;\n\n  } else {\n\n    return 0;\n  }\n}\n]]>\nokay\n',
    'no page has CDATA',
  ],
  [
    '<table>\n\n  <tr>\n\n    <td>\n      Hi\n    </td>\n\n  </tr>\n\n</table>\n',
    'a table goes on over blank lines',
  ],
  ['    > # Foo\n    > bar\n    > baz\n', 'a deeply indented quote is a quote'],
  ['> foo\n    - bar\n', 'a quote ends with its marks'],
  [
    '    1.  A paragraph\n        with two lines.\n\n            indented code\n\n        > A block quote.\n',
    'as above',
  ],
  ['<a href="`">`\n', 'a tag does not hide a backtick'],
  ['<https://foo.bar.`baz>`\n', 'nor does an address'],
]);
const EXAMPLES = join(process.env.EVAL_DATA ?? '../shared/data', 'html_to_markdown/commonmark_spec.jsonl');
const skip = existsSync(EXAMPLES) ? false : `${EXAMPLES} is not there; set EVAL_DATA`;

test("CommonMark's examples have the same lines of code and the same code spans", { skip }, () => {
  const decode = (html: string): string =>
    html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  const trim = (lines: string[]): string[] =>
    lines.map((line) => line.replace(/^[ >\t]*/, '').trim()).filter((line) => line !== '');
  for (const row of readFileSync(EXAMPLES, 'utf8').trim().split('\n')) {
    const { markdown, html, section }: { markdown: string; html: string; section: string } = JSON.parse(row);
    if (OTHERWISE.has(markdown)) continue;
    const lines = markdown.split('\n');
    const kinds = classifyLines(lines, { readsHtml: true });
    const code = lines.filter((_, at) => kinds[at] === 'code' || kinds[at] === 'indented');
    const blocks = [...html.matchAll(/<pre><code[^>]*>([\s\S]*?)<\/code><\/pre>/g)];
    assert.deepEqual(trim(code), trim(blocks.flatMap(([, text = '']) => decode(text).split('\n'))), markdown);
    if (section !== 'Code spans') continue;
    const spans = findCodeSpans(markdown).map(({ start, end, ticks }) =>
      markdown
        .slice(start + ticks, end - ticks)
        .trim()
        .replaceAll('\n', ' '),
    );
    const wanted = [...html.matchAll(/<code>([\s\S]*?)<\/code>/g)].map(([, text = '']) =>
      decode(text).trim(),
    );
    assert.deepEqual(spans, wanted, markdown);
  }
});

/** A raw page about fences: an indented fence lies in a fence, and code holds signs of emphasis. */
const RAW = `# Fences

Use \`*b*\` and \`\` a \` b \`\` here.

\`\`\`text
    \`\`\`
    *b* and [a](b)
    \`\`\`
# not a heading
\`\`\`

After *it*.`;

describe('a raw page with a fence inside a fence', () => {
  test('is one block of code', () => {
    const blocks = parseMarkdownBlocks(RAW);
    assert.deepEqual(
      blocks.map(({ kind }) => kind),
      ['heading', 'text', 'code', 'text'],
    );
    assert.deepEqual(
      blocks.at(-1)?.headings.map(({ text }) => text),
      ['Fences'],
    );
  });

  test('is cut right', () => {
    const cut = cutMarkdown(RAW, RAW.indexOf('# not a heading') + 8);
    assert.match(cut, / {4}```\n#\n```$/);
    const chunks = chunkMarkdown(RAW, { charsMin: 10, charsMax: 60 });
    for (const { markdown } of chunks) {
      const kinds = classifyLines(markdown.split('\n'));
      assert.equal(kinds.filter((kind) => kind === 'fence').length % 2, 0, markdown);
    }
  });

  test('keeps its code through every rewriting', () => {
    const style = { em: '_', bullet: '*', links: 'discarded', heading: 'setext' } as const;
    const styled = restyleMarkdown(RAW, style);
    assert.ok(styled.includes('    *b* and [a](b)\n    ```\n# not a heading\n```'), styled);
    assert.ok(styled.includes('Use `*b*` and `` a ` b `` here.'), styled);
    assert.match(styled, /After _it_\.$/);
    for (const text of [toPlainPage(RAW), toVisibleText(RAW)]) {
      assert.ok(text.includes('Use *b* and a ` b here.'), text);
      assert.ok(text.includes('    ```\n    *b* and [a](b)\n    ```\n# not a heading'), text);
      assert.match(text, /After it\.$/);
    }
  });
});

test('a page of marks alone takes no time to speak of', () => {
  for (const sign of ['`', '```\n', '~~~a\n', '- ', '> ', '<div>\n', '    x\n', '- a\n  '])
    assert.equal(classifyLines(sign.repeat(20_000).split('\n'), { readsHtml: true }).length > 0, true);
});
