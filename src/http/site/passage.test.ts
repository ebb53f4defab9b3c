import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passage } from './passage.ts';

test('Markdown becomes one paragraph without headings, with the query words except stop words marked', () => {
  const markdown = '## Rotating *logs*\n\n- keep <7> logs\n- see [the manual](https://example.org/logs)';
  assert.equal(
    passage(markdown, 'how do I rotate the logs?').text,
    'keep &lt;7&gt; <mark>logs</mark> see the manual',
  );
});

test('a passage that is only a heading is kept', () => {
  assert.equal(passage('## Logs\n', 'q').text, 'Logs');
});

test('pattern characters in a query have no special meaning', () => {
  assert.equal(passage('what is C++ (really)', '(((.*+?^$[').text, 'what is C++ (really)');
});

test('a long passage is cut at a word', () => {
  const { text } = passage('word '.repeat(200), '');
  assert.ok(text.length <= 321 && text.endsWith('word…'), text);
});
