import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differInVersion } from './url-spelling.ts';

test('addresses of one page in two versions differ in the version alone', () => {
  for (const [one, other] of [
    ['https://a.org/docs/15/wal.html', 'https://a.org/docs/16/wal.html'],
    ['https://a.org/en/3.2/topics/db/', 'https://a.org/en/stable/topics/db/'],
    ['https://a.org/v2/guide', 'https://a.org/v10/guide'],
  ] as const)
    assert.ok(differInVersion(one, other), `${one} ${other}`);
});

test('other addresses do not', () => {
  for (const [one, other] of [
    ['https://a.org/docs/15/wal.html', 'https://b.org/docs/16/wal.html'],
    ['https://a.org/docs/15/wal.html', 'https://a.org/docs/16/vacuum.html'],
    ['https://a.org/2023/05/a', 'https://a.org/2024/05/a'],
    ['https://a.org/docs/wal.html', 'https://a.org/docs/15/wal.html'],
    ['https://a.org/docs/15/wal.html', 'https://a.org/docs/15/wal.html'],
    ['https://a.org/1?page=1', 'https://a.org/2?page=2'],
    ['no address', 'https://a.org/2'],
  ] as const)
    assert.ok(!differInVersion(one, other), `${one} ${other}`);
});
