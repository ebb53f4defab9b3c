import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWordPiece, splitBertWords } from './word-piece.ts';

const TOKENS = ['[UNK]', 'wade', '##r', '##s', 'a', 'b', '.', '-', '日', 'e', '##e', '#', '_', '9', '##9'];
const CHARACTERS = [
  ...'abewadrsWADERS99',
  ...'  \n\t..--#_é日ÅΣ',
  ...['\0', '\f', '\u00a0', '\u0301', '\u200b', '😀', '“'],
];

function randomText(seed: number): string {
  let state = seed * 2_654_435_761 + 1;
  return Array.from({ length: seed % 90 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return CHARACTERS[Math.floor((state / 2 ** 32) * CHARACTERS.length)];
  }).join('');
}

test('a text has the tokens of its words, one after the other', () => {
  const make = () => createWordPiece({ ids: new Map(TOKENS.map((token, id) => [token, id])), unknown: 0 });
  const tokenize = make();
  const ofWord = make();
  for (let seed = 1; seed < 3_000; seed += 1) {
    const text = randomText(seed);
    const tokens = splitBertWords(text).flatMap((word) => ofWord(word, 100));
    assert.deepEqual(tokenize(text, 1_000), tokens, JSON.stringify(text));
    assert.deepEqual(tokenize(text, 5), tokens.slice(0, 5));
  }
});

test('more words than are remembered change nothing', () => {
  const tokenize = createWordPiece({ ids: new Map(TOKENS.map((token, id) => [token, id])), unknown: 0 });
  const many = Array.from({ length: 60_000 }, (_, number) => `x${number}`).join(' ');
  assert.equal(tokenize(many, 100_000).length, 60_000);
  assert.deepEqual(tokenize('Waders, a', 10), [1, 2, 3, 0, 4]);
});
