import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSidePage, wantsSidePage } from './side-page.ts';

test('release notes, lists of changes, indexes and legal pages are beside the subject', () => {
  for (const [path, title] of [
    ['/releases/v2.4.1.html', 'What’s new in 2.4.1'],
    ['/whatsnew/3.11', 'New features'],
    ['/genindex.html', 'Index'],
    ['/docs/page-12', 'Release Notes — Manual'],
    ['/license', 'Licence'],
  ] as const)
    assert.ok(isSidePage(`https://docs.example${path}`, title), path);
});

test('listings of source code are beside the documentation, unless it is asked for', () => {
  assert.ok(isSidePage('https://docs.example/_modules/core/upload.html', 'core.upload'));
  assert.ok(isSidePage('https://docs.example/_sources/upload.rst.txt', 'Uploads'));
  assert.ok(isSidePage('https://docs.example/code/upload', 'Source code for core.upload'));
  assert.ok(!isSidePage('https://docs.example/modules/upload', 'Upload modules'));
  assert.ok(wantsSidePage('source code of the upload handler'));
  assert.ok(!wantsSidePage('upload handler'));
});

test('other pages are not', () => {
  for (const [path, title] of [
    ['/library/os.html', 'os'],
    ['/releases/notes/howto/install', 'Installation'],
    ['/admin/monitor-changed-files', 'Watching files'],
    ['/blog/a', 'How the history of a city changes its people'],
  ] as const)
    assert.ok(!isSidePage(`https://docs.example${path}`, title), path);
});

test('a query may ask for them', () => {
  assert.ok(wantsSidePage("what's new in version 3"));
  assert.ok(wantsSidePage('changelog 2.4'));
  assert.ok(!wantsSidePage('change the owner of a file'));
});
