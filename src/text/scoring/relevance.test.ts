import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { falling, floorOf, judge, richestStretch } from './relevance.ts';

const term = (weight: number) => ({ hashes: [], weight, place: 0, tells: true });
const none = { count: 0, places: [] };
const at = (...places: number[]) => ({
  ...{ title: none, headings: none, address: none },
  body: { count: places.length, places },
});

describe('richestStretch', () => {
  test('is the share of the weight within forty words', () => {
    const terms = [term(3), term(2), term(1)];
    assert.equal(richestStretch(terms, [at(0), at(39), at(300)]), 5 / 6);
    assert.equal(richestStretch(terms, [at(0), at(41), at(60)]), 3 / 6);
    assert.equal(richestStretch(terms, [null, null, at(1, 2, 3)]), 1 / 6);
  });

  test('is 0 without terms or hits', () => {
    assert.equal(richestStretch([], []), 0);
    assert.equal(richestStretch([term(1)], [null]), 0);
  });

  test('agrees with a search of every stretch', () => {
    const places = fc.uniqueArray(fc.nat(200), { maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), places), { minLength: 1, maxLength: 5 }),
        (all) => {
          const terms = all.map(([weight]) => term(weight));
          const found = all.map(([, each]) =>
            each.length === 0 ? null : at(...each.toSorted((a, b) => a - b)),
          );
          const total = terms.reduce((sum, { weight }) => sum + weight, 0);
          const within = (start: number): number =>
            all.reduce(
              (sum, [weight, each]) => sum + (each.some((p) => p >= start && p <= start + 40) ? weight : 0),
              0,
            );
          const best = Math.max(...Array.from({ length: 201 }, (_, start) => within(start)));
          assert.ok(Math.abs(richestStretch(terms, found) - best / total) < 1e-9);
        },
      ),
    );
  });
});

describe('judge', () => {
  const page = { lexical: 0.5, stretch: 0.6, matched: 12, telling: 3, meaning: { best: 0.4 } };
  test('more of any evidence for a short query makes a page likelier', () => {
    const { relevance } = judge(page);
    for (const more of [{ stretch: 0.9 }, { matched: 20 }, { meaning: { best: 0.6 } }])
      assert.ok(judge({ ...page, ...more }).relevance > relevance, JSON.stringify(more));
  });

  test('a page of unknown meaning is judged by its words alone', () => {
    const words = { ...page, meaning: null };
    assert.ok(judge(words).relevance > 0.05 && judge(words).relevance < 1);
    assert.ok(judge({ ...words, lexical: 0.7 }).order > judge(words).order);
  });

  test('a page that shares one slight word is next to certainly irrelevant', () => {
    assert.ok(
      judge({ lexical: 0.05, stretch: 0.1, matched: 1, telling: 4, meaning: { best: 0.05 } }).relevance <
        0.01,
    );
  });
});

test('a page in which all words of a short query stand together is relevant, whatever else it speaks of', () => {
  const evidence = { lexical: 0.9, stretch: 1, matched: 6, telling: 2, meaning: { best: 0.05 } };
  const short = { telling: 2, namesDomains: false };
  assert.ok(judge(evidence).relevance > floorOf([], short));
  assert.ok(judge({ ...evidence, stretch: 0.9 }).relevance < floorOf([], short));
  assert.ok(judge({ ...evidence, telling: 1 }).relevance < floorOf([], short));
});

test('falling keeps what falls, and lets neighbours that rise share their mean', () => {
  assert.deepEqual(falling([0.9, 0.5, 0.1]), [0.9, 0.5, 0.1]);
  assert.deepEqual(falling([0.25, 0.75, 0.1]), [0.5, 0.5, 0.1]);
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (values) => {
      const fallen = falling(values);
      const sum = (all: number[]): number => all.reduce((total, value) => total + value, 0);
      assert.ok(fallen.every((value, place) => place === 0 || value <= (fallen[place - 1] ?? 1) + 1e-12));
      assert.ok(Math.abs(sum(fallen) - sum(values)) < 1e-6);
    }),
  );
});

test('the floor rises with the best page, and is lower where more is known to fit', () => {
  const short = { telling: 3, namesDomains: false };
  const [low, high] = [floorOf([0.1], short), floorOf([0.3, 0.9], short)];
  assert.ok(low > 0 && low === floorOf([], short) && high > low && high < 0.9);
  for (const other of [
    { ...short, namesDomains: true },
    { ...short, telling: 12 },
  ])
    for (const all of [[], [0.3, 0.9]]) assert.ok(floorOf(all, other) < floorOf(all, short));
});
