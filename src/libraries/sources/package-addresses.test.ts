import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ecosystem } from '../library-types.ts';
import { buildFileAddress, buildModuleAddress } from './package-addresses.ts';

const NAMES: [Ecosystem, string, string][] = [
  ['npm', 'wader', 'wader'],
  ['pypi', 'wader', 'wader'],
  ['crates', 'wader', 'wader'],
  ['go', 'example.org/wader', 'example.org/wader'],
  ['maven', 'org.birds:wader', 'org/birds/Wader'],
];

test('the README and the API reference of a package have different addresses: of pages with one address only the first is held', () => {
  for (const [ecosystem, name, module] of NAMES)
    for (const isPrivate of [false, true]) {
      const release = {
        ecosystem,
        name,
        version: '1.0.0',
        isPrivate,
        archives: [
          { kind: 'package' as const, url: 'https://registry.example.org/wader.tgz', authorization: null },
        ],
        licence: null,
        homepage: null,
        documentation: null,
        repository: null,
        repositoryFolder: null,
        description: null,
      };
      assert.notEqual(buildFileAddress(release, 'README.md'), buildModuleAddress(release, module), name);
    }
});
