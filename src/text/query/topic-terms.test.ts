import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  buildTopicQuery,
  computeTopic,
  measureTopicOverlap,
  QUERY_TERMS,
  readTopicWords,
  type TermFrequencies,
} from './topic-terms.ts';

const NOTHING_KNOWN: TermFrequencies = { pages: 0, frequencies: new Map() };
const topic = (markdown: string, { title = '', background = NOTHING_KNOWN, language = 'en' } = {}) =>
  computeTopic(readTopicWords({ title, markdown, language }), background);
const terms = (markdown: string, more = {}): string[] => topic(markdown, more).terms.map(({ term }) => term);

describe('topicOf', () => {
  test('the title comes first', () => {
    assert.equal(terms('heron heron otter river', { title: 'Otter' })[0], 'otter');
  });

  test('a rare word comes before a common one that is said as often', () => {
    const order = terms('people sanderling people sanderling');
    assert.ok(order.indexOf('sanderl') < order.indexOf('peopl'), order.join(' '));
  });

  test('a word that most pages of a large index say counts little', () => {
    const background = { pages: 10_000, frequencies: new Map([['otter', 9_000]]) };
    assert.equal(terms('otter otter heron heron', { background })[0], 'heron');
  });

  test('a name written large within sentences counts more', () => {
    assert.equal(terms('we saw wozzle and Bazzle there, and wozzle and Bazzle again')[0], 'bazzl');
  });

  test('stop words, single letters and short numbers are left out', () => {
    assert.deepEqual(terms('the of x 12 345 1984').sort(), ['1984']);
  });

  test('other scripts have topics too', () =>
    assert.ok(terms('東京都の天気', { language: 'ja' }).length > 0));
});

describe('buildTopicQuery', () => {
  test('at most eight words, as the page writes them', () => {
    const query = buildTopicQuery(
      topic('Sanderlings run. Sanderlings rest. a b c d e f g h wader surf beach tide mud salt sand'),
    );
    assert.ok(query.includes('Sanderlings'));
    assert.ok(query.split(' ').length <= QUERY_TERMS);
  });

  test('words that stand side by side in the page do so in the query', () => {
    const query = buildTopicQuery(
      topic('garbage collector heap; garbage collector pause; heap heap heap garbage collector'),
    );
    assert.match(query, /garbage collector/);
  });

  test('a page without words has no query', () => assert.equal(buildTopicQuery(topic('the of and')), ''));
});

describe('laws', () => {
  const text = fc
    .array(fc.constantFrom('otter', 'heron', 'River', 'of', 'the', '1984', 'x', '東京'), { maxLength: 40 })
    .map((words) => words.join(' '));

  test('overlap is symmetric, within 0 and 1, and 1 with itself', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [left, right] = [topic(one), topic(other)];
        const overlap = measureTopicOverlap(left, right);
        assert.ok(overlap >= 0 && overlap <= 1);
        assert.ok(Math.abs(overlap - measureTopicOverlap(right, left)) < 1e-9);
        if (left.terms.length > 0) assert.ok(Math.abs(measureTopicOverlap(left, left) - 1) < 1e-9);
      }),
    );
  });

  test('weights descend from 1', () => {
    fc.assert(
      fc.property(text, (one) => {
        const weights = topic(one).terms.map(({ weight }) => weight);
        assert.deepEqual(
          weights,
          weights.toSorted((left, right) => right - left),
        );
        if (weights.length > 0) assert.equal(weights[0], 1);
      }),
    );
  });
});
