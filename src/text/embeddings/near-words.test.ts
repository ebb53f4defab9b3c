import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stemWord } from '../words/stems.ts';
import { findEncoder, findTokenTable } from './encoder-for.ts';
import { findNearWords } from './near-words.ts';
import { computeCosine } from './static-encoder.ts';

const stems = (word: string): string[] => findNearWords(word).map(({ stem }) => stem);

test('words of nearly the same meaning come nearest first, without other forms of the word itself', () => {
  assert.equal(stems('max')[0], 'maximum');
  assert.ok(stems('finished').includes('complet'));
  assert.ok(!stems('increase').includes('increas'));
  for (const word of ['max', 'finished', 'password']) {
    const cosines = findNearWords(word).map((one) => one.cosine);
    assert.deepEqual(
      cosines,
      cosines.toSorted((left, right) => right - left),
    );
    assert.ok(cosines.every((value) => value > 0.3 && value < 1) && cosines.length <= 6);
  }
});

test('the comparison of signs misses next to none of those that a comparison with every word finds', () => {
  const encoder = findEncoder(null);
  const words = (findTokenTable(null)?.tokens ?? []).filter((token) => /^[a-z]{3,}$/.test(token));
  for (const word of ['increase', 'undo', 'password', 'thread']) {
    const [asked] = encoder?.embed([word]) ?? [];
    assert.ok(asked);
    const near = words.filter((other) => {
      const [vector] = encoder?.embed([other]) ?? [];
      return vector !== undefined && computeCosine(asked, vector) >= 0.42;
    });
    const expected = new Set(
      near.map((other) => stemWord(other, 'en')).filter((stem) => stem !== stemWord(word, 'en')),
    );
    const found = stems(word);
    assert.ok(
      expected.size > 0 && [...expected].every((stem) => found.includes(stem) || found.length === 6),
      word,
    );
  }
});

test('a word that the model does not know has no others', () => {
  assert.deepEqual(findNearWords('ʬʬʬ'), []);
});
