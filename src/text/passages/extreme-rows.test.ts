import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chunkMarkdown } from '../chunk/chunk-markdown.ts';
import { findExtremeRows } from './extreme-rows.ts';

const rows = Array.from({ length: 60 }, (_, at) => {
  const eggs = at === 31 ? '1,400' : String((at * 7) % 50 || 3);
  return `| [Bird ${at}](https://birds.example/a-long-address-of-a-page/${at}) | ${1950 + at} | ${eggs} |`;
});
const chunks = chunkMarkdown(
  `# Birds\n\nText before.\n\n| Name | First seen | Eggs[^1] |\n| --- | --- | --- |\n${rows.join('\n')}\n\nText behind.`,
);
const find = (question: string): string[] =>
  [...findExtremeRows(chunks, question)].map((place) => chunks[place]?.markdown ?? '');

describe('findExtremeRows', () => {
  for (const [question, row] of [
    ['which bird lays the most eggs?', 'Bird 31]'],
    ['what is the first bird in the list', 'Bird 0]'],
    ['which bird was seen last?', 'Bird 59]'],
    ['the last bird of all', 'Bird 59]'],
  ] as const)
    test(question, () => {
      const [part, ...others] = find(question);
      assert.ok(part?.includes(row), part);
      assert.deepEqual(others, []);
    });

  test('a question about no extreme names no rows', () => {
    assert.deepEqual(find('how many eggs does bird 31 lay?'), []);
  });

  test('a text without a table has none', () => {
    assert.equal(findExtremeRows(chunkMarkdown('The most eggs: 12 | 13.'), 'most eggs').size, 0);
  });
});
