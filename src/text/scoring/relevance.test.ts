import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { PageEvidence } from './page-evidence.ts';
import { chooseWeakThreshold, judge, makeNonIncreasing, measureRichestStretch } from './relevance.ts';

const term = (weight: number) => ({ hashes: [], near: [], said: '', weight, place: 0, tells: true });
const none = { count: 0, places: [] };
const at = (...places: number[]) => ({
  title: none,
  headings: none,
  address: none,
  body: { count: places.length, places },
});

describe('measureRichestStretch', () => {
  test('is the share of the weight within forty words', () => {
    const terms = [term(3), term(2), term(1)];
    assert.equal(measureRichestStretch(terms, [at(0), at(39), at(300)], 40), 5 / 6);
    assert.equal(measureRichestStretch(terms, [at(0), at(41), at(60)], 40), 3 / 6);
    assert.equal(measureRichestStretch(terms, [null, null, at(1, 2, 3)], 40), 1 / 6);
  });

  test('is 0 without terms or hits', () => {
    assert.equal(measureRichestStretch([], [], 40), 0);
    assert.equal(measureRichestStretch([term(1)], [null], 40), 0);
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
          assert.ok(Math.abs(measureRichestStretch(terms, found, 40) - best / total) < 1e-9);
        },
      ),
    );
  });
});

describe('judge', () => {
  const page: PageEvidence = {
    lexical: 0.5,
    fed: 0.5,
    stretch: 0.6,
    narrow: 0.5,
    matched: 12,
    held: 0.7,
    weight: 20,
    gathered: { share: 0.5, told: 0.6, whole: 0.7, namesSite: false },
    meaning: 0.4,
    named: 0.3,
    isSide: false,
    telling: 3,
  };
  /** Beside a page that has more of everything. */
  const judged = (one: PageEvidence) => {
    const best = { ...page, lexical: 0.9, stretch: 1, meaning: 0.8, named: 0.8 };
    const [first] = judge([one, best]);
    assert.ok(first);
    return first;
  };

  test('more of any evidence for a short query never makes a page less likely, and meaning and words make it likelier', () => {
    const { relevance } = judged(page);
    for (const more of [{ narrow: 0.9 }, { stretch: 0.9 }, { held: 1 }, { named: 0.7 }])
      assert.ok(judged({ ...page, ...more }).relevance >= relevance, JSON.stringify(more));
    for (const more of [{ meaning: 0.6 }, { lexical: 0.8, stretch: 0.95, narrow: 0.9 }])
      assert.ok(judged({ ...page, ...more }).relevance > relevance, JSON.stringify(more));
  });

  test('a page that links call what the query says comes before one that says as much', () => {
    assert.ok(judged({ ...page, named: 0.8 }).order > judged(page).order);
  });

  test('release notes come after a page that says as much', () => {
    assert.ok(judged({ ...page, isSide: true }).order < judged(page).order);
  });

  test('a page of unknown meaning is judged by its words alone', () => {
    const words = { ...page, meaning: null, named: 0 };
    assert.ok(judged(words).relevance > 0 && judged(words).relevance < 1);
    assert.ok(judged({ ...words, fed: 0.7 }).order > judged(words).order);
  });

  test('a page that shares one slight word is next to certainly irrelevant', () => {
    const gathered = { share: 0.1, told: 0.25, whole: 0.5, namesSite: false };
    const slight = { lexical: 0.05, fed: 0.05, stretch: 0.1, narrow: 0.1, matched: 1, held: 0.25, gathered };
    const [alone] = judge([{ ...page, ...slight, telling: 4, meaning: 0.05, named: 0.05 }]);
    assert.ok((alone?.relevance ?? 1) < 0.03);
  });

  test('the same page is less likely beside a better one', () => {
    const [alone] = judge([page]);
    assert.ok((alone?.relevance ?? 0) > judged(page).relevance);
  });

  test('a page in which all words of a short query stand together is relevant, whatever else it speaks of', () => {
    const all = { ...page, lexical: 0.9, fed: 0.9, stretch: 1, narrow: 1, matched: 14, held: 1 };
    const foreign = { ...all, telling: 2, meaning: 0.05, named: 0 };
    const relevance = (one: PageEvidence): number => judge([one])[0]?.relevance ?? 0;
    assert.ok(relevance(foreign) > chooseWeakThreshold({ telling: 2, namesDomains: false }));
    assert.ok(relevance(foreign) > relevance({ ...foreign, telling: 1 }));
  });
});

test('falling keeps what falls, and lets neighbours that rise share their mean', () => {
  assert.deepEqual(makeNonIncreasing([0.9, 0.5, 0.1]), [0.9, 0.5, 0.1]);
  assert.deepEqual(makeNonIncreasing([0.25, 0.75, 0.1]), [0.5, 0.5, 0.1]);
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (values) => {
      const fallen = makeNonIncreasing(values);
      const sum = (all: number[]): number => all.reduce((total, value) => total + value, 0);
      assert.ok(fallen.every((value, place) => place === 0 || value <= (fallen[place - 1] ?? 1) + 1e-12));
      assert.ok(Math.abs(sum(fallen) - sum(values)) < 1e-6);
    }),
  );
});

test('less is weak where more is known to fit: in named domains and of a long query', () => {
  const short = { telling: 3, namesDomains: false };
  assert.ok(chooseWeakThreshold({ ...short, namesDomains: true }) < chooseWeakThreshold(short));
  assert.ok(chooseWeakThreshold({ ...short, telling: 12 }) < chooseWeakThreshold(short));
});
