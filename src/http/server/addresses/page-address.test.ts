import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePageAddress } from '../request-target.ts';

const cases: [behindR: string, url: string | null, question?: string | null][] = [
  ['https://example.org/', 'https://example.org/'],
  ['http://example.org/a/b.html', 'http://example.org/a/b.html'],
  // A slash that a proxy merged is restored; an extra one is dropped.
  ['https:/example.org/a', 'https://example.org/a'],
  ['https:///example.org/a', 'https://example.org/a'],
  ['HTTPS://Example.org/A', 'HTTPS://Example.org/A'],
  // Repeated slashes in the path are kept.
  ['https://example.org/a//b///c', 'https://example.org/a//b///c'],
  // A missing scheme becomes https; a host before a port is not a scheme.
  ['example.org/a', 'https://example.org/a'],
  ['example.org:8080/a', 'https://example.org:8080/a'],
  // Only q is taken from a plain query string.
  ['https://example.org/s?b=1&q=wader&c=%20x', 'https://example.org/s?b=1&c=%20x', 'wader'],
  ['https://example.org/s?q=a+b%26c', 'https://example.org/s', 'a b&c'],
  ['https://example.org/s?c=2&a=1&&c=3', 'https://example.org/s?c=2&a=1&&c=3'],
  ['https://example.org/s?q=', 'https://example.org/s', null],
  ['https://example.org/s?q=one&q=two', 'https://example.org/s', 'one'],
  ['https://example.org/s?Q=theirs&qq=1', 'https://example.org/s?Q=theirs&qq=1'],
  ['https://example.org/s?u=https://other.org/?q=1', 'https://example.org/s?u=https://other.org/?q=1'],
  ['https://example.org/s?q=%zz', 'https://example.org/s', '%zz'],
  // Fully encoded: its own q stays in the URL; the reader's q follows it unencoded.
  ['https%3A%2F%2Fexample.org%2Fs%3Fq%3Dtheirs', 'https://example.org/s?q=theirs'],
  ['https%3A%2F%2Fexample.org%2Fs%3Fq%3Dtheirs?q=ours', 'https://example.org/s?q=theirs', 'ours'],
  ['https%3A%2F%2Fexample.org%2Fs%3Fa%3D1?b=2', 'https://example.org/s?a=1&b=2'],
  ['https%3a%2f%2fexample.org%2fa%2520b', 'https://example.org/a%20b'],
  ['https:%2F%2Fexample.org%2Fa', 'https://example.org/a'],
  ['example.org%2Fa%3Fq%3D1', 'https://example.org/a?q=1'],
  // A plain URL keeps its escapes.
  ['https://example.org/a%2Fb%20c', 'https://example.org/a%2Fb%20c'],
  ['https://example.org/%E9', 'https://example.org/%E9'],
  ['https://example.org/%zz', 'https://example.org/%zz'],
  // Not http(s) URLs.
  ['', null],
  ['?q=x', null],
  ['%20', null],
  ['ftp://example.org/a', null],
  ['file:///etc/passwd', null],
  ['javascript:alert(1)', null],
  ['mailto:a@example.org', null],
  ['https://', null],
  ['https%3A%2F%2F%zz', null],
];

for (const [behindR, url, question = null] of cases) {
  test(`/r/${behindR} -> ${url}${question === null ? '' : ` asked ${question}`}`, () => {
    assert.deepEqual(parsePageAddress(behindR), url === null ? null : { url, question });
  });
}

test('a fully percent-encoded URL is decoded exactly, with any question after it', () => {
  fc.assert(
    fc.property(
      fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https'] }),
      fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
      (url, question) => {
        const behindR = `${encodeURIComponent(url)}?q=${encodeURIComponent(question)}`;
        assert.deepEqual(parsePageAddress(behindR), { url, question: question.trim() });
      },
    ),
  );
});

test('any input gives an http(s) URL or null', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (behindR) => {
      const page = parsePageAddress(behindR);
      if (page !== null) assert.match(new URL(page.url).protocol, /^https?:$/);
    }),
  );
});
