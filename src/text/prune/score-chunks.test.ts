import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { measureLinkShare } from '../passages/link-share.ts';
import { readQuery } from '../query/read-query.ts';
import { scoreChunks } from './score-chunks.ts';

const cases: [markdown: string, share: number][] = [
  ['No link at all.', 0],
  ['- [One](https://example.org/1)\n- [Two](https://example.org/2_(b))', 1],
  ['[ab](https://example.org/) cd', 0.5],
  ['![ab](https://example.org/a.png) cdef', 1 / 3],
  ['see [brackets and (more)', 0],
  ['', 0],
];
for (const [markdown, share] of cases)
  test(JSON.stringify(markdown), () => assert.ok(Math.abs(measureLinkShare(markdown) - share) < 1e-9));

test('a list of links ranks below prose with the same words', () => {
  const chunk = (markdown: string, start: number) => ({ markdown, headingPath: [], start, end: start + 1 });
  const [links, text] = scoreChunks(
    [
      chunk('- [Packet switching](https://example.org/1)\n- [Circuit switching](https://example.org/2)', 0),
      chunk('Packet switching and circuit switching are told apart by what is reserved.', 1),
    ],
    readQuery('packet switching circuit'),
    'en',
  );
  assert.ok((links?.score ?? 1) < 0.7 * (text?.score ?? 0), `${links?.score} ${text?.score}`);
});

describe('notes on versions', () => {
  const notes =
    'Changed in version 3.8: The limit of threads started by the pool is the number of processors and four.\n\nNew in version 3.7: The pool has a limit of threads.';
  const text =
    'The pool runs at most so many threads as its limit says, and each waits for calls that are handed in.';
  const scoresFor = (query: string): number[] =>
    scoreChunks(
      [notes, text].map((markdown, start) => ({ markdown, headingPath: [], start, end: start + 1 })),
      readQuery(query),
      'en',
    ).map(({ score }) => score);

  test('count half, so that what a thing does comes before when it changed', () => {
    const asked = 'limit of threads the pool started';
    const [noted = 0, said = 0] = scoresFor(asked);
    const [inFull = 0] = scoresFor(`${asked} since`);
    assert.ok(noted < 0.6 * inFull, `${noted} ${inFull}`);
    assert.ok(said > 0);
  });
});
