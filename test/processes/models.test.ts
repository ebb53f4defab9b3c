import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { float32, safetensorsOf } from '../fixtures/safetensors.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { zipOf } from '../fixtures/zip.ts';
import { type Ended, runCli } from './run-cli.ts';

const TOKENIZER = JSON.stringify({
  normalizer: { type: 'BertNormalizer', lowercase: true },
  model: { type: 'WordPiece', unk_token: '[UNK]', vocab: { '[UNK]': 0, tide: 1, sea: 2 } },
});
const ARCHIVE = zipOf({
  'tiny/weights/tiny.safetensors': safetensorsOf({
    vectors: { dtype: 'F32', shape: [3, 2], bytes: float32(0, 0, 1, 0.1, 1, 0) },
  }),
  'tiny/tokenizer.json': TOKENIZER,
  'tiny/code.py': 'import os',
});
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const SHA256 = sha256Of(ARCHIVE);

describe('sanderling models', () => {
  let web: FakeWeb;
  const folder = mkdtempSync(join(tmpdir(), 'models-'));
  const file = join(folder, 'tiny.zip');
  const installed = (): string[] =>
    existsSync(join(folder, 'models')) ? readdirSync(join(folder, 'models')) : [];
  const run = (args: string[], settings: Record<string, string> = {}): Promise<Ended> =>
    runCli(folder, args, settings);
  const install = (...args: string[]): Promise<Ended> => run(['models', 'install', ...args]);

  before(async () => {
    writeFileSync(file, ARCHIVE);
    web = await startWeb({ routes: { '/tiny.zip': (_, response) => response.end(ARCHIVE) } });
  });
  after(async () => {
    await web.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('nothing is installed whose checksum is another', async () => {
    const other = sha256Of(new Uint8Array(1));
    const fetched = await install('tiny', '--url', `${web.origin}/tiny.zip`, '--sha256', other);
    assert.equal(fetched.code, 1);
    assert.equal(fetched.err, `the SHA-256 of tiny is ${SHA256}, not ${other}; nothing was installed\n`);
    const local = await install('tiny', '--file', file, '--sha256', other);
    assert.equal(local.code, 1);
    const mirrored = await install('wordllama-256', '--file', file);
    assert.match(mirrored.err, /^the SHA-256 of wordllama-256 is .*; nothing was installed\n$/);
    assert.deepEqual(installed(), []);
  });

  test('a model of the operator needs a source and a checksum, one of the list has its own', async () => {
    assert.match((await install('tiny')).err, /^There is no model "tiny" in the list/);
    assert.match((await install('tiny', '--file', file)).err, /needs --sha256/);
    assert.match((await install('../tiny', '--file', file, '--sha256', SHA256)).err, /is no name of a model/);
    assert.match((await install('wordllama-256', '--sha256', SHA256)).err, /leave out --sha256/);
    assert.match(
      (await install('tiny', '--url', `${web.origin}/gone.zip`, '--sha256', SHA256)).err,
      /status 404/,
    );
    assert.deepEqual(installed(), []);
  });

  test('an archive without a model is refused', async () => {
    const empty = zipOf({ 'readme.txt': 'nothing' });
    const path = join(folder, 'empty.zip');
    writeFileSync(path, empty);
    const { code, err } = await install('empty', '--file', path, '--sha256', sha256Of(empty));
    assert.deepEqual(
      [code, err],
      [1, 'the archive has neither a file *.safetensors nor model.onnx; nothing was installed\n'],
    );
    assert.deepEqual(installed(), []);
  });

  test('a model is fetched, checked, listed, used and removed', async () => {
    const { code, out } = await install('tiny', '--url', `${web.origin}/tiny.zip`, '--sha256', SHA256);
    assert.equal(code, 0);
    assert.match(out, /^tiny is installed\. Set EMBEDDING_MODEL=tiny and restart the server\./);
    assert.deepEqual(readdirSync(join(folder, 'models/tiny')).sort(), [
      'model.json',
      'tiny.safetensors',
      'tokenizer.json',
    ]);
    const listed = JSON.parse((await run(['models', '--json'])).out);
    assert.deepEqual(
      listed.map((model: { name: string; installed: boolean }) => [model.name, model.installed]),
      [
        ['tiny', true],
        ['wordllama-256', false],
        ['e5-small-v2', false],
        ['bge-small-en-v1.5', false],
        ['all-minilm-l6-v2', false],
      ],
    );
    const settings = { EMBEDDING_MODEL: 'tiny', VECTOR_RECALL: 'on', RECALL: 'index' };
    writeFileSync(join(folder, 'shore.md'), '# Shore\n\nAll about the sea.');
    assert.equal((await run(['import', 'shore.md', '--base-url', 'https://example.org/'], settings)).code, 0);
    assert.match((await run(['search', 'tide', '--json'], settings)).out, /example\.org/);
    assert.deepEqual((await run(['models', 'remove', 'tiny'])).out, 'tiny is removed.\n');
    assert.equal((await run(['models', 'remove', 'tiny'])).code, 1);
    assert.deepEqual(installed(), []);
  });

  test('a setting that names no model stops the start with one line', async () => {
    const { code, err } = await run(['search', 'tide'], { EMBEDDING_MODEL: 'tiny' });
    assert.equal(code, 1);
    assert.match(err, /^Setting EMBEDDING_MODEL: there is no model .*tiny\n$/);
  });
});
