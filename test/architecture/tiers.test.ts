import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findFiles } from '../groups/describe-files.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The files that each tier of package.json runs. */
function filesOfTiers(): string[][] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return Object.entries(scripts)
    .filter(([name]) => name.startsWith('test:'))
    .map(([, command]) => [...command.matchAll(/'([^']+\.test\.ts)'/g)].map(([, pattern = '']) => pattern))
    .map((patterns) => globSync(patterns, { cwd: ROOT }).flatMap(filesOfGroup));
}

/** The files that a group runs in one process; another file runs itself. */
function filesOfGroup(file: string): string[] {
  if (!file.startsWith('test/groups/')) return [file];
  const text = readFileSync(join(ROOT, file), 'utf8');
  const [, pattern = '', part = '1', of = '1'] =
    /describeFiles\('([^']+)'(?:, \{ part: (\d+), of: (\d+) \})?\)/.exec(text) ?? [];
  return findFiles(pattern, { part: Number(part), of: Number(of) });
}

test('every file of tests runs in exactly one tier', () => {
  const tiers = filesOfTiers();
  const files = globSync('{src,test,bench,eval,scripts}/**/*.test.ts', {
    cwd: ROOT,
    exclude: (path) => path.includes('node_modules') || path === 'test/groups',
  });
  assert.ok(files.length > 500, `${files.length} files`);
  assert.deepEqual(
    files.filter((file) => tiers.filter((tier) => tier.includes(file)).length !== 1),
    [],
  );
});
