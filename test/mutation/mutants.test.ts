import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { MUTANTS, mutated } from './mutants.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the mutants', () => {
  test('number 150, each with a name of its own', () => {
    assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length);
    assert.equal(MUTANTS.length, 150);
  });

  for (const mutant of MUTANTS)
    test(`${mutant.name} fits the present source, and its suite exists`, () => {
      const source = readFileSync(join(ROOT, mutant.file), 'utf8');
      assert.notEqual(mutated(source, mutant), source);
      assert.deepEqual(
        mutant.suite.filter((file) => !existsSync(join(ROOT, file))),
        [],
      );
    });

  test('a replacement that fits nowhere, or twice, is refused', () => {
    const mutant = { name: 'n', file: 'f.ts', find: 'b', replace: '$&', suite: [] };
    assert.equal(mutated('abc', mutant), 'a$&c');
    for (const source of ['ac', 'abcb'])
      assert.throws(() => mutated(source, mutant), /^Error: n: "b" occurs/);
  });
});
