import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/**
 * The published Python clients, unmodified. Their tests are written in Python, in the folder `python`; each file runs in the
 * environment that `scripts/python-clients.sh` made for it.
 */
const TESTS = join(import.meta.dirname, 'python');
const ENVIRONMENTS = process.env.TEST_PYTHON_CLIENTS;
const NO_ENVIRONMENTS = 'TEST_PYTHON_CLIENTS is not set (scripts/python-clients.sh installs the clients)';
/** langchain-exa asks for an old exa-py. */
const ENVIRONMENT_OF: Record<string, string> = { test_langchain_exa: 'langchain-exa' };
const RUN_MS_MAX = 150_000;

if (ENVIRONMENTS === undefined && process.env.CI) throw new Error(`${NO_ENVIRONMENTS}, and CI is set`);

type Ran = { code: number | string | null; output: string };

/** Runs the tests of one Python file against the service. */
function run(name: string, env: Record<string, string>): Promise<Ran> {
  const python = join(ENVIRONMENTS ?? '', ENVIRONMENT_OF[name] ?? 'current', 'bin', 'python');
  assert.ok(existsSync(python), python);
  const settings = {
    PATH: process.env.PATH ?? '',
    // Python's own cache stays out of the source tree.
    PYTHONPYCACHEPREFIX: join(ENVIRONMENTS ?? '', 'cache'),
    // Both would ask a foreign server.
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    LANGSMITH_TRACING: 'false',
  };
  return new Promise((resolve) => {
    execFile(
      python,
      ['-W', 'ignore', '-m', 'unittest', '-v', name],
      { cwd: TESTS, env: { ...settings, ...env }, timeout: RUN_MS_MAX },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? null), output: stdout + stderr }),
    );
  });
}

describe('from PyPI', { skip: ENVIRONMENTS === undefined ? NO_ENVIRONMENTS : false }, () => {
  let fixture: ClientFixture;
  let env: Record<string, string>;
  before(async () => {
    fixture = await openClientFixture();
    env = {
      SANDERLING_URL: fixture.served.address,
      SANDERLING_SITE: fixture.site.origin,
      SANDERLING_OTHER: fixture.other.origin,
      SANDERLING_KEY: await fixture.key(),
      SANDERLING_POOR_KEY: await fixture.key(0),
      SANDERLING_NODE: process.execPath,
      SANDERLING_FOLDER: process.cwd(),
    };
  });
  after(() => fixture.close());

  const files = readdirSync(TESTS).filter((file) => /^test_\w+\.py$/.test(file));
  for (const file of files)
    test(file, async (t) => {
      const { code, output } = await run(file.replace('.py', ''), env);
      assert.equal(code, 0, output);
      const [, count = '0'] = /^Ran (\d+) tests? in/m.exec(output) ?? [];
      t.diagnostic(`${count} tests`);
      assert.ok(Number(count) > 0, output);
    });
});
