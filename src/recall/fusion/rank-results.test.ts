import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readQuery } from '../../text/query/read-query.ts';
import type { Candidate } from '../recall.ts';
import { rankResults } from './rank-results.ts';

const NOW = '2026-03-01';
let made = 0;
const result = (parts: Partial<Candidate>): Candidate => ({
  url: `https://site${made++}.example/`,
  title: 'A page',
  snippet: '',
  publishedDay: null,
  score: 0.5,
  source: 'brave',
  ...parts,
});
const first = (query: string, results: Candidate[], pages?: (string | null)[]): string | undefined =>
  rankResults(results, { query: readQuery(query), now: NOW, ...(pages === undefined ? {} : { pages }) })[0]
    ?.title;

describe('what counts', () => {
  const named = (title: string, parts: Partial<Candidate> = {}): Candidate => result({ title, ...parts });

  test('the query in a title ranks above the query in a snippet', () => {
    const results = [named('Birds', { snippet: 'wading shorebirds and more' }), named('Wading shorebirds')];
    assert.equal(first('wading shorebirds', results), 'Wading shorebirds');
  });

  test('adjacent words rank above the same words apart', () => {
    const results = [
      named('a', { snippet: 'the garbage was collected by a collector of tax' }),
      named('b', { snippet: 'the garbage collector was tuned by a friend' }),
    ];
    assert.equal(first('garbage collector', results), 'b');
  });

  test('a rare word counts more than a common one', () => {
    const results = [named('year of people'), named('sanderling')];
    assert.equal(first('people sanderling', results), 'sanderling');
  });

  test('the host that a short query names comes first', () => {
    const results = [
      named('stack overflow explained', { url: 'https://blog.example/stack-overflow' }),
      named('Stack Overflow', { url: 'https://stackoverflow.com/' }),
    ];
    assert.equal(first('stack overflow', results), 'Stack Overflow');
  });

  test('the text of the opened page counts', () => {
    const results = [named('a', { snippet: 'otters' }), named('b', { snippet: 'otters' })];
    assert.equal(first('otters holt', results, ['nothing here', 'otters sleep in a holt']), 'b');
  });

  const dated = [
    named('old', { snippet: 'otter', publishedDay: '2019-01-01', score: 0.6 }),
    named('new', { snippet: 'otter', publishedDay: '2026-02-20' }),
  ];
  for (const query of ['latest otter', 'otter news', 'otter 2026']) {
    test(`${query}: the fresh page comes first`, () => assert.equal(first(query, dated), 'new'));
  }
  test('age makes no difference unless the query asks for it', () =>
    assert.equal(first('otter', dated), 'old'));
  test('a named year is preferred, even an old one', () =>
    assert.equal(first('otter 2019', dated.toReversed()), 'old'));
});

describe('what is weak, and what is left out', () => {
  const ranked = (query: string, results: Candidate[]): Candidate[] =>
    rankResults(results, { query: readQuery(query), now: NOW });
  const titles = (query: string, results: Candidate[]): string[] =>
    ranked(query, results).map(({ title }) => title);

  test('a result without a word of the query is weak and comes last, unless its source is trusted', () => {
    const results = [
      result({ title: 'otter' }),
      result({ title: 'invoice', score: 1 }),
      result({ title: 'mustelid', source: 'semanticscholar' }),
      result({ title: 'weasel', source: 'index', score: 0.4 }),
    ];
    assert.deepEqual(
      ranked('otter', results).map(({ title, isWeak }) => [title, isWeak]),
      [
        ['otter', false],
        ['mustelid', false],
        ['weasel', false],
        ['invoice', true],
      ],
    );
  });

  test('nothing is weak if no result contains a word of the query', () => {
    const results = ranked('oter', [result({ title: 'otter' }), result({ title: 'river' })]);
    assert.deepEqual(
      results.map(({ isWeak }) => isWeak),
      [false, false],
    );
  });

  test('a copy of a better result is left out, but not two pages that share a bare title', () => {
    const snippet =
      'the otter is a mammal of rivers and coasts that eats fish and sleeps in a holt by the water all day long';
    const copies = [result({ title: 'Otter', snippet, score: 0.9 }), result({ title: 'Otter', snippet })];
    assert.equal(titles('otter', copies).length, 1);
    assert.equal(titles('otter', [result({ title: 'Otter' }), result({ title: 'Otter' })]).length, 2);
  });
});

describe('laws', () => {
  const word = fc.constantFrom('otter', 'river', 'stone', 'the', 'holt', 'of', '2026', 'news');
  const words = fc.array(word, { maxLength: 20 }).map((list) => list.join(' '));
  const candidates = fc
    .array(
      fc.record({
        title: words,
        snippet: words,
        score: fc.double({ min: 0, max: 1, noNaN: true }),
        publishedDay: fc.constantFrom(null, '2020-05-05', '2026-02-28'),
        page: fc.option(words),
      }),
      { maxLength: 12 },
    )
    .map((list) =>
      list.map(({ page, ...parts }, place) => ({
        page,
        candidate: result({ ...parts, url: `https://e.example/${place}` }),
      })),
    );
  const rank = (list: { page: string | null; candidate: Candidate }[], query: string): Candidate[] =>
    rankResults(
      list.map(({ candidate }) => candidate),
      { query: readQuery(query), now: NOW, pages: list.map(({ page }) => page) },
    );

  test('the order of the input makes no difference; scores descend within 0 and 1', () => {
    fc.assert(
      fc.property(candidates, words, (list, query) => {
        const ranked = rank(list, query);
        assert.deepEqual(ranked, rank(list.toReversed(), query));
        const scores = ranked.map(({ score }) => score);
        assert.deepEqual(
          scores,
          scores.toSorted((left, right) => right - left),
        );
        assert.ok(scores.every((score) => score >= 0 && score <= 1));
      }),
    );
  });

  test('a higher prior never lowers a result, and no other one gains by it', () => {
    fc.assert(
      fc.property(candidates, words, fc.double({ min: 0, max: 1, noNaN: true }), (list, query, more) => {
        const [target, ...rest] = list;
        if (target === undefined) return;
        const { candidate, page } = target;
        const raised = { ...candidate, score: Math.min(1, candidate.score + more) };
        const place = (ranked: Candidate[]): number => {
          const at = ranked.findIndex(({ url }) => url === candidate.url);
          return at === -1 ? Number.POSITIVE_INFINITY : at;
        };
        assert.ok(place(rank([{ candidate: raised, page }, ...rest], query)) <= place(rank(list, query)));
      }),
    );
  });

  test('one more word of the query in the title never lowers the score', () => {
    fc.assert(
      fc.property(candidates, (list) => {
        const [target] = list;
        if (target === undefined) return;
        const score = (title: string): number =>
          rank([{ ...target, candidate: { ...target.candidate, title } }], 'otter river holt')[0]?.score ?? 0;
        assert.ok(score('otter river') >= score('otter stone'));
      }),
    );
  });
});
