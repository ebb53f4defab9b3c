import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  chooseMavenVersion,
  choosePythonVersion,
  chooseSemver,
  convertPessimistic,
} from './choose-version.ts';

test('npm, crates and others: the newest within a range; previews only where nothing else is', () => {
  const versions = ['4.9.0', '5.0.0', '5.1.0', '6.0.0-rc.1', '10.0.0'];
  const cases: [string | null, string | null][] = [
    [null, '10.0.0'],
    ['5', '5.1.0'],
    ['^4.0.0', '4.9.0'],
    ['5.0.0', '5.0.0'],
    ['^7', null],
  ];
  for (const [range, expected] of cases) assert.equal(chooseSemver(versions, range), expected);
  assert.equal(chooseSemver(['1.0.0-beta.1'], null), '1.0.0-beta.1');
});

test('Python: specifiers, bare beginnings, and no previews', () => {
  const versions = ['4.2', '4.2.10', '5.0', '5.1rc1'];
  const cases: [string | null, string | null][] = [
    [null, '5.0'],
    ['4.2', '4.2'],
    ['4', '4.2.10'],
    ['>=4,<5', '4.2.10'],
    ['~=4.2.1', '4.2.10'],
    ['>=6', null],
  ];
  for (const [range, expected] of cases)
    assert.equal(choosePythonVersion(versions, range), expected, `${range}`);
});

test('Maven: the newest release, ranges of its own grammar, and numbers compared as numbers', () => {
  const versions = ['1.9', '1.10', '2.0-rc1', '2.0', '33.0.0-jre', '34.0-alpha-1'];
  const cases: [string | null, string | null][] = [
    [null, '33.0.0-jre'],
    ['1.9', '1.9'],
    ['[1.0,2.0)', '1.10'],
    ['[2.0]', '2.0'],
    ['(,1.9]', '1.9'],
    ['[50,)', null],
  ];
  for (const [range, expected] of cases)
    assert.equal(chooseMavenVersion(versions, range), expected, `${range}`);
});

test('Ruby: the pessimistic operator', () => {
  assert.equal(convertPessimistic('~> 3.1'), '>=3.1.0 <4.0.0-0');
  assert.equal(convertPessimistic('~> 3.1.2'), '>=3.1.2 <3.2.0-0');
});
