/**
 * Programs of others beside which ours is measured in the same run: each a script of this folder that reads JSON lines and prints one
 * JSON line for each. They need a Python that has their packages, named by EVAL_PYTHON
 * (`pip install htmldate trafilatura lxml_html_clean pdfplumber 'markitdown[docx,pptx,xlsx]'`). Without it they are left out, and the run says so.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs a peer over inputs. Returns its outputs in the same order, or null where it cannot run. */
export function runPeer<Output>(name: string, inputs: unknown[]): Output[] | null {
  const python = process.env.EVAL_PYTHON;
  if (python === undefined) {
    console.log(`${name}: not measured; EVAL_PYTHON names no Python that has it`);
    return null;
  }
  const { stdout, status, error } = spawnSync(python, [join(import.meta.dirname, `${name}.py`)], {
    input: inputs.map((input) => `${JSON.stringify(input)}\n`).join(''),
    stdio: ['pipe', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  if (error !== undefined || status !== 0) {
    console.log(`${name}: not measured; ${python} ended with ${error?.message ?? status}`);
    return null;
  }
  // The scripts beside this file print what their callers expect.
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Output);
}
const OUTPUT_BYTES_MAX = 500_000_000;
