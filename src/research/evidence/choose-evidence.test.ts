import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { chooseEvidence } from './choose-evidence.ts';
import type { Facet, Passage } from './relevance.ts';

const WORDS = 'wader surf crab tide reef lamp tower rock keeper storm lens bell harbour mast'.split(' ');
const ASKED = ['Corvane', 'sanderlings', 'food', 'beach'];
const QUESTION: Facet = facet('question', 'How do the sanderlings of Corvane find food on the beach?');

function facet(kind: Facet['kind'], query: string): Facet {
  return { kind, facet: query, query };
}

/** Text of so many characters, most of its words its own. */
const textOf = (seed: number, chars = 400): string =>
  Array.from(
    { length: chars / 5 },
    (_, place) => `${WORDS[(seed * 7 + place * (seed + 3)) % WORDS.length]}${seed}x${place}`,
  )
    .join(' ')
    .slice(0, chars);

/** A passage that holds so many of the words of the question. */
function passage(url: string, held: number, parts: Partial<Passage> = {}): Passage {
  const quote = `${ASKED.slice(0, held).join(' ')} ${textOf(url.length)}`;
  return {
    url,
    title: '',
    publishedDay: null,
    language: 'en',
    headingPath: [],
    link: url,
    quote,
    start: 0,
    end: quote.length,
    fits: { 0: held / ASKED.length },
    ...parts,
  };
}

const chosen = (passages: Passage[], tokens: number, facets: Facet[] = [QUESTION]): string[] =>
  chooseEvidence(passages, { facets, tokens }).map(({ url }) => url);

describe('chooseEvidence', () => {
  test('the best first, within the tokens', () => {
    const passages = [
      passage('https://a.org/1', 3),
      passage('https://b.org/22', 4),
      passage('https://c.org/333', 4, { quote: `${ASKED.join(' ')} ${textOf(7, 900)}` }),
    ];
    assert.deepEqual(chosen(passages, 220), ['https://b.org/22', 'https://a.org/1']);
    const [first] = chooseEvidence(passages, { facets: [QUESTION], tokens: 200 });
    assert.deepEqual([first?.id, first?.facets], ['e1', [0]]);
  });

  test('what fits a facet but says little about the question is no evidence', () => {
    const name = facet('name', 'Corvane');
    const passages = [
      passage('https://a.org/1', 4),
      passage('https://b.org/22', 1, { title: 'Corvane ferries', fits: { 1: 1 } }),
    ];
    assert.deepEqual(chosen(passages, 1_000, [QUESTION, name]), ['https://a.org/1']);
  });

  test('a passage without the name that the question is about is no evidence', () => {
    const quote = `sanderlings food beach ${textOf(5)}`;
    const passages = [passage('https://a.org/1', 4), passage('https://b.org/22', 3, { quote })];
    assert.deepEqual(chosen(passages, 1_000), ['https://a.org/1']);
  });

  test('a passage that repeats a chosen one is left out', () => {
    const one = passage('https://a.org/1', 4);
    const passages = [one, { ...one, url: 'https://b.org/2', quote: `${one.quote} and more` }];
    assert.equal(chosen(passages, 1_000).length, 1);
  });

  test('of many passages on one thing only a few are chosen', () => {
    const passages = Array.from({ length: 30 }, (_, place) =>
      passage(`https://a${place}.org/`, 4, { quote: `${ASKED.join(' ')} ${textOf(place)}` }),
    );
    assert.ok(chosen(passages, 20_000).length <= 8);
  });

  test('another language only where the first one says nothing', () => {
    const german = passage('https://c.de/333', 4, { language: 'de', fits: { 0: 1 } });
    const passages = [passage('https://a.org/1', 4), german];
    assert.deepEqual(chosen(passages, 1_000), ['https://a.org/1']);
    const other = facet('clause', 'Corvane sanderlings food beach');
    assert.equal(
      chosen([passages[0] ?? german, { ...german, fits: { 1: 1 } }], 1_000, [QUESTION, other]).length,
      2,
    );
  });

  test('a page that another brought up counts only if it says something still open', () => {
    const from = { relevance: 0.9, held: ['corvan', 'sanderl'], via: [] };
    const facets: Facet[] = [QUESTION, { ...facet('related', 'Ada Merrick'), from }];
    const brought = (quote: string): Passage =>
      passage('https://b.org/22', 0, { title: 'Ada Merrick', quote, fits: { 1: 0.9 } });
    const film = brought(`Ada Merrick saw them pick their food from the beach. ${textOf(8)}`);
    assert.equal(chosen([passage('https://a.org/1', 2), film], 1_000, facets).length, 2);
    const idle = brought(`Ada Merrick played the piano. ${textOf(8)}`);
    assert.deepEqual(chosen([passage('https://a.org/1', 2), idle], 1_000, facets), ['https://a.org/1']);
  });

  test('a passage is evidence for all facets that it fits nearly as well', () => {
    const facets = [QUESTION, facet('clause', 'Corvane food'), facet('clause', 'Corvane beach')];
    const [only] = chooseEvidence([passage('https://a.org/1', 4, { fits: { 0: 0.6, 1: 0.9, 2: 0.2 } })], {
      facets,
      tokens: 1_000,
    });
    assert.deepEqual(only?.facets, [1, 0]);
  });

  test('never exceeds the tokens, repeats no passage, ids in order, scores fall', () => {
    const some = fc.record({
      seed: fc.integer({ min: 0, max: 30 }),
      chars: fc.integer({ min: 5, max: 700 }),
      held: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 30 }), fc.integer({ min: 1, max: 2_000 }), (list, tokens) => {
        const passages = list.map(({ seed, chars, held }, place) =>
          passage(`https://s${seed}.org/${place}`, held, {
            quote: `${ASKED.slice(0, held).join(' ')} ${textOf(seed, chars)}`,
          }),
        );
        const evidence = chooseEvidence(passages, { facets: [QUESTION], tokens });
        const spent = evidence.reduce((sum, { quote }) => sum + Math.ceil(quote.length / 4), 0);
        assert.ok(spent <= tokens, `${spent} of ${tokens}`);
        assert.equal(new Set(evidence.map(({ url }) => url)).size, evidence.length);
        assert.deepEqual(
          evidence.map(({ id }) => id),
          evidence.map((_, place) => `e${place + 1}`),
        );
        const scores = evidence.map(({ score }) => score);
        assert.deepEqual(
          scores,
          scores.toSorted((one, other) => other - one),
        );
      }),
    );
  });
});
