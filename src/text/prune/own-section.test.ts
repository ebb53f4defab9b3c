import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScoredChunk } from '../chunk/chunk-markdown.ts';
import { readQuery } from '../query/read-query.ts';
import { trimToOwnSections } from './page-parts.ts';

const prose = 'The keeper trims the wick before dusk and writes it down. '.repeat(5).trim();
const page = [
  '# Lighthouse',
  '## Bell',
  prose,
  'The bell is rung in fog.',
  '## Cleaning the lens',
  `The lens is cleaned with vinegar on every Monday. ${prose}`,
  `What is left of the vinegar goes back into the bottle. ${prose}`,
].join('\n\n');

/** The part of a text between two of its words as a chunk. */
function chunkOf(markdown: string, from: string, to: string): ScoredChunk {
  const [start, end] = [markdown.indexOf(from), markdown.indexOf(to)];
  const above = ['# Lighthouse', '## Bell'].map((line) => markdown.indexOf(line)).filter((at) => at !== -1);
  return {
    markdown: markdown.slice(start, end).trimEnd(),
    start,
    end,
    score: 1,
    headings: above.map((at) => ({ start: at, end: markdown.indexOf('\n', at) })),
    headingPath: above.map((at) => markdown.slice(markdown.indexOf(' ', at) + 1, markdown.indexOf('\n', at))),
  };
}

const cut = (markdown: string, chunk: ScoredChunk, query: string): ScoredChunk | undefined =>
  trimToOwnSections({ markdown, language: 'en' }, [chunk], readQuery(query))[0];

describe('a chunk with the end of one section and the next', () => {
  const chunk = chunkOf(page, 'The bell is rung', 'What is left');

  test('begins with the section that says more of the query, below its own heading', () => {
    const shown = cut(page, chunk, 'how to clean the lens');
    assert.match(shown?.markdown ?? '', /^## Cleaning the lens\n/);
    assert.deepEqual(shown?.headingPath, ['Lighthouse', 'Cleaning the lens']);
    assert.deepEqual(
      shown?.headings?.map(({ start, end }) => page.slice(start, end)),
      ['# Lighthouse', '## Cleaning the lens'],
    );
    assert.equal(page.slice(shown?.start, shown?.end).trim(), shown?.markdown);
  });

  for (const [query, why] of [
    ['when is the bell rung', 'the end of the section before says more'],
    ['wind speed', 'neither says anything'],
  ] as const)
    test(`stays whole where ${why}`, () => assert.equal(cut(page, chunk, query), chunk));

  test('stays whole where what is left of the page is too short', () => {
    const short = page.slice(0, page.indexOf('What is left'));
    const last = { ...chunk, end: short.length };
    assert.ok(short.length - short.indexOf('## Cleaning') < 400);
    assert.equal(cut(short, last, 'how to clean the lens'), last);
  });

  test('stays whole where a line of code looks like a heading', () => {
    const code = page.replace('## Cleaning the lens', '```\n## Cleaning the lens\n```');
    const framed = chunkOf(code, 'The bell is rung', 'What is left');
    assert.equal(cut(code, framed, 'how to clean the lens'), framed);
  });
});

test('a chunk that goes on with one entry of a list begins with the next where that says more', () => {
  const list = `# Limits\n\n1. **Ropes**\n\n   A rope can be cut.\n\n2. **Number of lamps**\n\n   The lamps are bounded by the oil. ${prose}\n\n   There may be 2000. ${prose}`;
  const chunk = chunkOf(list, '   A rope', '   There may');
  assert.match(cut(list, chunk, 'maximum number of lamps')?.markdown ?? '', /^2\. \*\*Number of lamps/);
  assert.equal(cut(list, chunk, 'cut a rope')?.start, chunk.start);
});
