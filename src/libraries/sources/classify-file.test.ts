import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyFile } from './classify-file.ts';

const CASES: Record<string, string | null> = {
  'README.md': 'guide markdown',
  README: 'guide text',
  'README.zh-CN.md': null,
  'packages/core/readme.markdown': 'guide markdown',
  'docs/Guides/Getting-Started.md': 'guide markdown',
  'docs/Reference/Server.md': 'reference markdown',
  'docs/api.rst': 'reference rst',
  'docs/topics/db/queries.txt': 'guide text',
  'docs/releases/5.0.txt': 'changelog text',
  'docs/zh/guide.md': null,
  'docs/_static/notes.md': null,
  'docs/logo.png': null,
  'CHANGELOG.md': 'changelog markdown',
  'CHANGES.rst': 'changelog rst',
  HISTORY: 'changelog text',
  'examples/hello.js': 'example code',
  'examples/README.md': 'example markdown',
  'examples/a/b/c/d/deep.js': null,
  'src/index.js': null,
  'src/notes.txt': null,
  'LICENSE.md': null,
  'CONTRIBUTING.md': null,
  'test/fixtures/page.md': null,
  'node_modules/other/README.md': null,
  '.github/README.md': null,
  'internal/parser/README.md': null,
  'requirements.txt': null,
};
for (const [path, expected] of Object.entries(CASES))
  test(path, () => {
    const file = classifyFile(path);
    assert.equal(file === null ? null : `${file.kind} ${file.format}`, expected);
  });
