import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createCondenser, type QueryBounds } from './condense-query.ts';

const condenseQuery = (query: string, bounds: QueryBounds): string => createCondenser(query).condense(bounds);
const keywordsOf = (query: string, max: number): string[] => createCondenser(query).keywords(max);

const BRAVE = { chars: 280, words: 36 };

describe('condenseQuery', () => {
  test('a query that fits is unchanged, on one line', () => {
    assert.equal(condenseQuery('  how do I\n read "a csv"? ', BRAVE), 'how do I read "a csv"?');
  });

  test('a long question keeps phrases, names, numbers and code, and drops what every question contains', () => {
    const question = `Hello, I have been trying for a while to find out why my service, which runs on Ubuntu 24.04, gives me
      "connection reset by peer" whenever I call http.request() with keepAlive set to true. I looked around and I could not
      find anything about it. Is there something that I should do with the agent? Please tell me what to look for.`;
    const condensed = condenseQuery(question, { chars: 120, words: 14 });
    for (const kept of ['"connection reset by peer"', 'Ubuntu', '24.04', 'http.request', 'keepAlive'])
      assert.ok(condensed.includes(kept), condensed);
    for (const dropped of ['have', 'Please', 'which ']) assert.ok(!condensed.includes(dropped), condensed);
    assert.ok(condensed.length <= 120 && condensed.split(' ').length <= 14);
    assert.ok(condensed.indexOf('Ubuntu') < condensed.indexOf('keepAlive'), 'in their order');
  });

  test('a repeated word counts more than one that occurs once', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const filler = letters.map((letter) => `filler${letter.repeat(6)}`);
    const question = [...filler, 'plover', 'and', 'plover', 'or', 'plover'].join(' ');
    assert.match(condenseQuery(question, { chars: 100, words: 3 }), /plover/);
  });

  test('a question of stop words alone keeps the first of them', () => {
    assert.equal(condenseQuery('to be or not to be, that is it', { chars: 12, words: null }), 'to be or not');
  });

  test('a text without spaces is taken apart into its words', () => {
    const condensed = condenseQuery('東京都の人口はどのくらいですか教えてください'.repeat(20), {
      chars: 30,
      words: 8,
    });
    assert.ok(condensed.length > 0 && condensed.length <= 30);
    assert.match(condensed, /東京/);
  });

  test('not one word fits: nothing is left, rather than half a word', () => {
    assert.equal(condenseQuery('x'.repeat(39), { chars: 20, words: null }), '');
    assert.equal(condenseQuery('', BRAVE), '');
    assert.equal(condenseQuery('?!', { chars: 1, words: null }), '');
  });

  test('it always fits, is well formed, and every word of it comes from the question', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 50 }),
      fc.constantFrom(
        'the',
        'Ubuntu',
        'os.path',
        '"two words"',
        'C++',
        '“gull tern”',
        '\ud83e',
        '🦀🦀',
        '東京都の人口',
      ),
    );
    const bounds = fc.record({
      chars: fc.integer({ min: 1, max: 400 }),
      words: fc.option(fc.integer({ min: 1, max: 50 })),
    });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 120 }), bounds, (words, { chars, words: wordsMax }) => {
        const query = words.join(' ').slice(0, 2_000);
        const condensed = condenseQuery(query, { chars, words: wordsMax });
        assert.ok(condensed.length <= chars);
        assert.ok(condensed === '' || condensed.split(' ').length <= (wordsMax ?? Infinity));
        assert.ok(condensed.isWellFormed());
        const line = query.toWellFormed();
        for (const part of condensed.split(/[\s"]+/)) assert.ok(line.includes(part), part);
        assert.equal(condenseQuery(condensed, { chars, words: wordsMax }), condensed);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('keywordsOf', () => {
  const table: [query: string, max: number, keywords: string[]][] = [
    ['how do I rotate the logs?', 5, ['rotate', 'logs']],
    ['what is the capital of Mongolia', 5, ['capital', 'Mongolia']],
    ['C++ vs C# (and .NET)', 5, ['C++', 'vs', 'C#', '.NET']],
    ['the "permission denied" error in /etc/hosts', 2, ['permission denied', 'etc/hosts']],
    ['who starred in the film Kiss and Tell', 4, ['starred', 'film', 'Kiss', 'Tell']],
    ['tell me if 5 g creatine helps adults over 60', 3, ['creatine', 'helps', 'adults']],
    ['to be or not to be', 3, ['to', 'be', 'or']],
    ['', 3, []],
  ];
  for (const [query, max, keywords] of table) {
    test(JSON.stringify(query), () => assert.deepEqual(keywordsOf(query, max), keywords));
  }
});
