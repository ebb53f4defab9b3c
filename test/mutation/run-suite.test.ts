import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Outcome } from './outcome.ts';
import { runSuite } from './run-suite.ts';

const BOUNDS = { ms: 60_000, msAfterFailure: 0, bytes: 2 ** 40 };
const ENDLESS =
  "import { test } from 'node:test';\ntest('endless', () => new Promise((done) => setTimeout(done, 1e9)));";

describe('a suite that runs', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-suite-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const run = (text: string, bounds = BOUNDS): Promise<Outcome> => {
    writeFileSync(join(folder, 'a.test.mjs'), text);
    return runSuite(['a.test.mjs'], { folder, env: process.env, bounds });
  };

  test('passes', async () => {
    assert.deepEqual(await run("import { test } from 'node:test';\ntest('one', () => {});"), {
      kind: 'passed',
    });
  });

  test('is stopped after its first failure', async () => {
    const failing = "test('broken', () => { throw new Error(); });";
    assert.deepEqual(await run(`${ENDLESS.replace('\n', `\n${failing}\n`)}`), {
      kind: 'failed',
      test: 'broken',
    });
  });

  test('is stopped when it takes too long', async () => {
    assert.deepEqual(await run(ENDLESS, { ...BOUNDS, ms: 1 }), { kind: 'time' });
  });

  test('is stopped when it takes too much memory', { skip: process.platform !== 'linux' }, async () => {
    assert.deepEqual(await run(ENDLESS, { ...BOUNDS, bytes: 1 }), { kind: 'memory' });
  });
});
