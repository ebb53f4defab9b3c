import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { programPath } from '../fixtures/program.ts';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';
import { runPython, skipPython } from './python-environments.ts';

/** The published Python clients, unmodified. Their tests are written in Python, in the folder `python`. */
const TESTS = join(import.meta.dirname, 'python');
/** langchain-exa asks for an old exa-py. */
const ENVIRONMENT_OF: Record<string, string> = { test_langchain_exa: 'langchain-exa' };

describe('from PyPI', { skip: skipPython }, () => {
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
      SANDERLING_PROGRAM: programPath(),
      SANDERLING_FOLDER: process.cwd(),
    };
  });
  after(() => fixture.close());

  const names = readdirSync(TESTS).flatMap((file) => /^(test_\w+)\.py$/.exec(file)?.[1] ?? []);
  for (const name of names)
    test(name, async (t) => {
      const environment = ENVIRONMENT_OF[name] ?? 'current';
      const args = ['-W', 'ignore', '-m', 'unittest', '-v', name];
      const { code, output } = await runPython({ environment, cwd: TESTS }, { args, env });
      assert.equal(code, 0, output);
      const [, count = '0'] = /^Ran (\d+) tests? in/m.exec(output) ?? [];
      t.diagnostic(`${count} tests`);
      assert.ok(Number(count) > 0, output);
    });
});
