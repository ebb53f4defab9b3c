import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containsVersion, findVersionPair, isPreferredVersion, parseUrlParts } from './page-version.ts';

test('addresses of one page in two versions differ in the version alone', () => {
  for (const [one, other] of [
    ['https://a.org/docs/15/wal.html', 'https://a.org/docs/16/wal.html'],
    ['https://a.org/en/3.2/topics/db/', 'https://a.org/en/stable/topics/db/'],
    ['https://a.org/v2/guide', 'https://a.org/v10/guide'],
    ['https://a.org/1.4.x/guide', 'https://a.org/2.0-rc1/guide'],
    ['https://a.org/docs/15/', 'https://a.org/docs/16/'],
    ['https://a.org/docs/v2', 'https://a.org/docs/v3'],
    ['https://a.org/release-1.4/guide', 'https://a.org/nightly/guide'],
  ] as const)
    assert.ok(findVersionPair(parseUrlParts(one), parseUrlParts(other)) !== null, `${one} ${other}`);
});

test('other addresses do not', () => {
  for (const [one, other] of [
    ['https://a.org/docs/15/wal.html', 'https://b.org/docs/16/wal.html'],
    ['https://a.org/docs/15/wal.html', 'https://a.org/docs/16/vacuum.html'],
    ['https://a.org/2023/05/a', 'https://a.org/2024/05/a'],
    ['https://a.org/docs/wal.html', 'https://a.org/docs/15/wal.html'],
    ['https://a.org/docs/15/wal.html', 'https://a.org/docs/15/wal.html'],
    ['https://a.org/1?page=1', 'https://a.org/2?page=2'],
    ['https://a.org/questions/7', 'https://a.org/questions/49'],
    ['no address', 'https://a.org/2'],
  ] as const)
    assert.equal(findVersionPair(parseUrlParts(one), parseUrlParts(other)), null, `${one} ${other}`);
});

test('an address names a version or not', () => {
  assert.ok(containsVersion(parseUrlParts('https://a.org/docs/3.1/guide')));
  assert.ok(!containsVersion(parseUrlParts('https://a.org/docs/guide')));
  assert.ok(!containsVersion(parseUrlParts('no address')));
});

test('the newest released version leads', () => {
  for (const [one, other] of [
    ['16', '15'],
    ['v10', 'v9'],
    ['3.10', '3.9'],
    ['3.1.2', '3.1'],
    ['stable', '5.0'],
    ['current', 'latest'],
    ['latest', '5.0'],
    ['5.0', 'dev'],
    ['5.0', '6.0-rc1'],
    ['6.0-rc1', '6.0-alpha1'],
    ['1.4.x', '1.3.x'],
  ] as const) {
    if (one !== '6.0-rc1') assert.ok(isPreferredVersion({ one, other }, 'how to vacuum'), `${one} ${other}`);
    assert.ok(!isPreferredVersion({ one: other, other: one }, 'how to vacuum'), `${other} ${one}`);
  }
});

test('a version that the question names leads', () => {
  for (const [one, other, query] of [
    ['15', '16', 'vacuum in postgresql 15'],
    ['3.2', 'stable', 'django 3.2 migrations?'],
    ['v2', 'v10', 'the v2 guide'],
    ['dev', 'stable', 'what is new in dev'],
  ] as const)
    assert.ok(isPreferredVersion({ one, other }, query), query);
});

test('a number that is no version of theirs changes nothing', () => {
  for (const query of ['vacuum 150 tables', 'error 15.7.1', 'release 3.15'])
    assert.ok(isPreferredVersion({ one: '16', other: '15' }, query), query);
});
