import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const unitTests = globSync('src/**/*.test.ts', { cwd: ROOT });

/** Unit tests share one process, so that a file's leftovers affect all others. */
describe('unit tests', () => {
  test('have beforeEach and afterEach only inside a describe: at the root they would run for every file', () => {
    assert.deepEqual(filesWith(/^(?:beforeEach|afterEach)\(/m), []);
  });

  test('need no database server', () => {
    assert.deepEqual(filesWith(/fixtures\/postgres\.ts/), []);
  });
});

function filesWith(pattern: RegExp): string[] {
  return unitTests.filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8')));
}
