import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCountryDomains } from './country.ts';

const cases: [given: unknown, domains: string[] | null][] = [
  ['norway', ['no']],
  [' Norway ', ['no']],
  ['no', ['no']],
  ['united kingdom', ['uk']],
  ['GB', ['uk']],
  ['united states', ['us', 'gov', 'edu', 'mil']],
  ['usa', ['us', 'gov', 'edu', 'mil']],
  ['south korea', ['kr']],
  ['turkey', ['tr']],
  ['germany', ['de']],
  ['atlantis', null],
  ['european union', null],
  ['', null],
  ['constructor', null],
  [7, null],
  [{ any: 1 }, null],
];
for (const [given, domains] of cases)
  test(`${JSON.stringify(given)} is ${domains}`, () => assert.deepEqual(findCountryDomains(given), domains));
