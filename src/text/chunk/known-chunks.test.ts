import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkMarkdown } from './chunk-markdown.ts';
import { chunkPage } from './known-chunks.ts';

const pageOf = (word: string, words: number): string => `# ${word}\n\n${`${word} `.repeat(words)}\n`;

test('the chunks of a page that was cut before are the same list', () => {
  const markdown = pageOf('dunlin', 500);
  const chunks = chunkPage(markdown);
  assert.deepEqual(chunks, chunkMarkdown(markdown));
  // Another string with the same text, as a message to a thread brings it.
  assert.equal(chunkPage(`${markdown.slice(0, 9)}${markdown.slice(9)}`), chunks);
});

test('pages used last stay, older ones go, very long ones are not kept', () => {
  const first = pageOf('first', 20_000);
  const kept = chunkPage(first);
  for (let page = 0; page < 20; page += 1) {
    chunkPage(pageOf(`page${page}`, 40_000));
    assert.equal(chunkPage(first), kept);
  }
  for (let page = 0; page < 20; page += 1) chunkPage(pageOf(`other${page}`, 40_000));
  assert.notEqual(chunkPage(first), kept);
  const long = pageOf('long', 200_000);
  assert.notEqual(chunkPage(long), chunkPage(long));
});
