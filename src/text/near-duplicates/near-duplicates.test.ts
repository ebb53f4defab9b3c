import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  buildSketch,
  buildSnippetRuns,
  isNearDuplicate,
  isSameResult,
  isVersionOfSameText,
} from './near-duplicates.ts';

/** `count` words that no text with another name contains. */
const words = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, place) => `${name}${place}`);

/** Two texts of as many words, so many of them the same at the beginning. */
const pair = (length: number, same: number): [string[], string[]] => {
  const shared = words('shared', same);
  return [
    [...shared, ...words('left', length - same)],
    [...shared, ...words('right', length - same)],
  ];
};

const alike = ([left, right]: [string[], string[]]): boolean =>
  isNearDuplicate(buildSketch(left), buildSketch(right));

describe('two texts are near-duplicates', () => {
  // A text of n words has n - 2 runs of three; the share is of the runs, and 0.6 of them is enough.
  for (const length of [52, 102, 152]) {
    const runs = length - 2;
    test(`of ${length} words when six of ten runs of words are the same`, () => {
      assert.equal(alike(pair(length, Math.ceil(0.6 * runs) + 2)), true);
    });
    test(`of ${length} words and not when fewer are`, () => {
      assert.equal(alike(pair(length, Math.ceil(0.6 * runs) + 1)), false);
      assert.equal(alike(pair(length, Math.ceil(0.5 * runs) + 2)), false);
    });
  }

  test('of a few words only when nearly all runs are the same', () => {
    assert.equal(alike(pair(10, 10)), true);
    assert.equal(alike(pair(10, 9)), false);
  });

  test('as a comparison of whole sketches finds, however soon two texts differ', () => {
    const sketch = fc
      .uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 })
      .map((runs) => Uint32Array.from(runs.sort((one, other) => one - other)));
    fc.assert(
      fc.property(sketch, sketch, fc.boolean(), (one, other, isSame) => {
        const right = isSame
          ? Uint32Array.from(new Set([...one.slice(3), ...other.slice(0, 4)])).sort()
          : other;
        const shared = one.filter((run) => right.includes(run)).length;
        const smaller = Math.min(one.length, right.length);
        const wanted = smaller > 0 && shared / smaller >= (smaller < 12 ? 0.95 : 0.6);
        assert.equal(isNearDuplicate(one, right), wanted);
      }),
    );
  });

  test('when one is a part of the other, and never without words', () => {
    const whole = words('w', 400);
    assert.equal(alike([whole, whole.slice(100, 200)]), true);
    assert.equal(alike([whole, []]), false);
  });
});

const split = (text: string): string[] => text.split(' ');
const SNIPPET = split(
  'the red knot feeds on mudflats at low tide and rests on the beach until the water falls',
);

test('one passage under similar titles is one text, even when it is cut', () => {
  const whole = buildSnippetRuns(split('red knot'), SNIPPET);
  assert.ok(isSameResult(whole, buildSnippetRuns(split('the red knot of the coast'), SNIPPET.slice(0, 15))));
  assert.ok(!isSameResult(whole, buildSnippetRuns(split('grey plover'), SNIPPET)));
  assert.ok(!isSameResult(whole, buildSnippetRuns(split('red knot'), SNIPPET.toReversed())));
});

test('a short passage is never a copy', () => {
  const short = buildSnippetRuns(split('red knot'), SNIPPET.slice(0, 10));
  assert.ok(!isSameResult(short, short));
});

test('four fifths of the smaller passage and three fifths of the smaller title, from either side', () => {
  const set = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { minLength: 8, maxLength: 40 });
  const likeness = fc.record({ title: set, snippet: set }).map(({ title, snippet }) => ({
    title: new Set(title),
    snippet: new Set([...snippet].map(Number)),
  }));
  const share = <V>(one: ReadonlySet<V>, other: ReadonlySet<V>, least: number): boolean =>
    [...one].filter((value) => other.has(value)).length >= least * Math.min(one.size, other.size);
  // Sets that share much, which chance alone would not bring.
  const pair = fc.tuple(likeness, likeness, fc.boolean()).map(([one, other, isClose]) => {
    const near = <V>(near: Set<V>, far: Set<V>): Set<V> =>
      new Set([...near].slice(far.size % 9).concat([...far].slice(0, 3)));
    return isClose
      ? ([one, { title: near(one.title, other.title), snippet: near(one.snippet, other.snippet) }] as const)
      : ([one, other] as const);
  });
  let alike = 0;
  fc.assert(
    fc.property(pair, ([one, other]) => {
      const expected =
        Math.min(one.snippet.size, other.snippet.size) >= 12 &&
        share(one.snippet, other.snippet, 0.8) &&
        share(one.title, other.title, 0.6);
      if (expected) alike += 1;
      assert.equal(isSameResult(one, other), expected);
      assert.equal(isSameResult(other, one), expected);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(alike > 100, `${alike} pairs were alike`);
});

test('versions of one page share a quarter of their runs, and copies much more', () => {
  const text = (from: number): string[] => Array.from({ length: 400 }, (_, at) => `w${from + at}`);
  const [page, next, other] = [text(0), text(220), text(380)].map(buildSketch) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  assert.ok(isVersionOfSameText(page, next) && !isNearDuplicate(page, next));
  assert.ok(!isVersionOfSameText(page, other));
  assert.ok(!isVersionOfSameText(page, buildSketch([])));
});
