import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createPatternSet, findNeededWords } from './pattern-set.ts';

describe('the words that a match needs', () => {
  const cases: [pattern: RegExp, words: string[] | null][] = [
    [/menu|\bnav/, ['menu', 'nav']],
    [/sign-?up/, ['sign']],
    [/(?:abc|de)+x/, ['abc', 'de']],
    [/ads?\b/, ['ad']],
    [/\(c\)|a\.b/, ['(c)', 'a.b']],
    [/\d pages/, [' pages']],
    [/[$€]\s?x?/, ['$', '€']],
    [/page \d+/, ['page ']],
    [/a{2,3}b?/, ['a']],
    [/(?=after)x?/, null],
    [/(?<=before)word/, ['word']],
    [/a*|b/, null],
    [/[a-z]/, null],
    [/Any Case/i, null],
    [/.{0,3}/, null],
  ];
  for (const [pattern, words] of cases)
    test(`${pattern}`, () => assert.deepEqual(findNeededWords(pattern), words));
});

describe('a set of patterns', () => {
  const patterns: [bit: number, pattern: RegExp][] = [
    /related|you (?:may|might) also/,
    /^(?:sort|filter)\b|\d (?:results|items)/,
    /\bads?\b|-ad\b|advert/,
    /ähnliche|关于|©/,
    /[$€]\s?\d/,
    /read-?more|more-?(?:from|in)/,
    /x*|never needed/,
  ].map((pattern, index) => [1 << index, pattern]);
  const bitsOf = createPatternSet(patterns);

  test('finds what each of its patterns finds alone', () => {
    const parts = fc.constantFrom(
      ...'related you may might also sort filter 3 12 results items ad ads -ad advert ähnliche äh 关于 关 © $ € read more from in x'.split(
        ' ',
      ),
      ' ',
      '-',
      'SORT',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (words) => {
        const text = words.join('');
        let bits = 0;
        for (const [bit, pattern] of patterns) if (pattern.test(text)) bits |= bit;
        assert.equal(bitsOf(text), bits);
      }),
      { numRuns: 3_000 },
    );
  });

  test('tries no pattern on a text without its words', () => {
    let tried = 0;
    class Counted extends RegExp {
      override test(text: string): boolean {
        tried += 1;
        return super.test(text);
      }
    }
    const counted = createPatternSet([
      [1, new Counted('menu|nav')],
      [2, new Counted('footer')],
    ]);
    assert.equal(counted('an ordinary sentence about birds'), 0);
    assert.equal(tried, 0);
    assert.equal(counted('the menu'), 1);
    assert.equal(tried, 1);
  });
});
