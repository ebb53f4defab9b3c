import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chunkMarkdown } from '../chunk/chunk-markdown.ts';
import { pruneMarkdown } from './prune-markdown.ts';

const sentence = 'A wader runs along the edge of each wave and picks what the water leaves behind. ';
const prose = sentence.repeat(6).trim();

/** The page pruned to the chunks that hold one of the words. */
function prunedTo(markdown: string, ...words: string[]) {
  const scored = chunkMarkdown(markdown).map((chunk) => ({
    ...chunk,
    score: words.some((word) => chunk.markdown.includes(word)) ? 0.9 : 0,
  }));
  return pruneMarkdown(markdown, scored);
}

describe('pruneMarkdown', () => {
  test('a heading is shown once above all that is kept below it, with a mark at each gap', () => {
    const part = (name: string): string => `${name} ${prose}`;
    const markdown = `# Shore\n\n## Waders\n\n${['one', 'two', 'three', 'four', 'five'].map(part).join('\n\n')}\n\n## End\n\n${prose}`;
    const { markdown: text, prunedBy, runs } = prunedTo(markdown, 'two', 'four');
    assert.equal(prunedBy, 'relevance');
    assert.deepEqual(
      runs.map(({ start, end, headingPath }) => [markdown.slice(start, end), headingPath]),
      ['two', 'four'].map((name) => [part(name), ['Shore', 'Waders']]),
    );
    assert.match(text, /^# Shore\n\n## Waders\n\n\[…\]\n\ntwo [^[]*\n\n\[…\]\n\nfour [^[]*\n\n\[…\]$/);
  });

  test('a table is kept by rows, each part with its header', () => {
    const rows = Array.from({ length: 120 }, (_, row) => `| bird ${row}x | ${'long '.repeat(8)}|`);
    const { markdown: text } = prunedTo(
      `| Name | Length |\n| --- | --- |\n${rows.join('\n')}`,
      ' 15x ',
      ' 90x ',
    );
    const parts = text.split('[…]').filter((part) => part.trim() !== '');
    assert.equal(parts.length, 2);
    for (const part of parts)
      assert.match(part, /^\s*\| Name \| Length \|\n\| --- \| --- \|\n(?:\| bird .*\|\n?)+\s*$/);
  });

  test('neighbouring chunks of one code block are one code block again', () => {
    const lines = Array.from(
      { length: 80 },
      (_, line) => `call(${line}); // ${line < 40 ? 'kept' : 'dropped'}`,
    );
    const { markdown: text } = prunedTo(`\`\`\`js\n${lines.join('\n')}\n\`\`\`\n\n${prose}`, 'kept');
    assert.equal(text.match(/```/g)?.length, 2);
    assert.match(text, /^```js\ncall\(0\)[\s\S]*\n```\n\n\[…\]$/);
  });

  test('where nothing is relevant a short opening stands', () => {
    const {
      markdown: text,
      prunedBy,
      runs,
    } = prunedTo(`# Shore\n\n${`${prose}\n\n`.repeat(20)}`, 'xylophone');
    assert.deepEqual(runs, [{ start: 0, end: text.length - '\n\n[…]'.length, headingPath: ['Shore'] }]);
    assert.equal(prunedBy, 'opening');
    assert.ok(text.length <= 310);
    assert.match(text, /^# Shore\n\nA wader[\s\S]*behind\.\n\n\[…\]$/);
  });

  test('a short page stays whole, its open fence closed', () => {
    const { markdown: text, prunedBy, runs } = prunedTo('```js\ncall();\n', 'xylophone');
    assert.equal(prunedBy, 'whole');
    assert.deepEqual(runs, [{ start: 0, end: 13, headingPath: [] }]);
    assert.deepEqual(prunedTo(' \n', 'xylophone').runs, []);
    assert.equal(text, '```js\ncall();\n```');
  });
});
