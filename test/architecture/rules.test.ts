import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  BLOB_BYTES_MAX,
  blobs,
  crumbs,
  deadExports,
  escapes,
  folderCycles,
  importCycles,
  importsAgainstArrows,
  impurities,
  literalSpreads,
  missingFiles,
  missingParagraphs,
  nounFunctions,
  participleNames,
  readArrows,
  revealingLogLines,
  sharedTables,
  treeOutOfDate,
  typeNamesTwice,
} from './rules.ts';
import { type SourceTree, sourceTreeOf } from './source-tree.ts';

/** A tree of files below `src/`. */
function treeOf(texts: Record<string, string>): SourceTree {
  return sourceTreeOf(Object.fromEntries(Object.entries(texts).map(([path, text]) => [`src/${path}`, text])));
}

describe('each rule finds what breaks it', () => {
  test('an import against the arrows, of a value or of a type', () => {
    const arrows = readArrows('text -> contract\nhttp -> text\ncontract -> (nothing)\n');
    const tree = treeOf({
      'text/a.ts': "import type { B } from '../http/b.ts';\nexport type A = B;",
      'text/c.ts': "import { d } from '../http/b.ts';\nd();",
      'http/b.ts': "import type { A } from '../text/a.ts';\nexport type B = 1;\nexport const d = (): A => 1;",
      'new/e.ts': '',
    });
    assert.deepEqual(importsAgainstArrows(tree, arrows).sort(), [
      'new/e.ts: its folder has no arrows',
      'text/a.ts: imports http/b.ts',
      'text/c.ts: imports http/b.ts',
    ]);
  });

  test('a file that imports itself, if only by a type', () => {
    const tree = treeOf({
      'a.ts': "import { b } from './b.ts';\nexport type A = 1;\nb();",
      'b.ts': "import type { A } from './a.ts';\nexport const b = (): A => 1;",
    });
    assert.deepEqual(importCycles(tree), ['a.ts: imports itself through b.ts']);
  });

  test('a folder that imports itself through another', () => {
    const tree = treeOf({
      'a/one.ts': "import { two } from '../b/two.ts';\ntwo();",
      'a/three.ts': 'export const three = 3;',
      'b/two.ts': "import { three } from '../a/three.ts';\nexport const two = () => three;",
    });
    assert.deepEqual(importCycles(tree), []);
    assert.deepEqual(folderCycles(tree), ['a/: imports itself through b']);
  });

  describe('an effect in a pure folder', () => {
    const pure = { pureFolders: ['text'], pureBeside: ['limits.ts'] };
    const EFFECTS = [
      ...['Date.now()', 'new Date()', 'new Date;', 'Date()', 'performance.now()', 'Math.random()'],
      ...[
        'crypto.randomUUID()',
        'process.env.LANG',
        'globalThis.name',
        'navigator.language',
        'console.log(1)',
      ],
      ...[
        'setTimeout(f)',
        'setInterval(f)',
        'setImmediate(f)',
        'queueMicrotask(f)',
        'AbortSignal.timeout(1)',
      ],
      ...["fetch('a')", "require('a')", "eval('a')", "new Worker('a')", 'Atomics.wait(a)'],
      ...[
        'new Intl.Segmenter()',
        'new Intl.Segmenter(undefined, a)',
        'a.toLocaleString()',
        'a.localeCompare(b)',
      ],
    ];
    const MODULES = [
      ...['node:fs', 'node:fs/promises', 'fs', 'node:crypto', 'crypto', 'node:process', 'node:timers'],
      ...['node:timers/promises', 'node:net', 'node:dns', 'node:http', 'node:os', 'node:child_process'],
      ...['node:worker_threads', 'node:perf_hooks', 'node:async_hooks', 'node:sqlite', 'node:vm'],
    ];

    test('by a global', () => {
      const files = Object.fromEntries(EFFECTS.map((use, index) => [`text/f${index}.ts`, `${use}\n`]));
      const found = impurities(treeOf(files), pure).map((violation) => violation.split(': ')[0]);
      assert.deepEqual(found.sort(), Object.keys(files).sort());
    });

    test('by a module of Node, however it is imported', () => {
      const tree = treeOf({
        ...Object.fromEntries(MODULES.map((name, index) => [`text/f${index}.ts`, `import '${name}';`])),
        'text/named.ts': "import { createHash } from 'node:crypto';\ncreateHash;",
        'text/default.ts': "import fs, { type Stats } from 'node:fs';\nfs as Stats;",
        'text/later.ts': "await import('node:os');",
      });
      assert.deepEqual(
        impurities(tree, pure).sort(),
        [
          ...MODULES.map((name, index) => `text/f${index}.ts: imports ${name}`),
          'text/default.ts: imports node:fs',
          'text/later.ts: imports node:os',
          'text/named.ts: imports node:crypto',
        ].sort(),
      );
    });

    test('by a file that is not pure, also in files beside the folder', () => {
      const tree = treeOf({
        'limits.ts': 'export const MAX = Math.random();',
        'text/upward.ts': "import { log } from '../platform/log.ts';\nlog();",
        'platform/log.ts': 'export const log = () => 1;',
      });
      assert.deepEqual(impurities(tree, pure).sort(), [
        'limits.ts: uses Math.random',
        'text/upward.ts: imports ../platform/log.ts',
      ]);
    });

    test('but not where a function of its input only looks like one', () => {
      const tree = treeOf({
        'text/fine.ts':
          "import assert from 'node:assert/strict';\nimport { MAX } from '../limits.ts';\nassert(MAX);",
        'text/types.ts': "import type { Stats } from 'node:fs';\nexport type A = Stats;",
        'text/dates.ts':
          "new Date(0); new Date(day); Date.parse(day); a.preprocess.b; new Intl.Segmenter('und');",
        'limits.ts': 'export const MAX = 1;',
        'platform/clock.ts': 'export const now = () => Date.now();',
      });
      assert.deepEqual(impurities(tree, pure), []);
    });
  });

  test('a package or a text outside its places', () => {
    const tree = treeOf({
      'a.ts': "import pg from 'pg';\npg();",
      'store/b.ts': "import pg from 'pg';\npg();",
      'c.ts': 'export const c = process.env.C;',
    });
    const found = escapes(tree, [
      { by: 'import', what: /^pg$/, places: /^store\// },
      { by: 'text', what: /process\.env/, places: /^main\.ts$/ },
    ]);
    assert.deepEqual(found.sort(), ['a.ts: uses ^pg$', 'c.ts: uses process\\.env']);
  });

  test('a table that two folders query', () => {
    const tree = treeOf({
      'a/one.ts': "db.selectFrom('hold')",
      'a/two.ts': "db.updateTable('hold')",
      'b/one.ts': "db.insertInto('hold')",
      'b/two.ts': "db.insertInto('other')",
    });
    assert.deepEqual(sharedTables(tree), ['hold: is queried by a and b']);
  });

  test('a log line with a URL', () => {
    const tree = treeOf({
      'a.ts': "log.warn({ url: page.url }, 'it failed');",
      'b.ts': "log.debug({ url: page.url }, 'it failed');\nlog.warn({ host }, 'it failed');",
    });
    assert.deepEqual(revealingLogLines(tree), ['a.ts: logs a URL or a query']);
  });

  test('an object literal that is spread into another', () => {
    const tree = treeOf({
      'a.ts': 'export const a = (b: object) => ({ ...b, ...{ c: 1 } });',
      'b.ts': 'export const b = (c: object) => ({ ...c });',
    });
    assert.deepEqual(literalSpreads(tree), ['a.ts: spreads an object literal']);
  });

  test('an exported name that is not imported, except procedures; imports by tests count', () => {
    const tree = sourceTreeOf({
      'src/c.ts': 'export const take = defineProcedure(import.meta.url, function* take() {});',
      'src/a.ts':
        'export const used = 1;\nexport const dead = 2;\nexport const tested = 3;\nexport type T = 4;',
      'src/b.ts': "import { used } from './a.ts';\nused;",
      'test/a.test.ts': "import { tested } from '../src/a.ts';\ntested;",
    });
    assert.deepEqual(deadExports(tree), [
      'a.ts: dead is not imported anywhere',
      'a.ts: T is not imported anywhere',
    ]);
  });

  test('a type name with two meanings', () => {
    const tree = treeOf({
      'a.ts': 'export type Page = 1;\nexport type Other = 2;',
      'b.ts': 'export interface Page { c: 1 }',
    });
    assert.deepEqual(typeNamesTwice(tree), ['Page: is exported by a.ts and b.ts']);
  });

  test('a large blob outside models/', () => {
    const tree = treeOf({});
    tree.sizes.set('src/words.bin', BLOB_BYTES_MAX + 1).set('models/words.bin', BLOB_BYTES_MAX + 1);
    assert.deepEqual(blobs(tree), [`src/words.bin: has ${BLOB_BYTES_MAX + 1} bytes and is outside models/`]);
  });

  test('a small file with a single importer', () => {
    const tree = treeOf({
      'small.ts': 'export const a = 1;',
      'shared.ts': 'export const b = 1;',
      'one.ts': "import { a } from './small.ts';\nimport { b } from './shared.ts';\na + b;",
      'two.ts': "import { b } from './shared.ts';\nb;",
    });
    assert.deepEqual(crumbs(tree), ['small.ts: is under 30 lines and has one importer']);
  });

  test('a comment about a file that is gone', () => {
    const tree = treeOf({
      'text/a.ts': '/** See b.ts and `gone.ts`. */\n// Read by old/c.ts.',
      'text/b.ts': '',
    });
    assert.deepEqual(missingFiles(tree), [
      'text/a.ts: a comment names gone.ts, which does not exist',
      'text/a.ts: a comment names old/c.ts, which does not exist',
    ]);
  });

  test('a document whose tree differs from the code', () => {
    const document = ['```', 'src/', '  text/   words', '    chunk/  gone/   pieces', '```'].join('\n');
    const tree = treeOf({ 'text/chunk/a.ts': '', 'text/new/b.ts': '', 'pages/c.ts': '' });
    assert.deepEqual(treeOutOfDate(tree, document).sort(), [
      'pages/: is not in the tree',
      'text/gone/: is in the tree, but not in src',
      'text/new/: is not in the tree',
    ]);
  });

  test('a folder whose functions are named by nouns', () => {
    const verbs = new Set(['read', 'is']);
    const named = (name: string): string => `export function ${name}(): void {}\n`;
    const nouns = Array.from({ length: 3 }, (_, at) => named(`page${at}`)).join('');
    const tree = treeOf({
      'a/one.ts': named('readPage') + nouns,
      'b/two.ts': `${named('readPage')}const isOpen = (at: number): boolean => at > 0;\nconst toText = async () => {};`,
    });
    assert.deepEqual(
      nounFunctions(tree, verbs).map((violation) => violation.split(':')[0]),
      ['a'],
    );
  });

  test('a type or a function that is a bare participle', () => {
    const tree = treeOf({
      'a.ts':
        'export type Wanted = 1;\nexport type WantedParts = 1;\nfunction asked() {}\nfunction askedFor() {}',
    });
    assert.deepEqual(participleNames(tree), [
      'a.ts: Wanted is a bare participle',
      'a.ts: asked is a bare participle',
    ]);
  });

  test('a module that no paragraph introduces', () => {
    const files = (first: string): [string, string][] => [
      ['one.ts', first],
      ['two.ts', 'export const two = 2;'],
      ['three.ts', 'export const three = 3;'],
    ];
    const folder = (name: string, first: string) =>
      Object.fromEntries(files(first).map(([file, text]) => [`${name}/${file}`, text]));
    const paragraph = `/** ${'Reads pages and promises that nothing is lost on the way. '.repeat(2)} */\n`;
    const tree = treeOf({ ...folder('a', ''), ...folder('b', paragraph) });
    assert.deepEqual(missingParagraphs(tree), ['a/: no file begins with a paragraph about the module']);
  });
});
