import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startWeb } from '../fixtures/web.ts';
import { runCli } from './run-cli.ts';
import { startServer } from './server-process.ts';

/** Records on the command line: from one server to another. */
const pageOf = (price: string): string =>
  `<!doctype html><html lang="en"><title>Tariff</title><body><main><h1>Tariff</h1><p>The ferry between the two towns sails every hour from six until late.</p><p>A single ticket costs ${price} euros, and a return ticket costs twice as much.</p></main></body></html>`;

test('a record is listed, shown, exported, imported elsewhere and run again', async (t) => {
  let price = 'four';
  const site = await startWeb({
    address: '127.10.0.69',
    fallback: (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf(price)),
  });
  t.after(() => site.close());
  const [folder, otherFolder] = [mkdtempSync(join(tmpdir(), 'rec-')), mkdtempSync(join(tmpdir(), 'rec-'))];
  t.after(() => {
    for (const one of [folder, otherFolder]) rmSync(one, { recursive: true, force: true });
  });
  const settings = { METERING: 'off', FETCH_ALLOW_PRIVATE: '127.10.0.0/16' };
  const server = await startServer(t, folder, settings);
  const other = await startServer(t, otherFolder, settings);
  const run = (address: string, ...args: string[]) => runCli(folder, ['records', ...args, '--url', address]);
  assert.match((await run(server.address, 'list')).out, /Nothing is recorded/);
  const response = await fetch(`${server.address}/v1/contents`, {
    method: 'POST',
    body: JSON.stringify({ urls: [`${site.origin}/tariff`], highlights: { query: 'ticket' }, record: true }),
  });
  const { recordId: id } = (await response.json()) as { recordId: string };
  assert.match((await run(server.address, 'list')).out, new RegExp(`^${id}  .*contents  http`));
  const shown = await run(server.address, 'show', id);
  assert.equal(shown.code, 0, shown.err);
  assert.match(shown.out, /^same +http.*\/tariff$/m);
  assert.match(shown.out, /^(\d) of \1 citations? verified$/m);
  const file = join(folder, 'record.tar');
  assert.match((await run(server.address, 'export', id, file)).out, /^Wrote .*record\.tar/);
  const imported = await run(other.address, 'import', file);
  assert.match(imported.out, /^(\d) of \1 citations? verified$/m, imported.err);
  const bytes = readFileSync(file);
  bytes[700] = (bytes[700] ?? 0) ^ 1;
  writeFileSync(join(folder, 'tampered.tar'), bytes);
  const refused = await run(other.address, 'import', join(folder, 'tampered.tar'));
  assert.deepEqual(
    [refused.code, /record\.json differs from its hash/.test(refused.err)],
    [1, true],
    refused.err,
  );
  price = 'five';
  const again = await run(server.address, 'rerun', id);
  assert.match(again.out, /Nothing has changed|differ/, again.err);
});
