import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  canBePage,
  crawlUrl,
  hasPublicName,
  hostKey,
  isSameSite,
  registrableDomain,
  trapReason,
} from './crawlable.ts';

describe('the one spelling of an address', () => {
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
  for (const [from, to] of cases) test(from, () => assert.equal(crawlUrl(from), to));

  test('a spelling is its own spelling', () => {
    for (const [, to] of cases) if (to !== null) assert.equal(crawlUrl(to), to);
  });
});

test('a relative address is read against its base', () => {
  assert.equal(crawlUrl('../c?x=1#y', 'https://example.org/a/b/'), 'https://example.org/a/c?x=1');
});

test('www and the bare host are one site of a crawl, another port is not', () => {
  assert.equal(hostKey('https://www.example.org/a'), hostKey('http://example.org/'));
  assert.notEqual(hostKey('http://example.org:8080/'), hostKey('http://example.org/'));
});

test('sites end at the public suffix', () => {
  assert.equal(registrableDomain('https://docs.example.co.uk/a'), 'example.co.uk');
  assert.equal(isSameSite('https://a.example.org/', 'https://example.org/'), true);
  assert.equal(isSameSite('https://a.github.io/', 'https://b.github.io/'), false);
  assert.equal(isSameSite('http://127.0.0.1/', 'http://127.0.0.2/'), false);
});

test('addresses and reserved names are not of the public web', () => {
  for (const host of ['127.0.0.1:8080', '[::1]', 'localhost', 'docs.python.test', 'wiki.internal', 'nas'])
    assert.equal(hasPublicName(`http://${host}/`), false, host);
  for (const host of ['example.org', 'a.b.example.co.uk', 'me.github.io'])
    assert.equal(hasPublicName(`http://${host}/`), true, host);
});

test('files that are no pages are known by their ending', () => {
  for (const path of ['a.png', 'b.tar.gz', 'x/style.css?v=2', 'c.PDF']) {
    assert.equal(canBePage(`https://a.org/${path}`), false, path);
  }
  for (const path of ['', 'a', 'a.html', 'v1.2', 'a.php?x=.png', 'notes.md']) {
    assert.equal(canBePage(`https://a.org/${path}`), true, path);
  }
});

describe('traps', () => {
  const cases: [path: string, reason: string | null][] = [
    ['docs/3.11/library/asyncio.html', null],
    ['2024/2024/2024/report', null],
    ['a/a/a/a/a', 'path_repeats'],
    ['en/docs/en/docs/en/docs/en/docs/x', 'path_repeats'],
    [Array.from({ length: 21 }, (_, place) => place).join('/'), 'path_too_deep'],
    ['x'.repeat(2_000), 'url_too_long'],
    [`s?${Array.from({ length: 13 }, (_, place) => `f${place}=1`).join('&')}`, 'query_too_wide'],
    ['s?a=1&b=2', null],
  ];
  for (const [path, reason] of cases) {
    test(`${path.slice(0, 40)}: ${reason}`, () => assert.equal(trapReason(`https://a.org/${path}`), reason));
  }
});
