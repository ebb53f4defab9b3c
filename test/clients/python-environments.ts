import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the virtual environments that `scripts/python-clients.sh` made. */
const FOLDER = process.env.TEST_PYTHON_CLIENTS;
const MISSING = 'TEST_PYTHON_CLIENTS is not set (scripts/python-clients.sh installs the clients)';
if (FOLDER === undefined && process.env.CI) throw new Error(`${MISSING}, and CI is set`);

/** Why tests of Python clients are skipped; false where there are some. */
export const skipPython: string | false = FOLDER === undefined ? MISSING : false;

const RUN_MS_MAX = 170_000;

type Ran = { code: number | string | null; output: string };

/** Runs a program of one environment to its end, or for as long as a test may take. */
export function runPython(
  {
    environment = 'current',
    program = 'python',
    cwd,
  }: { environment?: string; program?: string; cwd?: string },
  { args, env = {} }: { args: string[]; env?: Record<string, string> },
): Promise<Ran> {
  const file = join(FOLDER ?? '', environment, 'bin', program);
  assert.ok(existsSync(file), file);
  const settings = {
    PATH: process.env.PATH ?? '',
    // Python's own cache stays out of the source tree.
    PYTHONPYCACHEPREFIX: join(FOLDER ?? '', 'cache'),
    // Both would ask a foreign server.
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    LANGSMITH_TRACING: 'false',
    ...env,
  };
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env: settings, timeout: RUN_MS_MAX }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? null), output: stdout + stderr }),
    );
  });
}
