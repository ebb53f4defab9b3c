import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readCallerHeaders } from './caller-headers.ts';

describe("a caller's headers", () => {
  test('are sent under lower-case names', () => {
    assert.deepEqual(readCallerHeaders({ Cookie: ' a=b ', Authorization: 'Bearer x', 'X-Own': '' }), {
      headers: { cookie: 'a=b', authorization: 'Bearer x', 'x-own': '' },
      ignored: [],
    });
  });

  test('of the connection, and a user agent, are not sent', () => {
    const given = { Host: 'x', 'User-Agent': 'Chrome', 'Content-Length': '3', 'Proxy-Authorization': 'x' };
    assert.deepEqual(readCallerHeaders(given), { headers: null, ignored: Object.keys(given) });
    assert.deepEqual(readCallerHeaders({}), { headers: null, ignored: [] });
  });

  for (const [what, given] of [
    ['a name that is not a token', { 'a b': 'x' }],
    ['an empty name', { '': 'x' }],
    ['a line break in a value', { a: 'x\r\nb: c' }],
    ['a letter beyond Latin-1', { a: 'ł' }],
    ['a value that is too long', { a: 'x'.repeat(8_193) }],
    ['too many', Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`x-${at}`, 'x']))],
  ] as const)
    test(`${what} is refused`, () => assert.ok('problem' in readCallerHeaders(given)));
});
