import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../contract/errors.ts';
import { createAddressPolicy, isPublicAddress } from './address.ts';
import { judgeUrl } from './check-url.ts';

const strict = createAddressPolicy({ allowPrivate: [], ownAddresses: () => [] });
const lenient = createAddressPolicy({ allowPrivate: ['127.10.0.0/16'], ownAddresses: () => [] });

const REFUSED: Record<string, string[]> = {
  'no absolute address': [
    '',
    'example.com',
    '//example.com/',
    '/a',
    'http://',
    'https://?',
    'http://[::1',
    'http://a_b:x/',
  ],
  'another scheme': [
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:1',
    'data:text/html,x',
    'ws://example.com/',
    'blob:https://example.com/1',
    'gopher://example.com/',
  ],
  'a user name or password': [
    'http://a@example.com/',
    'http://a:b@example.com/',
    'http://:b@example.com/',
    'http://127.0.0.1%23@example.com/',
  ],
  'a space or control character': [
    ' http://example.com/',
    'http://example.com/ ',
    'http://example.com/a b',
    'ht\ntp://example.com/',
    'http://exa\tmple.com/',
    'http://example.com/\0',
    'http://example.com/\x7f',
  ],
  'a bad port': [
    'http://example.com:0/',
    'http://example.com:22/',
    'https://example.com:25/',
    'http://example.com:6667/',
    'http://example.com:10080/',
  ],
  'a local name': [
    'http://intranet/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://printer.local/',
    'http://x.internal/',
    'http://nas.home.arpa/',
    'http://1.0.0.127.in-addr.arpa/',
    'http://abc.onion/',
    'http://ｌｏｃａｌｈｏｓｔ/',
    'http://x.ⓛⓞⓒⓐⓛ/',
  ],
  'an empty label': ['http://example..com/', 'http://example.com../', 'http://.example.com/'],
  'a private literal': [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://0x7f.1/',
    'http://１２７.0.0.1/',
    'http://127.0.0.1./',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fe80::1%25eth0]/',
  ],
  'a private literal behind a backslash': ['http:\\\\127.0.0.1\\', 'http://127.0.0.1\\@example.com/'],
};

const PASSED: Record<string, string> = {
  'http://example.com': 'http://example.com/',
  'HTTPS://Example.COM:443/A?b#c': 'https://example.com/A?b#c',
  'http://example.com:8080/': 'http://example.com:8080/',
  'http://example.com./a': 'http://example.com/a',
  'http://example.com.:8443/a': 'http://example.com:8443/a',
  'https://bücher.example/': 'https://xn--bcher-kva.example/',
  'http://8.8.8.8/': 'http://8.8.8.8/',
  'http://134744072/': 'http://8.8.8.8/',
  'http://[2606:4700:4700::1111]/': 'http://[2606:4700:4700::1111]/',
  'http://[::ffff:8.8.8.8]/': 'http://[::ffff:808:808]/',
  'http://local.example.com/': 'http://local.example.com/',
  'http://mylocal.com/': 'http://mylocal.com/',
  'http://example.com\\@127.0.0.1/': 'http://example.com/@127.0.0.1/',
  'https://example.com/?q=\\d+': 'https://example.com/?q=\\d+',
};

describe('judgeUrl', () => {
  for (const [why, urls] of Object.entries(REFUSED))
    for (const url of urls)
      test(`refuses ${JSON.stringify(url)}: ${why}`, () =>
        assert.throws(() => judgeUrl(url, strict), isNotAllowed));
  for (const [url, href] of Object.entries(PASSED))
    test(`passes ${url}`, () => assert.equal(judgeUrl(url, strict).href, href));

  test('if private ranges are allowed, local names pass until their address is known; all other rules apply', () => {
    for (const url of [
      'http://intranet/',
      'http://wiki.internal/',
      'http://localhost:3000/',
      'http://127.10.0.1/',
    ])
      assert.ok(judgeUrl(url, lenient));
    for (const url of [
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://intranet:22/',
      'http://a@intranet/',
      'file:///etc',
    ])
      assert.throws(() => judgeUrl(url, lenient), isNotAllowed, url);
  });

  test('treats every spelling of an IPv4 address alike', () => {
    fc.assert(
      fc.property(fc.tuple(byte(), byte(), byte(), byte()), (bytes) => {
        const expected = isPublicAddress(bytes.join('.'));
        for (const host of formsOf(bytes)) assert.equal(passes(`http://${host}/`), expected, host);
      }),
      { numRuns: 1_000 },
    );
  });

  test('any URL that passes is http(s), has no credentials and parses to itself', () => {
    const piece = fc.constantFrom(
      'http:',
      'https:',
      'file:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '#',
      '?',
      '%40',
      '%23',
      '127.0.0.1',
      '[::1]',
      'example.com',
      '.',
      '80',
      '22',
      '。',
      'localhost',
      '%2e',
      ' ',
      'user',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const text = pieces.join('');
        if (!passes(text)) return;
        const url = judgeUrl(text, strict);
        assert.match(url.protocol, /^https?:$/);
        assert.equal(url.username + url.password, '');
        assert.match(url.hostname, /^[^.]+(?:\.[^.]+)+$/);
        assert.ok(isIP(url.hostname) === 0 || isPublicAddress(url.hostname), url.hostname);
        assert.equal(judgeUrl(url.href, strict).href, url.href);
      }),
      { numRuns: 20_000 },
    );
  });
});

function passes(url: string): boolean {
  try {
    judgeUrl(url, strict);
    return true;
  } catch (error) {
    if (!isNotAllowed(error)) throw error;
    return false;
  }
}

function isNotAllowed(error: unknown): boolean {
  return error instanceof Failure && error.code === 'url_not_allowed' && error.fetch === null;
}

function byte(): fc.Arbitrary<number> {
  return fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(0, 10, 127, 169, 254, 172, 16, 192, 168, 100, 64),
  );
}

function formsOf([a, b, c, d]: [number, number, number, number]): string[] {
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (n: number): string => `0x${n.toString(16)}`;
  const octal = (n: number): string => `0${n.toString(8)}`;
  const plain = [a, b, c, d].join('.');
  return [
    plain,
    `${plain}.`,
    String(whole),
    hex(whole),
    octal(whole),
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map(octal).join('.'),
    `${hex(a)}.${octal(b)}.${c * 256 + d}`,
    `${a}.${whole % 2 ** 24}`,
    plain.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    plain.replaceAll('.', '。'),
    plain.replace(/\d/g, (digit) => `%3${digit}`),
    `[::ffff:${plain}]`,
    `[::ffff:${(whole >>> 16).toString(16)}:${(whole & 0xffff).toString(16)}]`,
  ];
}
