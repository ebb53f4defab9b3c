import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { zipOf } from '../../../test/fixtures/zip.ts';
import { CATALOGUE } from './catalogue.ts';
import { installModel } from './model-folders.ts';

test('a sentence encoder is installed with the files that say how it makes a vector', (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'model-folders-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const archive = zipOf({ 'tiny.onnx': 'a graph', 'tiny-tokenizer.json': '{}' });
  const { folder, setting } = installModel(
    dataDir,
    {
      name: 'tiny',
      sha256: createHash('sha256').update(archive).digest('hex'),
      parts: { 'tiny.onnx': 'model_quantized.onnx', 'tiny-tokenizer.json': 'tokenizer.json' },
      sentences: { pooling: 'first', prompts: { query: 'query: ', passage: 'passage: ' } },
    },
    archive,
  );
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  assert.equal(setting, 'RERANK_MODEL');
  assert.equal(read('model_quantized.onnx'), 'a graph');
  assert.deepEqual(JSON.parse(read('1_Pooling/config.json')), {
    pooling_mode_cls_token: true,
    pooling_mode_mean_tokens: false,
  });
  assert.deepEqual(JSON.parse(read('config_sentence_transformers.json')), {
    prompts: { query: 'query: ', passage: 'passage: ' },
  });
});

test('each model of the list has a checksum, and parts that make a model of its setting', () => {
  for (const { name, sha256, setting, parts } of CATALOGUE) {
    assert.match(sha256, /^[0-9a-f]{64}$/, name);
    const files = Object.values(parts).sort();
    const model = setting === 'RERANK_MODEL' ? 'model_quantized.onnx' : 'model.safetensors';
    assert.deepEqual(files, [model, 'tokenizer.json'], name);
  }
});
