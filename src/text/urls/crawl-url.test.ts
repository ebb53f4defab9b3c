import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toCrawlUrl } from './url-spelling.ts';

describe('toCrawlUrl', () => {
  const cases: [from: string, to: string | null][] = [
    ['https://Example.ORG:443/a/../b#part', 'https://example.org/b'],
    ['http://example.org:80', 'http://example.org/'],
    ['http://example.org:8080/', 'http://example.org:8080/'],
    ['https://example.org./a', 'https://example.org/a'],
    ['https://example.org/a?utm_source=x&id=2&fbclid=y', 'https://example.org/a?id=2'],
    ['https://example.org/a?utm_source=x', 'https://example.org/a'],
    ['https://example.org/a?', 'https://example.org/a'],
    ['https://example.org/a?b=1&a=2', 'https://example.org/a?b=1&a=2'],
    ['https://example.org/%7euser/%c3%a9%2f', 'https://example.org/~user/%C3%A9%2F'],
    ['https://example.org/é', 'https://example.org/%C3%A9'],
    ['https://example.org/a;jsessionid=12AB', 'https://example.org/a'],
    ['https://user:secret@example.org/', null],
    ['mailto:a@example.org', null],
    ['javascript:void(0)', null],
    ['no address', null],
  ];
  for (const [from, to] of cases) test(from, () => assert.equal(toCrawlUrl(from), to));

  test('a spelling is its own spelling', () => {
    for (const [, to] of cases) if (to !== null) assert.equal(toCrawlUrl(to), to);
  });
});

test('a relative address is read against its base', () => {
  assert.equal(toCrawlUrl('../c?x=1#y', 'https://example.org/a/b/'), 'https://example.org/a/c?x=1');
});
