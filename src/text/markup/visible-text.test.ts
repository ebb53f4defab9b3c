import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cpuMsOf } from '../../../test/fixtures/cpu-time.ts';
import { buildSnippet } from '../scoring/snippet.ts';
import { tokenizeWords } from '../words/words.ts';
import { toVisibleText } from './visible-text.ts';

describe('plainText', () => {
  const table: [markdown: string, text: string][] = [
    ['see [the **docs**](https://example.com/a_(b) "title")!', 'see the docs!'],
    ['[![logo](a.png)](https://example.com/)', 'logo'],
    ['| a | b |\n| --- | :-: |\n| 1 | 2 |', '| a | b |\n\n| 1 | 2 |'],
    ['```js\nlet x = 1;\n```', '\nlet x = 1;\n'],
    ['a\\_b \\[x\\]', 'a_b [x]'],
  ];
  for (const [markdown, text] of table) {
    test(JSON.stringify(markdown), () => assert.equal(toVisibleText(markdown), text));
  }
});

test('hostile text takes time in proportion to its length', () => {
  const runs = [
    '|',
    '-',
    '- ',
    '| ',
    ' ',
    '[',
    '](',
    '\\',
    '`',
    '>',
    '\u0301',
    'a\u0301',
    '漢',
    '_',
    "'",
    'aB',
    '[a](',
    ': -',
    '1,000',
  ];
  for (const run of runs) {
    const text = `${run.repeat(60_000)}x`;
    const ms = cpuMsOf(() => {
      toVisibleText(text);
      tokenizeWords(text, 'en');
      buildSnippet(text, [{ forms: ['xyz'], weight: 1 }]);
    });
    assert.ok(ms < 5_000, `${JSON.stringify(run)} took ${ms} ms`);
  }
});
