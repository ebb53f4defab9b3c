import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildPlainArticle } from '../../src/pages/formats/plain-article.ts';
import { openVersionStore } from '../../src/platform/store/versions/open-version-store.ts';
import { createVersions } from '../../src/versions/versions.ts';
import { runCli } from './run-cli.ts';

/** The versions that a server has kept, on the command line. */
const URL = 'https://ferry.example/tariff';
const TEXT = '# Tariff\n\nA single ticket costs four euros, and a return ticket costs seven euros.\n';
const folder = mkdtempSync(join(tmpdir(), 'versions-'));
before(async () => {
  const store = await openVersionStore({ dataDir: folder, databaseUrl: null });
  const versions = createVersions({ store, bytesMax: 1_000_000 });
  for (const [day, markdown] of [TEXT, TEXT.replace('four', 'five')].entries()) {
    const article = buildPlainArticle(URL, { kind: 'markdown', title: 'Tariff', markdown, rawChars: 90 });
    await versions.record({ url: URL, article, at: Date.parse(`2026-11-0${day + 1}T12:00:00Z`) });
  }
  await versions.close();
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('versions are listed, read and compared', async () => {
  const listed = await runCli(folder, ['versions', URL]);
  assert.deepEqual(
    [listed.code, listed.out.split('\n')],
    [
      0,
      [
        '   2  2026-11-02T12:00:00.000Z  83 characters, seen once',
        '   1  2026-11-01T12:00:00.000Z  83 characters, seen once',
        '',
      ],
    ],
    listed.err,
  );
  assert.equal((await runCli(folder, ['versions', URL, '--at', '2026-11-01'])).out, TEXT);
  const changes = await runCli(folder, ['versions', URL, '--changes']);
  assert.match(changes.out, /A single ticket costs ~~four~~\*\*five\*\* euros/);
  assert.match((await runCli(folder, ['versions', URL, '--lines'])).out, /^-A single ticket costs four/m);
  const none = await runCli(folder, ['versions', 'https://ferry.example/other']);
  assert.deepEqual([none.code, none.err], [1, 'no version of this page is kept\n']);
});
