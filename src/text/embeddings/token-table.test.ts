import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { openTable, packTable, quantizeRows } from './token-table.ts';
import { splitBertWords } from './word-piece.ts';

const FILE = new URL('../../../models/token-vectors/token-vectors.bin', import.meta.url);
/** Made once by the Python package `tokenizers` 0.23.3 from the vocabulary of the table. */
const CASES: { text: string; tokens: string[] }[] = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/word-pieces.json', import.meta.url), 'utf8'),
);

describe('the tokenizer of the token vectors', () => {
  const { tokens, tokenize } = openTable(readFileSync(FILE));

  for (const { text, tokens: expected } of CASES)
    it(`splits ${JSON.stringify(text.slice(0, 40))} as the original`, () => {
      assert.deepEqual(
        tokenize(text, 1_000).map((id) => tokens[id]),
        expected,
      );
    });

  it('stops at the most tokens that are asked for', () => {
    const whole = tokenize('unaffable words, again and again', 100);
    assert.deepEqual(tokenize('unaffable words, again and again', 3), whole.slice(0, 3));
  });

  it('takes a special token in a text for signs and a word', () => {
    assert.deepEqual(
      tokenize('[CLS]', 10).map((id) => tokens[id]),
      ['[', 'cl', '##s', ']'],
    );
  });
});

describe('a table of token vectors', () => {
  const vectors = quantizeRows([1, -2, 0.5, 0, 0, 0, 10, 5, -10], 3);

  it('is packed and opened without a loss beyond one byte a value', () => {
    const table = openTable(packTable(['[UNK]', 'a', '##b'], vectors));
    assert.deepEqual(table.tokens, ['[UNK]', 'a', '##b']);
    const values = Array.from(table.rows, (value, at) => value * (table.scales[Math.floor(at / 3)] ?? 0));
    for (const [at, value] of [1, -2, 0.5, 0, 0, 0, 10, 5, -10].entries())
      assert.ok(Math.abs((values[at] ?? Number.NaN) - value) < 0.05);
    assert.deepEqual(table.tokenize('ab abc', 10), [1, 2, 0]);
  });

  it('is refused when it is something else or cut off', () => {
    const bytes = packTable(['[UNK]', 'a', '##b'], vectors);
    assert.throws(() => openTable(bytes.subarray(0, bytes.length - 1)), /cut off/);
    assert.throws(() => openTable(new Uint8Array(40)), /not a table/);
    assert.throws(() => openTable(new Uint8Array(3)), /not a table/);
  });
});

it('reads a long text without spaces in linear time', () => {
  assert.equal(splitBertWords('漢'.repeat(50_000)).length, 50_000);
  assert.equal(splitBertWords('é'.repeat(50_000)).length, 1);
});
