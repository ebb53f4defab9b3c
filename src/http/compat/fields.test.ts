import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addScheme } from '../calls/json-body.ts';
import { computeWorkMs, pageFormat, rawContent } from '../shape-b/fields.ts';
import { createCappedNumberSchema, createClampedSchema, createTextListSchema, flag } from './fields.ts';
import { buildFaviconUrl } from './results.ts';

test('a flag accepts every common spelling', () => {
  for (const on of [true, 'true', 'True', 'basic', 'advanced', 1, '1', 'yes'])
    assert.equal(flag.parse(on), true, String(on));
  for (const off of [false, 'false', ' FALSE ', '', 0, '0', 'no', 'none', undefined, {}, []])
    assert.equal(flag.parse(off), false, JSON.stringify(off));
});

test('raw content and the format of pages', () => {
  const wanted = [true, 'markdown', 'text', 'Text', 'plain_text', 'anything', false, 'false', undefined];
  assert.deepEqual(
    wanted.map((given) => rawContent.parse(given)),
    ['markdown', 'markdown', 'text', 'text', 'text', 'markdown', null, null, null],
  );
  assert.deepEqual(
    ['markdown', 'text', 'html', 7, undefined].map((given) => pageFormat.parse(given)),
    ['markdown', 'text', 'markdown', 'markdown', 'markdown'],
  );
});

describe('numbers', () => {
  const count = createCappedNumberSchema({ min: 0, max: 25 });
  test('a whole number or its text, capped at the maximum', () => {
    for (const [given, read] of [
      [3, 3],
      ['3', 3],
      [' 40 ', 25],
      [0, 0],
    ])
      assert.equal(count.parse(given), read);
  });
  test('anything else, or a value below the minimum, is refused', () => {
    for (const given of [-1, '-1', 1.5, 'three', {}, true])
      assert.equal(count.safeParse(given).success, false, String(given));
  });
  test('a clamped number is refused only where it is no number', () => {
    const seconds = createClampedSchema({ min: 1, max: 60 });
    for (const [given, read] of [
      [0, 1],
      [600, 60],
      ['30', 30],
      [2.5, 2.5],
      [' ', undefined],
      [undefined, undefined],
    ])
      assert.equal(seconds.parse(given), read, String(given));
    for (const given of ['soon', '1e3', {}, [], true])
      assert.equal(seconds.safeParse(given).error?.issues[0]?.message, 'must be a number');
  });
});

test('one text becomes a list of one; empty texts are dropped', () => {
  const list = createTextListSchema({ max: 2, what: 'domains', example: 'a.org' });
  assert.deepEqual(list.parse('a.org'), ['a.org']);
  assert.deepEqual(list.parse([' a.org ', '', 'b.org', ' ']), ['a.org', 'b.org']);
  assert.deepEqual(list.parse(undefined), []);
  assert.equal(list.safeParse(['a', 'b', 'c']).success, false);
  assert.equal(list.safeParse([1]).success, false);
});

test('work ends before the client gives up', () => {
  assert.equal(computeWorkMs(10, 60_000), 8_500);
  assert.equal(computeWorkMs(150, 60_000), 60_000);
  assert.equal(computeWorkMs(undefined, 60_000), 60_000);
});

test('a missing scheme becomes https', () => {
  const cases: [string, string][] = [
    ['docs.example.org', 'https://docs.example.org'],
    ['//docs.example.org/a', 'https://docs.example.org/a'],
    ['example.org:8080/a', 'https://example.org:8080/a'],
    [' http://example.org ', 'http://example.org'],
    ['HTTPS://example.org', 'HTTPS://example.org'],
    ['ftp://example.org', 'ftp://example.org'],
    ['mailto:a@example.org', 'mailto:a@example.org'],
  ];
  for (const [given, read] of cases) assert.equal(addScheme(given), read);
});

test('the icon of a site', () => {
  assert.equal(buildFaviconUrl('https://example.org/a/b?c'), 'https://example.org/favicon.ico');
  assert.equal(buildFaviconUrl('nothing'), null);
});
