import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkMarkdown } from '../chunk/chunk-markdown.ts';
import { readQuery } from '../query/read-query.ts';
import { buildSummary } from './page-parts.ts';
import { scoreChunks } from './score-chunks.ts';

const FILLER = 'The harbour opens at nine and closes at five on every day of the week. '.repeat(8);
const PAGE = `# Birds of the coast\n\n${FILLER}\n\n## Godwits\n\nThe godwit migrates from Alaska to New Zealand. It flies eleven days without a stop. ${FILLER}\n\n## Boats\n\n${FILLER}\n\n## More on godwits\n\nA godwit doubles its weight before its migration. ${FILLER}`;
const summary = (query: string): string =>
  buildSummary(scoreChunks(chunkMarkdown(PAGE), readQuery(query), 'en'));

test('holds sentences of the page about the query, in page order', () => {
  const text = summary('godwit migration');
  const [first, second] = [text.indexOf('migrates from Alaska'), text.indexOf('doubles its weight')];
  assert.ok(first !== -1 && second > first, text);
});

test('is short, plain and made of the words of the page', () => {
  const text = summary('godwit migration');
  assert.ok(text.length > 0 && text.length <= 903, String(text.length));
  assert.doesNotMatch(text, /#|\n/);
  const words = new Set(PAGE.split(/\s+/));
  assert.deepEqual(
    text.split(' ').filter((word) => !words.has(word) && !word.endsWith('…')),
    [],
  );
});

test('one endless sentence is cut at a word', () => {
  const text = buildSummary(scoreChunks(chunkMarkdown('word '.repeat(1_000)), readQuery('word'), 'en'));
  assert.match(text, /^(?:word )+word…/);
});

test('an empty page has an empty summary', () => {
  assert.equal(buildSummary([]), '');
});
