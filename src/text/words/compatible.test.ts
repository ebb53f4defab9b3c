import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '../../../test/fixtures/cpu-time.ts';
import { splitBertWords } from '../embeddings/word-piece.ts';
import { toNfkc } from './compatible.ts';
import { foldAccents } from './scripts.ts';
import { tokenizeWords } from './words.ts';

test('a letter with very many marks takes linear time', () => {
  const text = `tide a${'\u0301\u0327'.repeat(60_000)} moon`;
  const ms = cpuMsOf(() => assert.deepEqual(tokenizeWords(text, 'en').slice(-1), ['moon']));
  assert.ok(ms < 800, `took ${ms} ms`);
});

test('other normal forms of it do too', () => {
  const letter = `a${'\u0301\u0327'.repeat(60_000)}`;
  for (const [name, work] of [
    ['foldAccents', () => assert.equal(foldAccents(`${letter}b`), 'ab')],
    ['splitBertWords', () => assert.deepEqual(splitBertWords(`${letter}b`), ['ab'])],
  ] as const) {
    const ms = cpuMsOf(work);
    assert.ok(ms < 800, `${name} took ${ms} ms`);
  }
});

test('letters with few marks are those of NFKC', () => {
  for (const text of ['plain', 'e\u0301', 'ﬁne ①', 'a\u0327\u0301', `a${'\u0301'.repeat(30)}`])
    assert.equal(toNfkc(text), text.normalize('NFKC'));
});
