import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { chooseEvidence } from './choose-evidence.ts';
import type { Passage } from './research-types.ts';

const WORDS = 'wader surf beach crab tide reef lamp tower rock keeper storm lens bell harbour mast'.split(
  ' ',
);
/** Text of so many characters, most of its words its own. */
const textOf = (seed: number, chars = 400): string =>
  Array.from(
    { length: chars / 5 },
    (_, place) => `${WORDS[(seed * 7 + place * (seed + 3)) % WORDS.length]}${seed}x${place}`,
  )
    .join(' ')
    .slice(0, chars);

function passage(url: string, fits: Record<number, number>, quote = textOf(url.length)): Passage {
  return {
    ...{ url, title: url, publishedDay: null, language: 'en', headingPath: [], link: url },
    ...{ quote, start: 0, end: quote.length, fits },
  };
}

const chosen = (passages: Passage[], bounds: { facets: number; tokens: number }): string[] =>
  chooseEvidence(passages, bounds).map(({ url }) => url);

describe('chooseEvidence', () => {
  test('the best first, within the tokens', () => {
    const passages = [
      passage('https://a.org/1', { 0: 0.5 }, textOf(1)),
      passage('https://b.org/2', { 0: 0.9 }, textOf(2)),
      passage('https://c.org/3', { 0: 0.7 }, textOf(3)),
    ];
    assert.deepEqual(chosen(passages, { facets: 1, tokens: 200 }), ['https://b.org/2', 'https://c.org/3']);
    const [first] = chooseEvidence(passages, { facets: 1, tokens: 200 });
    assert.deepEqual([first?.id, first?.score, first?.facets], ['e1', 0.9, [0]]);
  });

  test('a passage that repeats a chosen one is left out', () => {
    const passages = [
      passage('https://a.org/1', { 0: 0.9 }, textOf(1)),
      passage('https://b.org/2', { 0: 0.8 }, `${textOf(1).slice(0, 380)} and more`),
      passage('https://c.org/3', { 0: 0.5 }, textOf(3)),
    ];
    assert.deepEqual(chosen(passages, { facets: 1, tokens: 1_000 }), ['https://a.org/1', 'https://c.org/3']);
  });

  test('every facet gets its share before one gets more', () => {
    const passages = [
      ...[1, 2, 3, 4].map((seed) => passage(`https://a${seed}.org/`, { 0: 0.9 }, textOf(seed))),
      passage('https://weak.org/', { 1: 0.4 }, textOf(9)),
    ];
    assert.ok(chosen(passages, { facets: 2, tokens: 200 }).includes('https://weak.org/'));
  });

  test('another site comes before the same one', () => {
    const passages = [
      passage('https://a.org/1', { 0: 0.9 }, textOf(1)),
      passage('https://a.org/2', { 0: 0.8 }, textOf(2)),
      passage('https://b.org/3', { 0: 0.77 }, textOf(3)),
    ];
    assert.deepEqual(chosen(passages, { facets: 1, tokens: 200 }), ['https://a.org/1', 'https://b.org/3']);
  });

  test('a passage far below the best is not worth its tokens', () => {
    const passages = [
      passage('https://a.org/1', { 0: 0.9 }, textOf(1)),
      passage('https://b.org/2', { 0: 0.2 }, textOf(2)),
    ];
    assert.deepEqual(chosen(passages, { facets: 1, tokens: 1_000 }), ['https://a.org/1']);
  });

  test('a passage is evidence for all facets that it fits nearly as well', () => {
    const [only] = chooseEvidence([passage('https://a.org/1', { 0: 0.6, 1: 0.9, 2: 0.2 })], {
      facets: 3,
      tokens: 1_000,
    });
    assert.deepEqual(only?.facets, [1, 0]);
  });

  test('never exceeds the tokens, repeats no passage, ids in order', () => {
    const some = fc.record({
      seed: fc.integer({ min: 0, max: 30 }),
      chars: fc.integer({ min: 5, max: 700 }),
      fits: fc.dictionary(fc.constantFrom('0', '1', '2'), fc.double({ min: 0.01, max: 1, noNaN: true }), {
        minKeys: 1,
      }),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 30 }), fc.integer({ min: 1, max: 2_000 }), (list, tokens) => {
        const passages = list.map(({ seed, chars, fits }, place) =>
          passage(`https://s${seed}.org/${place}`, fits, textOf(seed, chars)),
        );
        const evidence = chooseEvidence(passages, { facets: 3, tokens });
        const spent = evidence.reduce((sum, { quote }) => sum + Math.ceil(quote.length / 4), 0);
        assert.ok(spent <= tokens, `${spent} of ${tokens}`);
        assert.equal(new Set(evidence.map(({ url }) => url)).size, evidence.length);
        assert.deepEqual(
          evidence.map(({ id }) => id),
          evidence.map((_, place) => `e${place + 1}`),
        );
      }),
    );
  });
});
