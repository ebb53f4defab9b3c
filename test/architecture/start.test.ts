import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { readSourceTree, type SourceFile } from './source-tree.ts';

/** What `sanderling serve` loads before it listens. */
const ENTRIES = ['app/serve.ts', 'http/server/app.ts'];
/** Parts that many servers never use, and packages that only they need. */
const LATER = [
  ...['http/console/console-pages.ts', 'http/site/account/account-pages.ts', 'http/site/payments/success.ts'],
  ...['http/site/start/home.ts', 'http/site/reading/read-page.ts', 'research/research.ts'],
  ...['crawl/import/import-pages.ts', 'app/workers/serve-workers.ts'],
  ...['libraries/libraries.ts', 'semver', 'smol-toml', 'tar', 'yaml', 'yauzl'],
  ...['re2js', 'marked', 'stripe', 'pg'],
];

test('a start loads no part that its first use loads', () => {
  const files = new Map(readSourceTree(resolve('.')).files.map((file) => [file.path, file]));
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    const file = files.get(name);
    if (file !== undefined) for (const imported of importedAtOnce(file)) load(imported);
  };
  for (const entry of ENTRIES) load(entry);
  assert.ok(loaded.has('app/compose.ts') && loaded.has('fastify'), 'the imports are followed');
  assert.deepEqual(
    LATER.filter((name) => loaded.has(name)),
    [],
  );
});

/** An import or export-from of values. */
const OF_VALUES = /^(?:import|export) (?!type )[^;]*?\bfrom '([^']+)'/gm;

/** Modules of the project by path, packages by name; none that is imported as the code runs, and no types. */
function importedAtOnce({ text, imports }: SourceFile): string[] {
  const paths = new Map(imports.map(({ specifier, path }) => [specifier, path]));
  return [...text.matchAll(OF_VALUES)].map(([, specifier = '']) => paths.get(specifier) ?? specifier);
}
