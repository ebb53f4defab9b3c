import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTokenTable } from '../embeddings/encoder-for.ts';
import { readQuery } from '../query/read-query.ts';
import { scoreAlignment } from './alignment.ts';
import { readChunks } from './chunk-terms.ts';

const table = findTokenTable('en');
const aligned = (query: string, texts: string[], { headings = [] as string[][], among = [0, 1] } = {}) => {
  assert.ok(table !== null);
  const chunks = texts.map((markdown, place) => ({
    markdown,
    start: place * 1_000,
    end: place * 1_000 + 900,
    headingPath: headings[place] ?? [],
  }));
  const asked = readQuery(query).forPassages('en');
  const weights = new Float64Array(asked.terms.length).fill(1);
  return [...scoreAlignment(readChunks(chunks, 'en'), { query: asked, weights }, { table, among })];
};

test('a sentence that says it in other words is nearer than one about something else', () => {
  const [near = 0, other = 0] = aligned('delete a directory', [
    'The command removes a folder from the disk.',
    'The painter sold a canvas to the museum.',
  ]);
  assert.ok(near > other, `${near} ${other}`);
});

test('the words of a question in one sentence are nearer than in two', () => {
  const [together = 0, apart = 0] = aligned('timeout of the proxy', [
    'The proxy has a timeout. It is short.',
    'The proxy is short. It has a timeout.',
  ]);
  assert.ok(together > apart, `${together} ${apart}`);
});

test('the words of a question are 1 away from themselves, alone or below a heading that has the rest', () => {
  const [alone = 0, headed = 0] = aligned(
    'timeout of the proxy',
    ['The timeout of the proxy is short.', 'The timeout is short.'],
    { headings: [[], ['Proxy']] },
  );
  assert.ok(Math.abs(alone - 1) < 1e-6, String(alone));
  assert.ok(headed > 0.9 && headed <= 1, String(headed));
});

test('a chunk that is not compared gets the lowest value of those that are', () => {
  const texts = ['The proxy has a timeout.', 'Birds sing.', 'The timeout of the proxy.'];
  const [first = 0, second = 0, left] = aligned('timeout of the proxy', texts);
  assert.equal(left, Math.min(first, second));
});
