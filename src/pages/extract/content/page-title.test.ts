import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createWordCounter } from './page-title.ts';

describe('createWordCounter', () => {
  const words = fc.stringMatching(/^[a-z0-9é]{1,3}$/);
  const texts = fc.string({ unit: fc.constantFrom(...'abC1 é-\u00A0İ'), maxLength: 40 });

  test('counts what a pattern finds, in any case and script', () => {
    fc.assert(
      fc.property(fc.uniqueArray(words, { maxLength: 12 }), texts, (wanted, text) => {
        const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
        assert.equal(
          createWordCounter(new Set(wanted))(text),
          found.filter((word) => wanted.includes(word)).length,
        );
      }),
    );
  });

  test('every place of a word counts, words within others do not', () => {
    assert.equal(createWordCounter(new Set(['road']))('Road, road: broad roads'), 2);
    assert.equal(createWordCounter(new Set())('road'), 0);
  });
});
