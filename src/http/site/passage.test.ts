import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passage } from './passage.ts';

test('Markdown becomes one paragraph without its headings, the words of the query that say something are marked', () => {
  const markdown = '## Rotating *logs*\n\n- keep <7> logs\n- see [the manual](https://example.org/logs)';
  assert.equal(
    passage(markdown, 'how do I rotate the logs?').text,
    'keep &lt;7&gt; <mark>logs</mark> see the manual',
  );
});

test('a passage that is a heading alone stands', () => {
  assert.equal(passage('## Logs\n', 'q').text, 'Logs');
});

test('signs of patterns in a query are nothing special', () => {
  assert.equal(passage('what is C++ (really)', '(((.*+?^$[').text, 'what is C++ (really)');
});

test('a long passage ends at a word', () => {
  const { text } = passage('word '.repeat(200), '');
  assert.ok(text.length <= 321 && text.endsWith('word…'), text);
});
