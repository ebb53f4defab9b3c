import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createLog } from '../../src/platform/log.ts';
import { resolveModelPackages } from '../../src/recall/rerank/open-model.ts';
import {
  createReranker,
  JUDGED_MAX,
  type Reranker,
  rerankResults,
} from '../../src/recall/rerank/reranker.ts';
import { type TinyModel, writeTinyModel } from '../fixtures/tiny-model.ts';

const root = mkdtempSync(join(tmpdir(), 'reranker-'));
after(() => rmSync(root, { recursive: true, force: true }));
const log = createLog('silent');

/** The packages that run models are not among the dependencies; where they are absent this suite says so. */
const areInstalled = isInstalled();
const skip = areInstalled ? false : 'npm ci --ignore-scripts --prefix runtime/models was not run';

function isInstalled(): boolean {
  try {
    return resolveModelPackages().length > 0;
  } catch {
    return false;
  }
}

type Files = Record<string, object>;

async function judged(
  model: TinyModel,
  query: string,
  passages: string[],
  files: Files = {},
): Promise<number[] | null> {
  const folder = mkdtempSync(join(root, 'model-'));
  writeTinyModel(folder, model);
  mkdirSync(join(folder, '1_Pooling'));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), JSON.stringify(content));
  const reranker = await createReranker({ folder, log });
  try {
    return await reranker.judge(query, passages);
  } finally {
    await reranker.close();
  }
}

describe('a model that is there', { skip }, () => {
  test('a cross-encoder: the logit of the pair, between 0 and 1', async () => {
    const words = { good: [9], bad: [-9], asked: [0] };
    const [bad = 1, good = 0] = (await judged({ kind: 'cross', words }, 'asked', ['bad', 'good'])) ?? [];
    assert.ok(bad < 0.1 && good > 0.9, `${bad} ${good}`);
  });

  test('a bi-encoder: the cosine of the means', async () => {
    const words = { otter: [1, 0], mustelid: [1, 0.1], ledger: [0, 1] };
    const [near = 0, far = 1] = (await judged({ kind: 'bi', words }, 'otter', ['mustelid', 'ledger'])) ?? [];
    assert.ok(near > 0.9 && far < 0.1, `${near} ${far}`);
  });

  test('a bi-encoder whose folder says so: the cosine of the first tokens, after its prompts', async () => {
    const words = { ask: [1, 0], say: [0, 1], otter: [1, 0], ledger: [0, 1] };
    const model: TinyModel = { kind: 'bi', words };
    const first = { '1_Pooling/config.json': { pooling_mode_cls_token: true } };
    const [same = 0, other = 1] =
      (await judged(model, 'otter ledger', ['otter ledger ledger', 'ledger otter'], first)) ?? [];
    assert.ok(same > 0.99 && other < 0.01, `${same} ${other}`);
    const prompts = {
      'config_sentence_transformers.json': { prompts: { query: 'ask ', passage: 'say ' } },
    };
    // Both are then "ask otter" and "say otter": (1, 0) and (.5, .5).
    const [apart = 1] = (await judged(model, 'otter', ['otter'], prompts)) ?? [];
    assert.ok(Math.abs(apart - Math.SQRT1_2) < 0.001, `${apart}`);
    const [apartByFirst = 1] = (await judged(model, 'otter', ['otter'], { ...first, ...prompts })) ?? [];
    assert.ok(apartByFirst < 0.01, `${apartByFirst}`);
  });

  test('tokens: the mean over the words of the question of the nearest in the passage', async () => {
    const words = {
      begin: [1, 1],
      otter: [1, 0],
      mustelid: [0.9, 0.1],
      ledger: [0, 1],
      end: [1, 1],
      none: [0, 0],
    };
    const folder = mkdtempSync(join(root, 'model-'));
    writeTinyModel(folder, { kind: 'bi', words });
    const reranker = await createReranker({ folder, log });
    // The first and the last token of the question do not count.
    const question = 'begin otter ledger end';
    const [both = 0, one = 0, none = 1] =
      (await reranker.compareTokens(question, ['ledger ledger otter', 'mustelid', 'none'])) ?? [];
    await reranker.close();
    assert.ok(both > 0.999, `${both}`);
    assert.ok(one > 0.5 && one < 0.6, `${one}`);
    assert.equal(none, 0);
  });

  test('a cross-encoder has no tokens to compare', async () => {
    const folder = mkdtempSync(join(root, 'model-'));
    writeTinyModel(folder, { kind: 'cross', words: { good: [9] } });
    const reranker = await createReranker({ folder, log });
    assert.equal(await reranker.compareTokens('good', ['good']), null);
    await reranker.close();
  });

  test('a folder that says it wrongly: one line that names the file', async () => {
    const wrong = { '1_Pooling/config.json': { pooling_mode_cls_token: 'yes' } };
    await assert.rejects(
      judged({ kind: 'bi', words: { otter: [1] } }, 'otter', ['otter'], wrong),
      /^Error: .*1_Pooling\/config\.json: pooling_mode_cls_token: [^\n]+$/,
    );
  });

  test('no more passages are judged than the bound, and none of none', async () => {
    const model: TinyModel = { kind: 'cross', words: { good: [9] } };
    assert.equal((await judged(model, 'good', new Array(20).fill('good')))?.length, JUDGED_MAX);
    assert.equal(await judged(model, 'good', []), null);
  });

  // Less than no time: the thread gives up before the first passage, or is late even for that.
  for (const budgetMs of [-1, -100])
    test(`a budget of ${budgetMs} ms is over at once`, async () => {
      const folder = mkdtempSync(join(root, 'model-'));
      writeTinyModel(folder, { kind: 'cross', words: { good: [9] } });
      const reranker = await createReranker({ folder, log, budgetMs });
      assert.equal(await reranker.judge('good', ['good']), null);
      await reranker.close();
    });

  test('a second call while one runs is not kept waiting', async () => {
    const folder = mkdtempSync(join(root, 'model-'));
    writeTinyModel(folder, { kind: 'cross', words: { good: [9] } });
    const reranker = await createReranker({ folder, log });
    const answers = await Promise.all([reranker.judge('good', ['good']), reranker.judge('good', ['good'])]);
    assert.deepEqual([answers[0]?.length, answers[1]], [1, null]);
    assert.equal((await reranker.judge('good', ['good']))?.length, 1);
    await reranker.close();
  });
});

test('results without a model, and with one that is late, stay as they are', async () => {
  const results = [
    { title: 'a', snippet: 'good', score: 0.6 },
    { title: 'b', snippet: 'bad', score: 0.5 },
  ];
  const scripted = (scores: number[] | null): Reranker => ({
    judge: async () => scores,
    compareTokens: async () => null,
    close: async () => {},
  });
  assert.equal(await rerankResults(results, 'q', scripted(null)), null);
  assert.equal((await rerankResults(results, 'q', scripted([0, 1])))?.[0]?.title, 'b');
});

test('a folder without a model is refused with one line', async () => {
  await assert.rejects(createReranker({ folder: root, log }), /has no onnx\/model_quantized\.onnx/);
});

test('packages that are missing are refused with the command that installs them', {
  skip: areInstalled,
}, async () => {
  const folder = mkdtempSync(join(root, 'model-'));
  writeTinyModel(folder, { kind: 'cross', words: { good: [9] } });
  await assert.rejects(createReranker({ folder, log }), /npm ci --ignore-scripts --prefix .*models/);
});
