import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuery } from '../query/read-query.ts';
import { buildPageParts } from './page-parts.ts';
import { createDefinitionMatcher } from './score-chunks.ts';

const defines = (query: string, text: string): boolean | null =>
  createDefinitionMatcher(readQuery(query))?.(text) ?? null;

for (const [query, text, expected] of [
  ['what is a partial index', 'A partial index is an index over a subset of rows.', true],
  ['What are partial indexes?', '# Introduction\n\nA **partial index** is an index over some rows.', true],
  ['what does DNS stand for', 'Names are old. DNS stands for Domain Name System.', true],
  ['meaning of dirty read', '- `dirty read` (of a row) means that nobody has committed it.', true],
  ['what is a partial index', 'Whether a partial index is used depends on the query.', false],
  ['what is a partial index', 'A partial index can be created with WHERE.', false],
  ['what is an index', 'A partial index is an index over a subset of rows.', false],
  ['what is c++ (the language)', 'C++ (the language) is compiled.', true],
  ['what is a partial index', 'A PARTIAL INDEX IS SMALL', true],
  ['create a partial index', 'A partial index is an index over a subset of rows.', null],
  ['what is the best way to make an index that is small', 'The best way is short.', null],
] as const)
  test(`${query} | ${text.slice(0, 40)}: ${expected}`, () => assert.equal(defines(query, text), expected));

test('a long text of spaces and marks is read once', () => {
  assert.equal(defines('what is a b', `${' *_`- a'.repeat(200_000)}${'. '.repeat(200_000)}`), false);
});

test('the passage that defines what is asked for is the first, as sure as the best of the page', () => {
  const use = (what: string): string =>
    `## ${what} a partial index\n\n${`To ${what.toLowerCase()} a partial index say partial index after the name of the partial index. `.repeat(6)}`;
  const intro =
    'Overview\n\n# Introduction\n\nA partial index is an index over a subset of the rows. '.padEnd(
      520,
      'It has fewer entries than others have. ',
    );
  const markdown = `${intro}\n\n${use('Create')}\n\n${use('Drop')}\n\n${use('Rename')}\n`;
  const wanted = { text: null, highlights: { query: null, perUrl: 3, charsMax: null }, pruned: null };
  const shown = (query: string) => buildPageParts({ markdown, language: 'en' }, wanted, query);
  assert.match(shown('what is a partial index').highlights?.[0] ?? '', /subset of the rows/);
  assert.doesNotMatch(shown('create a partial index').highlights?.[0] ?? '', /subset of the rows/);
  const [first = 0, second = 0] = shown('what is a partial index').highlightScores ?? [];
  assert.ok(first > second && first - second < 0.001, `${first} ${second}`);
});
