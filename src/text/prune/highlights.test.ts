import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ScoredChunk } from '../chunk/chunk-markdown.ts';
import { chooseHighlights } from './highlights.ts';

const scored = (markdown: string, score: number, start = 0): ScoredChunk => ({
  markdown,
  score,
  start,
  end: start + markdown.length,
  headingPath: [],
});
const sentenceOf = (word: string): string =>
  Array.from({ length: 20 }, (_, place) => `${word}${place} walks`).join(' ');

describe('chooseHighlights', () => {
  test('the best come first, irrelevant ones not at all', () => {
    const found = chooseHighlights(
      [scored(sentenceOf('gull'), 0.2), scored(sentenceOf('knot'), 0.9), scored(sentenceOf('ruff'), 0)],
      { perUrl: 3, charsMax: null },
    );
    assert.deepEqual(
      found.map(({ score }) => score),
      [0.9, 0.2],
    );
  });

  test('the best one is shown even when nothing is relevant', () => {
    assert.equal(
      chooseHighlights([scored('one', 0), scored('two', 0)], { perUrl: 3, charsMax: null }).length,
      1,
    );
  });

  test('a chunk that mostly repeats a better one gives way to the next', () => {
    const text = sentenceOf('knot');
    const found = chooseHighlights(
      [scored(text, 0.9), scored(`${text} again`, 0.8, 500), scored(sentenceOf('ruff'), 0.5, 1_000)],
      { perUrl: 2, charsMax: null },
    );
    assert.deepEqual(
      found.map(({ score }) => score),
      [0.9, 0.5],
    );
  });

  test('two entries that say the same of different options are both shown, one of the same name is not', () => {
    const entry = (name: string): string => `- \`${name}\`: ${sentenceOf('prefix')}`;
    const found = chooseHighlights(
      [
        ...[scored(entry('v%w'), 0.9), scored(entry('v#w'), 0.8, 500)],
        scored(`${entry('v%w')} again`, 0.7, 1_000),
      ],
      { perUrl: 3, charsMax: null },
    );
    assert.deepEqual(
      found.map(({ score }) => score),
      [0.9, 0.8],
    );
  });

  test('identical short chunks are shown once', () => {
    const found = chooseHighlights([scored('A knot.', 0.9), scored('A knot.', 0.8, 50)], {
      perUrl: 2,
      charsMax: null,
    });
    assert.equal(found.length, 1);
  });

  test('law: at most perUrl, within charsMax, scores descending, each of the page', () => {
    const chunk = fc
      .tuple(fc.string({ maxLength: 60 }), fc.float({ min: 0, max: 1, noNaN: true }))
      .map(([text, score]) => scored(text, score));
    fc.assert(
      fc.property(
        fc.array(chunk, { maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        fc.option(fc.integer({ min: 1, max: 200 })),
        (chunks, perUrl, charsMax) => {
          const found = chooseHighlights(chunks, { perUrl, charsMax });
          assert.ok(found.length <= perUrl);
          const chars = found.reduce((sum, { markdown }) => sum + markdown.length, 0);
          assert.ok(chars <= (charsMax ?? Number.POSITIVE_INFINITY));
          for (const [place, { score }] of found.entries())
            assert.ok(place === 0 || score <= (found[place - 1]?.score ?? 0));
          for (const each of found) assert.ok(chunks.includes(each));
        },
      ),
    );
  });
});
