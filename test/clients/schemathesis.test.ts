import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openChargedFixture } from '../http/calls/charged-service.ts';
import { SCRIPTED } from '../http/openapi/scripted-operations.ts';
import { runPython, skipPython } from './python-environments.ts';

const CREDITS = 1_000_000;
/**
 * What every answer must be. The others do not hold here: fields that are unknown or that an option does not read are ignored, and a
 * priced call works without a key.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** A second opinion on the OpenAPI document: a foreign reader of it makes requests, valid and broken, and compares the answers. */
test('schemathesis finds no answer that the document does not describe', { skip: skipPython }, async (t) => {
  const fixture = await openChargedFixture(null, SCRIPTED);
  // It keeps notes where it runs.
  const cwd = mkdtempSync(join(tmpdir(), 'sanderling-schemathesis-'));
  t.after(async () => {
    await fixture.close();
    rmSync(cwd, { recursive: true, force: true });
  });
  const { apiKey } = await fixture.billing.keys.create({ credits: CREDITS, label: null });
  const { code, output } = await runPython(
    { program: 'schemathesis', cwd },
    {
      args: [
        ...['run', `${fixture.served.address}/openapi.json`, '--no-color', '--continue-on-failure'],
        ...['--phases', 'examples,coverage', '--generation-deterministic', '--checks', CHECKS.join(',')],
        // Aliases of an operation have a number behind its name. An address may open a few payment pages only, then gets a 503.
        ...['--exclude-operation-id-regex', '^buy$|_[0-9]+$', '-H', `x-api-key: ${apiKey}`],
      ],
    },
  );
  const [, cases = '0'] = /(\d+) generated/.exec(output) ?? [];
  t.diagnostic(`${cases} requests`);
  assert.equal(code, 0, output);
  assert.ok(Number(cases) > 500, output);
});
