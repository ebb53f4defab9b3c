import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { float32, safetensorsOf } from '../../../test/fixtures/safetensors.ts';
import { createStaticEncoder } from './static-encoder.ts';
import { openSafetensors, openStaticModel, readTokenizer } from './static-model.ts';

type Kind = { tokenizer: object; cases: [text: string, ids: number[]][] };
/** Two small tokenizers and what the Python package `tokenizers` 0.23.3 makes of some texts with them. */
const KINDS: Record<string, Kind> = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/small-tokenizers.json', import.meta.url), 'utf8'),
);

for (const [kind, { tokenizer, cases }] of Object.entries(KINDS))
  describe(`a tokenizer of the kind ${kind}`, () => {
    const { tokenize } = readTokenizer(JSON.stringify(tokenizer));
    for (const [text, ids] of cases)
      it(`splits ${JSON.stringify(text)} as the original`, () => {
        assert.deepEqual(tokenize(text, 1_000), ids);
      });
  });

describe('readTokenizer', () => {
  it('refuses a kind that it does not read', () => {
    const bytes = {
      model: { type: 'BPE', vocab: { a: 0 }, merges: [] },
      pre_tokenizer: { type: 'ByteLevel' },
    };
    assert.throws(() => readTokenizer(JSON.stringify(bytes)), /kind that is not read \(BPE\)/);
    assert.throws(() => readTokenizer('{}'), /no vocabulary/);
  });
});

const u16 = (...values: number[]): Uint8Array => new Uint8Array(Uint16Array.from(values).buffer);

describe('openSafetensors', () => {
  it('reads the types in which vectors come', () => {
    const file = openSafetensors(
      safetensorsOf({
        single: { dtype: 'F32', shape: [1, 2], bytes: float32(1.5, -2) },
        half: { dtype: 'F16', shape: [4], bytes: u16(0x3c00, 0xc000, 0x0001, 0x7bff) },
        brain: { dtype: 'BF16', shape: [2], bytes: u16(0x3f80, 0xc040) },
        whole: { dtype: 'I64', shape: [1], bytes: new Uint8Array(BigInt64Array.from([7n]).buffer) },
      }),
    );
    assert.deepEqual(file.names, ['single', 'half', 'brain', 'whole']);
    assert.deepEqual(file.tensor('single'), { shape: [1, 2], values: Float32Array.from([1.5, -2]) });
    assert.deepEqual([...file.tensor('half').values], [1, -2, 2 ** -24, 65_504]);
    assert.deepEqual([...file.tensor('brain').values], [1, -3]);
    assert.deepEqual([...file.tensor('whole').values], [7]);
  });

  it('refuses what is not whole', () => {
    const bytes = safetensorsOf({ a: { dtype: 'F32', shape: [2], bytes: float32(1, 2) } });
    assert.throws(() => openSafetensors(bytes.subarray(0, -1)).tensor('a'), /cut off/);
    assert.throws(() => openSafetensors(bytes.subarray(0, 20)), /not a safetensors file/);
    assert.throws(() => openSafetensors(new Uint8Array(4)), /not a safetensors file/);
    assert.throws(() => openSafetensors(bytes).tensor('b'), /no tensor b/);
    const large = safetensorsOf({ a: { dtype: 'F32', shape: [1e6, 1e6], bytes: float32(1) } });
    assert.throws(() => openSafetensors(large).tensor('a'), /too large/);
    const odd = safetensorsOf({ a: { dtype: 'U4', shape: [1], bytes: float32(1) } });
    assert.throws(() => openSafetensors(odd).tensor('a'), /type U4/);
  });
});

describe('openStaticModel', () => {
  const vocab = { '[UNK]': 0, north: 1, east: 2, up: 3 };
  const tokenizer = JSON.stringify({
    normalizer: { type: 'BertNormalizer', lowercase: true },
    model: { type: 'WordPiece', unk_token: '[UNK]', vocab },
  });
  const matrix = { dtype: 'F32', shape: [3, 2], bytes: float32(0, 0, 1, 0, 0, 1) };

  it('takes weights and rows that tokens share', () => {
    const table = openStaticModel(
      safetensorsOf({
        embeddings: matrix,
        mapping: {
          dtype: 'I64',
          shape: [4],
          bytes: new Uint8Array(BigInt64Array.from([0n, 1n, 2n, 1n]).buffer),
        },
        weights: { dtype: 'F32', shape: [4], bytes: float32(1, 1, 3, 1) },
      }),
      tokenizer,
    );
    const [both, up] = createStaticEncoder(table).embed(['north east', 'up']);
    assert.ok(Math.abs((both?.[1] ?? 0) / (both?.[0] ?? 1) - 3) < 1e-5);
    assert.deepEqual([...(up ?? [])], [1, 0]);
  });

  it('says what does not fit', () => {
    const files = { embeddings: matrix };
    assert.throws(
      () => openStaticModel(safetensorsOf(files), tokenizer),
      /4 tokens, but only 3 have vectors/,
    );
    assert.throws(() => openStaticModel(safetensorsOf({}), tokenizer), /no matrix/);
    const flat = { embeddings: { dtype: 'F32', shape: [6], bytes: matrix.bytes } };
    assert.throws(() => openStaticModel(safetensorsOf(flat), tokenizer), /not a matrix/);
  });
});
