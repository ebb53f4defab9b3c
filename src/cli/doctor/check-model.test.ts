import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type ModelServerFake, startModelServer } from '../../../test/fixtures/model-server.ts';
import { readConfig } from '../../app/config.ts';
import type { Verdict } from '../check-result.ts';
import { checkModel } from './check-model.ts';

describe('the line about the model', () => {
  let model: ModelServerFake;
  let folder: string;
  before(async () => {
    model = await startModelServer();
    folder = mkdtempSync(join(tmpdir(), 'doctor-model-'));
  });
  beforeEach(() => model.play('right'));
  after(async () => {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const check = (settings: Record<string, string> = {}): Promise<Verdict> =>
    checkModel(
      readConfig({
        DATA_DIR: folder,
        MODEL_URL: model.url,
        MODEL_NAME: 'scripted',
        MODEL_KEY: 'a-secret',
        ...settings,
      }),
    );

  test('names the model, its time, its JSON mode and what was spent today', async () => {
    const { mark, text } = await check({ MODEL_TOKENS_PER_DAY: '9000' });
    assert.equal(mark, 'ok', text);
    assert.match(
      text,
      /^scripted at http:\S+ answered in \d+ ms, JSON mode \w+; 0 calls and 0 of 9000 tokens today$/,
    );
    assert.doesNotMatch(text, /a-secret/);
    assert.equal(model.asked().length, 1);
  });

  test('warns of a reply that is not in the form asked for', async () => {
    model.play('invalid');
    const { mark, text } = await check();
    assert.equal(mark, 'warning', text);
    assert.match(text, /not in the form asked for/);
  });

  test('fails where the server fails, and says what to do', async () => {
    model.play('500');
    const { mark, text } = await check();
    assert.equal(mark, 'failure', text);
    assert.match(text, /start it, or unset MODEL_URL$/);
    assert.doesNotMatch(text, /a-secret/);
  });

  test('is off where no model is set', async () => {
    assert.equal((await checkModel(readConfig({ DATA_DIR: folder }))).mark, 'off');
    assert.equal(model.asked().length, 0);
  });
});
