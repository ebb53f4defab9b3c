import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { buildSdkPrograms } from '../../src/http/docs/reference/sdk-programs.ts';
import { OPERATIONS } from '../../src/http/openapi/operations.ts';
import { type Served, serveScripted } from '../harness.ts';
import { SCRIPTED } from '../http/openapi/scripted-operations.ts';
import { runPython, skipPython } from './python-environments.ts';

const run = promisify(execFile);

/** The programs for client libraries in the reference run as they stand, with the published packages. */
describe('programs for client libraries in the reference', () => {
  let served: Served;
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-'));
  before(async () => {
    served = await serveScripted(SCRIPTED);
    symlinkSync(resolve('test/clients/node_modules'), join(folder, 'node_modules'));
  });
  after(async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const { id, example } of Object.values(OPERATIONS)) {
    const programsAt = (serviceUrl: string) =>
      buildSdkPrograms({ id, body: example?.body ?? null }, { serviceUrl, withKey: true });
    for (const [place, { library }] of programsAt('').entries()) {
      const isPython = /python|-py$/.test(library);
      test(`${id} with ${library}`, { skip: isPython ? skipPython : false }, async () => {
        const file = join(folder, `${id}.${isPython ? 'py' : 'mjs'}`);
        writeFileSync(file, programsAt(served.address)[place]?.code ?? '');
        if (isPython) {
          const { code, output } = await runPython({ cwd: folder }, { args: [file] });
          assert.equal(code, 0, output);
          assert.match(output, /example\.org/);
        } else {
          const { stdout } = await run(process.execPath, [file], { cwd: folder, timeout: 60_000 });
          assert.match(stdout, /example\.org/);
        }
      });
    }
  }
});
