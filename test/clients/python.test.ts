import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { programPath } from '../fixtures/program.ts';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';
import { runPython, skipPython } from './python-environments.ts';
import { openWrittenFixture } from './written-fixture.ts';

/** The published Python clients, unmodified. Their tests are written in Python, in the folder `python`. */
const TESTS = join(import.meta.dirname, 'python');
/** langchain-exa asks for an old exa-py. */
const ENVIRONMENT_OF: Record<string, string> = { test_langchain_exa: 'langchain-exa' };

/** Tests over a service that has a model. */
const WRITTEN = new Set(['test_written']);

const NAMES = readdirSync(TESTS).flatMap((file) => /^(test_\w+)\.py$/.exec(file)?.[1] ?? []);
describeTests(
  'from PyPI',
  () => openClientFixture(),
  NAMES.filter((name) => !WRITTEN.has(name)),
);
describeTests(
  'from PyPI, with a model',
  openWrittenFixture,
  NAMES.filter((name) => WRITTEN.has(name)),
);

function describeTests(what: string, open: () => Promise<ClientFixture>, names: readonly string[]): void {
  describe(what, { skip: skipPython }, () => runTests(open, names));
}

function runTests(open: () => Promise<ClientFixture>, names: readonly string[]): void {
  let fixture: ClientFixture;
  let env: Record<string, string>;
  before(async () => {
    fixture = await open();
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
}
