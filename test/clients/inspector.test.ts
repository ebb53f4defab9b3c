import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/http/calls/call.ts';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

/** The inspector of the protocol's makers, on its command line. */
const PROGRAM = join(import.meta.dirname, 'inspector/node_modules/.bin/mcp-inspector');
const RUN_MS_MAX = 60_000;

let fixture: ClientFixture;
let home: string;
let key: string;
before(async () => {
  fixture = await openClientFixture();
  key = await fixture.key();
  // It keeps a catalogue of servers in the home folder.
  home = mkdtempSync(join(tmpdir(), 'sanderling-inspector-'));
});
after(async () => {
  await fixture.close();
  rmSync(home, { recursive: true, force: true });
});

/** Runs one method; the output is its result as JSON. */
function inspect(...args: string[]): Promise<{ code: number; result: JsonObject | null; errors: string }> {
  const command = [PROGRAM, '--cli', `${fixture.served.address}/mcp`, '--header', `x-api-key: ${key}`];
  const env = { PATH: process.env.PATH ?? '', HOME: home };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...command, '--method', ...args],
      { env, timeout: RUN_MS_MAX },
      (error, output, errors) => {
        const result = output.startsWith('{') ? JSON.parse(output) : null;
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), result, errors: errors + output });
      },
    );
  });
}

/** A list of the result; what it holds is asserted where it is used. */
function listOf(result: JsonObject | null, name: string): Record<string, string>[] {
  const list = result?.[name];
  return Array.isArray(list) ? list : [];
}

const textOf = (result: JsonObject | null): string => listOf(result, 'content')[0]?.text ?? '';

describe('@modelcontextprotocol/inspector 2.12.0', () => {
  test('finds no fault in the definitions of the tools', async () => {
    const { code, result, errors } = await inspect('tools/list', '--strict');
    assert.equal(code, 0, errors);
    assert.equal(listOf(result, 'tools').length, 11);
  });

  test('calls a tool, and is charged', async () => {
    const before_ = await fixture.left(key);
    const { code, result, errors } = await inspect(
      'tools/call',
      ...['--tool-name', 'service_search', '--tool-arg', 'query=wading birds of sandy beaches'],
    );
    assert.equal(code, 0, errors);
    assert.match(textOf(result), /^1\. .*\nhttp/);
    assert.equal(before_ - (await fixture.left(key)), 1);
  });

  test('accepts the structured balance', async () => {
    const { code, result, errors } = await inspect('tools/call', '--tool-name', 'service_balance');
    assert.equal(code, 0, errors);
    const structured = result?.structuredContent as JsonObject | undefined;
    assert.equal(structured?.credits, await fixture.left(key));
  });

  test('shows a failure of a tool as an error', async () => {
    const { code, result, errors } = await inspect(
      'tools/call',
      ...['--tool-name', 'service_read', '--tool-arg', 'url=http://127.0.0.1:1/'],
    );
    assert.notEqual(code, 0, errors);
    assert.match(textOf(result) || errors, /url_not_allowed/);
  });

  test('reads a page by its template', async () => {
    const listed = await inspect('resources/templates/list');
    const [template] = listOf(listed.result, 'resourceTemplates');
    const page = encodeURIComponent(`${fixture.site.origin}/sanderling`);
    const { code, result, errors } = await inspect(
      'resources/read',
      ...['--uri', template?.uriTemplate?.replace('{url}', page) ?? ''],
    );
    assert.equal(code, 0, errors);
    assert.match(listOf(result, 'contents')[0]?.text ?? '', /^# Sanderling/);
  });
});
