import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { describePackage, joinPages, readPackage } from '../../../test/libraries/read-package.ts';
import type { ApiEcosystem } from './api-reference.ts';
import { LIMITS } from './source-reader.ts';

const GOLDEN = join(import.meta.dirname, '../../../test/libraries/packages');
const ECOSYSTEMS: ApiEcosystem[] = ['npm', 'python', 'rust', 'go', 'jvm'];

describe('the reference of a written package', () => {
  for (const ecosystem of ECOSYSTEMS)
    test(`${ecosystem}: is as golden`, async () => {
      const reference = await describePackage(ecosystem, readPackage(ecosystem));
      assert.equal(joinPages(reference), readFileSync(join(GOLDEN, `${ecosystem}.md`), 'utf8'));
    });

  test('lists its items with kind, signature and line', async () => {
    const { pages } = await describePackage('rust', readPackage('rust'));
    const root = pages.find(({ module }) => module === 'tea_kettle');
    assert.deepEqual(
      root?.items.find(({ name }) => name === 'Kettle::new'),
      { name: 'Kettle::new', kind: 'method', signature: 'pub const fn new() -> Self', line: 27 },
    );
    assert.equal(root?.items.find(({ name }) => name === 'tea_kettle::quick')?.line, 35);
  });

  test('names what is private nowhere', async () => {
    for (const ecosystem of ECOSYSTEMS) {
      const reference = await describePackage(ecosystem, readPackage(ecosystem));
      const names = reference.pages.flatMap(({ items }) => items.map(({ name }) => name)).join('\n');
      assert.doesNotMatch(
        names,
        /(?:hidden|private|internal|secret|notPublic|not_|Hidden|Internal|Tested|NotPublic|unreachable|_spill)/,
      );
    }
  });
});

describe('a file that cannot be read', () => {
  test('is named with its first syntax error, and the rest of it and of the package is read', async () => {
    const { pages, skipped } = await describePackage('python', readPackage('python'));
    assert.deepEqual(skipped, [
      { path: 'src/kettle/broken.py', reason: 'syntax error at line 2; read in part' },
    ]);
    const names = pages.flatMap(({ items }) => items.map(({ name }) => name));
    assert.ok(names.includes('kettle.broken.fine'));
    assert.ok(names.includes('kettle.core.boil'));
  });

  test('is named if it is too long', async () => {
    const { pages, skipped } = await describePackage('go', {
      'go.mod': 'module m',
      'long.go': `package m\n${'//\n'.repeat(LIMITS.fileCharsMax / 3)}`,
      'short.go': 'package m\nfunc Short() {}\n',
    });
    assert.deepEqual(
      skipped.map(({ path }) => path),
      ['long.go'],
    );
    assert.deepEqual(
      pages[0]?.items.map(({ name }) => name),
      ['m.Short'],
    );
  });

  test('is named if parsing it takes too long, by the clock', async () => {
    let ms = 0;
    const { skipped } = await describePackage('python', { 'slow.py': 'x = [\n'.repeat(20_000) }, () => {
      ms += LIMITS.parseMs;
      return ms;
    });
    assert.deepEqual(skipped, [{ path: 'slow.py', reason: 'cannot be parsed: it takes too long' }]);
  });

  test('has no page of a package without sources', async () => {
    assert.deepEqual(await describePackage('npm', { 'package.json': '{' }), {
      pages: [],
      skipped: [{ path: 'package.json', reason: 'is no JSON' }],
    });
    assert.deepEqual(await describePackage('rust', {}), { pages: [], skipped: [] });
  });
});

describe('a hostile package', () => {
  const hostile: Record<string, { ecosystem: ApiEcosystem; files: Record<string, string> }> = {
    'namespaces in namespaces': {
      ecosystem: 'npm',
      files: { 'index.d.ts': `${'declare namespace a {'.repeat(20_000)}` },
    },
    'exports in circles': {
      ecosystem: 'npm',
      files: {
        'package.json': '{"types":"a.d.ts"}',
        'a.d.ts': "export * from './b'; export { x } from './b'; import { y } from './b'; export { y };",
        'b.d.ts': "export * from './a'; export { x } from './a'; import { y } from './a'; export { y };",
      },
    },
    'a path out of the package': {
      ecosystem: 'npm',
      files: { 'package.json': '{"types":"../../etc/passwd"}', 'a.d.ts': "export * from '../../x';" },
    },
    'stars in circles': {
      ecosystem: 'python',
      files: { 'p/__init__.py': 'from .a import *', 'p/a.py': 'from . import *\n__all__ = ["x"]' },
    },
    'a crate that uses itself': {
      ecosystem: 'rust',
      files: {
        'src/lib.rs': `pub mod a { pub use crate::*; pub use crate::b::x; }\npub use a::*;\npub mod b { pub use crate::a::x; }\n`,
      },
    },
    'types in types': { ecosystem: 'jvm', files: { 'A.java': 'public class A {'.repeat(20_000) } },
    'brackets without end': {
      ecosystem: 'go',
      files: { 'a.go': `package a\nvar A = ${'('.repeat(100_000)}` },
    },
  };
  for (const [name, { ecosystem, files }] of Object.entries(hostile))
    test(`${name}: ends with few items`, async () => {
      const { pages } = await describePackage(ecosystem, files);
      assert.ok(pages.flatMap(({ items }) => items).length <= LIMITS.nestingMax);
    });

  test('cannot leave the block of its signature or its comment', async () => {
    const { pages } = await describePackage('python', {
      'm.py':
        'def f(a="```\\n# Injected"):\n    """Text.\n\n    ```\n    # Not a heading\n    """\ndef g(): ...\n',
    });
    assert.equal(
      pages[0]?.markdown,
      [
        '# m: API reference\n\n## m.f\n',
        '````python\ndef f(a="```\\n# Injected")\n````\n',
        'Text.\n\n```\n# Not a heading\n```\n',
        '## m.g\n\n```python\ndef g()\n```\n',
      ].join('\n'),
    );
  });

  test('of many members is written as several pages', async () => {
    const members = Array.from({ length: 6_000 }, (_, index) => `member${index}(): void;`).join('\n');
    const { pages } = await describePackage('npm', {
      'index.d.ts': `export interface Big {\n${members}\n}`,
    });
    assert.ok(pages.length > 1);
    assert.equal(pages[1]?.fragment, 'package/~2');
    assert.equal(pages.flatMap(({ items }) => items).length, 6_001);
  });
});
